"""`python -m eval sql audit|trace|langfuse|score|rules`.

Exit codes: 0 passed or warned, 1 the input cannot be used, 2 failed, 3 unknown or not evaluated.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, NoReturn

import httpx
import typer

from eval.errors import DatasetError, EvalError
from eval.sql.audit import audit
from eval.sql.grade import audit_tried, audit_with_database
from eval.sql.graph import SchemaGraph, load_graph
from eval.sql.labelled import load_labelled, read_ask
from eval.sql.langfuse import LangfuseTraces, Patience
from eval.sql.reader import ReaderOptions
from eval.sql.records import DIALECTS, Ask, Audit, Dialect, Verdict
from eval.sql.registry import known_rules
from eval.sql.score import by_pair, by_statement, outcomes, table
from eval.sql.traces import ExecutedStatement, NoStatement, executed_statement, load_traces

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)

CASES = Path(__file__).parent / "cases"
_BROKEN, _FAILED, _UNKNOWN = 1, 2, 3
_EXIT = {Verdict.PASSED: 0, Verdict.WARNED: 0, Verdict.FAILED: _FAILED, Verdict.UNKNOWN: _UNKNOWN}

DialectName = Annotated[str, typer.Option("--dialect", help=", ".join(DIALECTS))]
GraphFile = Annotated[Path, typer.Option("--graph", help="Schema graph as JSON.")]
AskText = Annotated[
    str,
    typer.Option("--ask", help='What is known of the question, such as {"tenant": "7", "period": "any"}.'),
]
Database = Annotated[Path | None, typer.Option(help="SQLite file for the dry run.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the audit as JSON.")]


@app.command("audit")
def run_audit(
    sql: Annotated[str, typer.Argument(help="The statement; - reads it from standard input.")],
    dialect: DialectName = "sqlite",
    graph: GraphFile = CASES / "graph.json",
    ask: AskText = "{}",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Audit one statement."""
    text = sys.stdin.read() if sql == "-" else sql
    try:
        found = _audit(text, _dialect(dialect), load_graph(graph), read_ask(ask), database)
    except EvalError as exc:
        _fail(exc)
    _print(found, as_json=as_json)
    raise typer.Exit(_EXIT[found.verdict])


@app.command("trace")
def run_trace(
    file: Annotated[Path, typer.Argument(help="File of traces, in Langfuse's shape.")],
    dialect: DialectName = "sqlite",
    graph: GraphFile = CASES / "graph.json",
    ask: AskText = "{}",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Audit the executed statement of every trace in a file."""
    try:
        schema, frame, name = load_graph(graph), read_ask(ask), _dialect(dialect)
        codes = [
            _one(key, executed_statement(trace), name, schema, frame, database, as_json=as_json)
            for key, trace in load_traces(file).items()
        ]
    except EvalError as exc:
        _fail(exc)
    raise typer.Exit(_FAILED if _FAILED in codes else max(codes))


@app.command("langfuse")
def run_langfuse(
    trace_id: Annotated[str, typer.Argument(help="Id of the trace.")],
    url: Annotated[str, typer.Option(envvar="LANGFUSE_HOST", help="Address of the server.")],
    public_key: Annotated[str, typer.Option(envvar="LANGFUSE_PUBLIC_KEY")] = "",
    secret_key: Annotated[str, typer.Option(envvar="LANGFUSE_SECRET_KEY")] = "",
    wait_s: Annotated[float, typer.Option(help="Longest wait for a late trace, in seconds.")] = 30.0,
    dialect: DialectName = "sqlite",
    graph: GraphFile = CASES / "graph.json",
    ask: AskText = "{}",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Audit the executed statement of a trace that Langfuse holds."""
    try:
        schema, frame, name = load_graph(graph), read_ask(ask), _dialect(dialect)
        with httpx.Client(
            base_url=url, auth=(public_key, secret_key), timeout=10.0, trust_env=False
        ) as client:
            found = LangfuseTraces(client, Patience(limit_s=wait_s)).statement(trace_id)
        code = _one(trace_id, found, name, schema, frame, database, as_json=as_json)
    except EvalError as exc:
        _fail(exc)
    raise typer.Exit(code)


@app.command("score")
def run_score(
    file: Annotated[Path, typer.Argument(help="Labelled statements, one JSON object a line.")] = CASES
    / "test.jsonl",
    graph: GraphFile = CASES / "graph.json",
    at_least: Annotated[float, typer.Option(help="Precision and recall that are asked for.")] = 0.96,
) -> None:
    """Measure the audit on labelled statements: precision and recall with 95 % Wilson intervals."""
    try:
        found = outcomes(load_labelled(file), load_graph(graph))
    except EvalError as exc:
        _fail(exc)
    print(table(found))
    rates = [
        rate for counts in (by_pair(found), by_statement(found)) for rate in (counts.precision, counts.recall)
    ]
    raise typer.Exit(0 if all(hits >= at_least * of for hits, of in rates) else _FAILED)


@app.command("rules")
def list_rules() -> None:
    """List the rules with their severity."""
    for rule in known_rules().values():
        print(f"{rule.name:<20} {rule.severity:<8} {rule.summary}")


def _one(
    key: str,
    found: ExecutedStatement | NoStatement,
    dialect: Dialect,
    graph: SchemaGraph,
    ask: Ask,
    database: Path | None,
    *,
    as_json: bool,
) -> int:
    if isinstance(found, NoStatement):
        result = audit_tried(Audit("", dialect, Verdict.UNKNOWN, reason=found.reason), found.tried, graph)
    else:
        result = audit_tried(_audit(found.sql, dialect, graph, ask, database), found.tried, graph)
    if isinstance(found, NoStatement) and result.verdict is Verdict.UNKNOWN:
        record = json.dumps({"trace": key, "not_evaluated": asdict(found)})
        print(record if as_json else f"{key}: not evaluated, {found.reason}")
        return _UNKNOWN
    print("" if as_json else f"{key}: ", end="")
    _print(result, as_json=as_json)
    return _EXIT[result.verdict]


def _audit(sql: str, dialect: Dialect, graph: SchemaGraph, ask: Ask, database: Path | None) -> Audit:
    if database is None:
        return audit(sql, dialect, graph, ask)
    return audit_with_database(sql, dialect, graph, ask, ReaderOptions(database))


def _dialect(name: str) -> Dialect:
    if name not in DIALECTS:
        raise DatasetError(f"no dialect {name!r}, known are {', '.join(DIALECTS)}")
    return name


def _print(found: Audit, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(found), ensure_ascii=False))
        return
    print(f"{found.verdict}{f': {found.reason}' if found.reason else ''}")
    for finding in found.findings:
        place = f" at {finding.span.start}" if finding.span else ""
        print(f"  {finding.severity} {finding.rule}{place}: {finding.message}")


def _fail(exc: EvalError) -> NoReturn:
    print(f"broken: {exc}", file=sys.stderr)
    raise typer.Exit(_BROKEN) from exc
