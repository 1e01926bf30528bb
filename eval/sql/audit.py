"""Audits one statement: is it a read, are its names and joins real, does it mean what was asked."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from eval.sql.binder import TooComplexError, bind
from eval.sql.graph import SchemaGraph
from eval.sql.parsing import PARSER, parse
from eval.sql.records import Ask, Audit, Dialect, Finding, Severity, Verdict
from eval.sql.registry import known_rules
from eval.sql.subject import Subject


def audit(sql: str, dialect: Dialect, graph: SchemaGraph, ask: Ask | None = None) -> Audit:
    """Judge `sql` as it would run in `dialect` against the database that `graph` describes.

    A text that is more than one statement, or no read, fails and is looked at no further. One that the parser does
    not understand is unknown, unless its very words show a write. Never raises for what the text is.
    """
    parsed = parse(sql, dialect)
    subject = Subject(sql, dialect, graph, ask or Ask(), parsed.tokens, parsed.statements)
    findings = _run(subject, "statement")
    if findings:
        return Audit(sql, dialect, _verdict(findings), findings, parser=PARSER)
    if parsed.problem:
        return Audit(sql, dialect, Verdict.UNKNOWN, reason=parsed.problem, parser=PARSER)
    statement = parsed.statements[0]
    if not isinstance(statement, exp.Query):
        return Audit(sql, dialect, Verdict.PASSED, parser=PARSER)
    try:
        query = bind(statement, graph, dialect)
    except (TooComplexError, RecursionError) as exc:
        return Audit(sql, dialect, Verdict.UNKNOWN, reason=str(exc) or "nested too deeply", parser=PARSER)
    findings = _run(replace(subject, query=query), "meaning")
    return Audit(
        sql,
        dialect,
        _verdict(findings),
        findings,
        tables=tuple(sorted({atom.table for atom in query.atoms.values() if atom.table is not None})),
        columns=tuple(sorted(f"{table}.{column}" for table, column in query.columns)),
        parser=PARSER,
    )


def _run(subject: Subject, stage: str) -> tuple[Finding, ...]:
    rules = [rule for rule in known_rules().values() if rule.stage == stage]
    return tuple(finding for rule in rules for finding in rule.findings(subject))


def _verdict(findings: tuple[Finding, ...]) -> Verdict:
    if any(finding.severity is Severity.ERROR for finding in findings):
        return Verdict.FAILED
    return Verdict.WARNED if findings else Verdict.PASSED
