"""Structural checks first, then the database, then a judge: what the cheap ones settle is not paid for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from eval.sql.audit import audit
from eval.sql.graph import SchemaGraph
from eval.sql.reader import ReaderOptions, dry_run
from eval.sql.records import Ask, Audit, Dialect, Finding, Severity, Verdict
from eval.sql.registry import known_rules

Judge = Callable[[str, Audit], Finding | None]
"""A paid opinion on whether a statement answers a question: what is wrong, or None."""
DRY_RUN = "dry_run"
JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Grade:
    """An audit with what the database and the judge added."""

    audit: Audit
    dry_run: bool
    """Whether the database was asked."""
    judged: bool
    """Whether the judge was asked, and so paid."""


def audit_with_database(
    sql: str,
    dialect: Dialect,
    graph: SchemaGraph,
    ask: Ask | None = None,
    database: ReaderOptions | None = None,
) -> Audit:
    """The audit, and the database's own word where the audit finds no error and there is an SQLite database.

    Raises:
        DatasetError: the database is not there.
    """
    found = audit(sql, dialect, graph, ask)
    if database is None or dialect != "sqlite" or found.verdict in (Verdict.FAILED, Verdict.UNKNOWN):
        return found
    failure = dry_run(sql, database)
    if failure is None:
        return found
    if failure.kind == "timeout":
        return replace(found, verdict=Verdict.UNKNOWN, reason=f"dry run: {failure.message}")
    finding = Finding(DRY_RUN, Severity.ERROR, f"the database refuses it: {failure.message}")
    return replace(found, verdict=Verdict.FAILED, findings=(*found.findings, finding))


def audit_tried(found: Audit, tried: Iterable[str], graph: SchemaGraph) -> Audit:
    """`found` with what is no plain read among the other statements that were sent: a write that failed is one too."""
    others = [audit(sql, found.dialect, graph) for sql in tried if sql != found.sql]
    findings = [
        each for other in others for each in other.findings if known_rules()[each.rule].stage == "statement"
    ]
    if not findings:
        return found
    moved = [replace(each, message=f"tried before: {each.message}", span=None) for each in findings]
    return replace(found, verdict=Verdict.FAILED, findings=(*found.findings, *dict.fromkeys(moved)))


def grade(
    question: str,
    sql: str,
    dialect: Dialect,
    graph: SchemaGraph,
    *,
    ask: Ask | None = None,
    database: ReaderOptions | None = None,
    judge: Judge | None = None,
) -> Grade:
    """Audit `sql`; ask the judge only about a statement in which nothing cheaper found an error.

    Raises:
        DatasetError: the database is not there.
    """
    found = audit_with_database(sql, dialect, graph, ask, database)
    looked = database is not None and dialect == "sqlite"
    if judge is None or found.verdict in (Verdict.FAILED, Verdict.UNKNOWN):
        return Grade(found, looked, judged=False)
    opinion = judge(question, found)
    if opinion is None:
        return Grade(found, looked, judged=True)
    verdict = Verdict.FAILED if opinion.severity is Severity.ERROR else Verdict.WARNED
    return Grade(replace(found, verdict=verdict, findings=(*found.findings, opinion)), looked, judged=True)
