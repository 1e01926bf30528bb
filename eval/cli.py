"""`python -m eval run|mutation|consistency|compare|parity|replay|all|report|sql|...`; `--help` lists all.

Exit codes: 0 everything passed, 1 the measurement itself is broken, 2 a gate failed, 3 inconclusive,
130 interrupted (go on with --resume).
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, cast

import typer

from eval import store
from eval.adapters.base import AdapterOptions
from eval.cli_cases import register
from eval.cli_parity import register as register_parity
from eval.errors import EvalError, StoreError
from eval.gates import EXIT_BROKEN, GateResult, exit_code, judge, load_gates
from eval.judge.cli import register as register_judges
from eval.junit import write_junit
from eval.lint import label_changes, lint, lint_golden, write_hashes
from eval.oracle.cli import app as oracle_app
from eval.records import Mode, Run, Split, UserKind
from eval.report import write_report
from eval.session import MODES, PARTS, Plan, execute
from eval.shards import merge, parse_shard, rows_of
from eval.sql.cli import app as sql_app
from eval.store import ROOT, load_run, run_path
from eval.summary import Summary, summarise

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)
register_judges(app)
register_parity(app)
app.add_typer(sql_app, name="sql")
app.add_typer(oracle_app, name="oracle")

REPORT_MD = ROOT / "eval" / "REPORT.md"
NUMBERS = ROOT / "docs" / "numbers" / "eval.json"
_INTERRUPTED = 130

Url = Annotated[
    str | None, typer.Option(help="Ask the service at this address instead of the pipeline here.")
]
Splits = Annotated[str, typer.Option(help="Conversations: dev, test or dev,test.")]
Users = Annotated[str, typer.Option(help="Who plays the recruiter: scripted, persona or both.")]
Modes = Annotated[str, typer.Option(help="grader, trace or both.")]
Traces = Annotated[Path | None, typer.Option(help="Folder of recorded conversations (*.md) to run as well.")]
RunName = Annotated[str | None, typer.Option("--run", help="Name of the run; the time when left out.")]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with a run that was cut off (--run, else the last).")
]
Only = Annotated[str, typer.Option(help="Only conversations whose id holds this.")]
Lexical = Annotated[bool, typer.Option("--no-dense", help="In process: search by words only.")]
Seed = Annotated[int, typer.Option(help="For generated conversations and resampling.")]
Junit = Annotated[Path | None, typer.Option(help="Write JUnit XML here.")]
Html = Annotated[Path | None, typer.Option(help="Write the HTML page here (default: store/NAME.html).")]
Markdown = Annotated[Path | None, typer.Option(help="Write the Markdown twin here.")]
Unseal = Annotated[bool, typer.Option("--unseal", help="Show labels and transcripts of the held-out half.")]
Baseline = Annotated[str | None, typer.Option(help="Name of an earlier run to compare with.")]
Publish = Annotated[
    bool, typer.Option("--publish", help="Also write eval/REPORT.md and docs/numbers/eval.json.")
]
Provider = Annotated[
    str, typer.Option(help="In process, never with --url: who reads, as LLM_PROVIDER (which it replaces).")
]
Price = Annotated[str, typer.Option(help="USD per million tokens in and out, such as 0.6,0.8, for the cost.")]
ShardText = Annotated[
    str, typer.Option("--shard", help="Run only this share, such as 2/3; `merge` joins them.")
]
ClusterAt = Annotated[
    str, typer.Option("--cluster", help="Run on the dask cluster at this address, tcp://host:8786.")
]
Timeout = Annotated[float, typer.Option(help="Seconds after which a call over HTTP is given up.")]


@app.command("all")
def run_all(
    url: Url = None,
    splits: Splits = "dev,test",
    users: Users = "scripted,persona",
    modes: Modes = "grader,trace",
    traces: Traces = None,
    run: RunName = None,
    resume: Resume = False,
    only: Only = "",
    no_dense: Lexical = False,
    seed: Seed = 20260,
    junit: Junit = None,
    html: Html = None,
    markdown: Markdown = None,
    unseal: Unseal = False,
    baseline: Baseline = None,
    publish: Publish = False,
    timeout: Timeout = 30.0,
    provider: Provider = "",
    price: Price = "",
    shard: ShardText = "",
    cluster: ClusterAt = "",
) -> None:
    """Replay, probes, laws and retrieval, then the report and the gates."""
    plan = _plan(PARTS, url, splits, users, modes, traces, only, no_dense, seed, timeout, provider, shard)
    _run(plan, run, resume, junit, html, markdown, unseal, baseline, publish, price, cluster)


@app.command("replay")
def run_replay(
    url: Url = None,
    splits: Splits = "dev,test",
    users: Users = "scripted,persona",
    modes: Modes = "grader,trace",
    traces: Traces = None,
    run: RunName = None,
    resume: Resume = False,
    only: Only = "",
    no_dense: Lexical = False,
    seed: Seed = 20260,
    junit: Junit = None,
    html: Html = None,
    unseal: Unseal = False,
    baseline: Baseline = None,
    timeout: Timeout = 30.0,
    provider: Provider = "",
    price: Price = "",
    shard: ShardText = "",
    cluster: ClusterAt = "",
) -> None:
    """Play labelled conversations against the service."""
    plan = _plan(
        ("replay",), url, splits, users, modes, traces, only, no_dense, seed, timeout, provider, shard
    )
    _run(plan, run, resume, junit, html, None, unseal, baseline, False, price, cluster)


@app.command("recall")
def run_recall(
    splits: Splits = "dev,test",
    traces: Traces = None,
    run: RunName = None,
    resume: Resume = False,
    only: Only = "",
    no_dense: Lexical = False,
    html: Html = None,
) -> None:
    """What retrieval alone finds for each need, arm by arm."""
    plan = _plan(("recall",), None, splits, "scripted", "trace", traces, only, no_dense, 20260, 30.0)
    _run(plan, run, resume, None, html, None, False, None, False)


@app.command("probes")
def run_probes(
    url: Url = None,
    run: RunName = None,
    resume: Resume = False,
    no_dense: Lexical = False,
    junit: Junit = None,
    html: Html = None,
    timeout: Timeout = 30.0,
) -> None:
    """Behaviour probes: pairs, one that must trigger and a near twin that must not."""
    plan = _plan(("probes",), url, "dev", "scripted", "trace", None, "", no_dense, 20260, timeout)
    _run(plan, run, resume, junit, html, None, False, None, False)


@app.command("laws")
def run_laws(
    url: Url = None,
    run: RunName = None,
    resume: Resume = False,
    no_dense: Lexical = False,
    seed: Seed = 20260,
    junit: Junit = None,
    html: Html = None,
    timeout: Timeout = 30.0,
) -> None:
    """Metamorphic laws over generated conversations."""
    plan = _plan(("laws",), url, "dev", "scripted", "trace", None, "", no_dense, seed, timeout)
    _run(plan, run, resume, junit, html, None, False, None, False)


@app.command("report")
def run_report(
    run: Annotated[str, typer.Argument(help="Name of a stored run.")],
    html: Html = None,
    markdown: Markdown = None,
    unseal: Unseal = False,
    baseline: Baseline = None,
    publish: Publish = False,
    price: Price = "",
) -> None:
    """Write the report of a stored run again."""
    try:
        stored = load_run(run_path(run))
        gates = judge(stored, load_gates())
        _write(stored, gates, html, markdown, unseal, baseline, publish, price)
    except EvalError as exc:
        _fail(exc)
    raise typer.Exit(exit_code(stored, gates))


@app.command("merge")
def run_merge(
    run: Annotated[str, typer.Argument(help="Name of the run to write.")],
    shares: Annotated[list[str], typer.Argument(help="Names of all its shares.")],
) -> None:
    """Join the shares of a run that were run with --shard; `report` then shows it."""
    try:
        merged = merge([run_path(name) for name in shares], run_path(run))
    except EvalError as exc:
        _fail(exc)
    print(f"{len(rows_of(merged))} rows in {run_path(run)}")


@app.command("lint")
def run_lint() -> None:
    """Prove the labels consistent: ids, disjoint sets, limits, held-out labels unchanged."""
    try:
        found = [*lint(), *lint_golden()]
    except EvalError as exc:
        _fail(exc)
    for problem in found:
        print(problem)
    print(f"{len(found)} problems" if found else "labels are consistent")
    raise typer.Exit(int(bool(found)))


@app.command("fix-labels")
def run_fix_labels() -> None:
    """Write the hashes of the held-out conversations, once they are complete."""
    print(f"{write_hashes()} conversations fixed")


@app.command("ablate")
def run_ablate(only: Only = "", traces: Traces = None) -> None:
    """Measure the variants of retrieval and assembly; append them to eval/ablations.jsonl, write the log."""
    from eval.tuning import ablate, write_log

    try:
        ablate(only, traces)
        write_log()
    except EvalError as exc:
        _fail(exc)


@app.command("tuning-log")
def run_tuning_log() -> None:
    """Write eval/TUNING_LOG.md from the stored ablations."""
    from eval.tuning import write_log

    write_log()


def _plan(
    parts: tuple[str, ...],
    url: str | None,
    splits: str,
    users: str,
    modes: str,
    traces: Path | None,
    only: str,
    no_dense: bool,
    seed: int,
    timeout: float,
    provider: str = "",
    shard: str = "",
) -> Plan:
    if url and provider:
        raise typer.BadParameter(
            "--provider and --url exclude each other: a service at an address reads as its own LLM_PROVIDER says,"
            " and POST /chat tells nothing of it; leave --url out for the figures of a provider"
        )
    try:
        share = parse_shard(shard)
    except ValueError as exc:
        raise typer.BadParameter(str(exc)) from None
    return Plan(
        shard=share,
        parts=parts,
        splits=cast("tuple[Split, ...]", _choice(splits, ("dev", "test"))),
        users=cast("tuple[UserKind, ...]", _choice(users, ("scripted", "persona"))),
        modes=cast("tuple[Mode, ...]", _choice(modes, MODES)),
        traces=traces,
        only=only,
        channel="api" if url else "inprocess",
        options=AdapterOptions(url=url, timeout_s=timeout, dense=not no_dense, provider=provider),
        seed=seed,
        command=" ".join(["python -m eval", *sys.argv[1:]]),
    )


def _choice(text: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
    chosen = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    if not chosen or not set(chosen) <= set(allowed):
        raise typer.BadParameter(f"{text!r}: choose among {', '.join(allowed)}, separated by commas")
    return chosen


def _run(
    plan: Plan,
    name: str | None,
    resume: bool,
    junit: Path | None,
    html: Path | None,
    markdown: Path | None,
    unseal: bool,
    baseline: str | None,
    publish: bool,
    price: str = "",
    cluster: str = "",
) -> None:
    if cluster and plan.shard is not None:
        raise typer.BadParameter("--cluster and --shard exclude each other")
    try:
        path = run_path(name) if name else _latest() if resume else _fresh()
        if cluster:
            from eval.cluster import spread

            spread(plan, path, cluster, resume=resume)
        run = execute(plan, path, resume=resume or bool(cluster))
        if plan.shard is not None:
            print(f"share {plan.shard}: {len(rows_of(run))} rows in {path}")
            raise typer.Exit
        gates = judge(run, load_gates())
        if junit:
            write_junit(run, gates, junit)
        summary = _write(run, gates, html, markdown, unseal, baseline, publish, price)
    except EvalError as exc:
        _fail(exc)
    except KeyboardInterrupt:
        print("interrupted; go on with --resume", file=sys.stderr)
        raise typer.Exit(_INTERRUPTED) from None
    _print(summary)
    raise typer.Exit(exit_code(run, gates))


def _run_cases(
    plan: Plan, name: str | None, resume: bool, junit: Path | None, html: Path | None, baseline: str | None
) -> None:
    _run(plan, name, resume, junit, html, None, False, baseline, False)


def _fail(exc: EvalError) -> None:
    print(f"broken: {exc}", file=sys.stderr)
    raise typer.Exit(EXIT_BROKEN) from exc


def _fresh() -> Path:
    return run_path(datetime.now(UTC).strftime("%Y%m%d-%H%M%S"))


def _latest() -> Path:
    found = sorted(store.STORE.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise StoreError("there is no run to go on with")
    return found[-1]


def _write(
    run: Run,
    gates: tuple[GateResult, ...],
    html: Path | None,
    markdown: Path | None,
    unseal: bool,
    baseline: str | None,
    publish: bool,
    price: str,
) -> Summary:
    earlier = load_run(run_path(baseline)) if baseline else None
    summary = summarise(run, gates, earlier, label_changes(), _price(price))
    page = html or store.STORE / f"{run.info.id}.html"
    twin = markdown or (REPORT_MD if publish else store.STORE / f"{run.info.id}.md")
    write_report(summary, page, twin, NUMBERS if publish else None, unseal=unseal)
    print(f"report: {page} and {twin}", file=sys.stderr)
    return summary


def _price(text: str) -> tuple[float, float] | None:
    if not text:
        return None
    try:
        into, out = map(float, text.split(","))
    except ValueError:
        raise typer.BadParameter(f"{text!r}: two numbers, separated by a comma") from None
    return into, out


def _print(summary: Summary) -> None:
    for note in summary.run.info.notes:
        print(f"note: {note}")
    for group in summary.groups:
        recall, precision = group.means["recall@10"], group.means["precision"]
        figures = [f"{m.value:.3f}" if m else "none" for m in (recall, precision)]
        words = f"recall@10 {figures[0]}  precision {figures[1]}  errors {group.errors}"
        print(f"{group.name:<28} n={group.n:<4} {words}")
    for row in summary.routers:
        print("router: " + "  ".join(f"{key} {value}" for key, value in row.items()))
    for arm in summary.arms:
        found = arm.means["recall@10"]
        print(f"{arm.split + ', ' + arm.arm:<28} recall@10 {found.value if found else float('nan'):.3f}")
    for kind, (right, every) in summary.probes.items():
        print(f"probes, {kind:<20} {right}/{every}")
    for law, (held, checked, _) in summary.laws.items():
        print(f"law, {law:<23} {held}/{checked}")
    for line in summary.lines:
        print(line)
    for result in summary.gates:
        print(f"{result.verdict:<13} {result.gate.id}: {result.reason}")


register(app, _run_cases)


def main() -> None:
    """Entry point."""
    app()
