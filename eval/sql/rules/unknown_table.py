"""Tables that the database does not have. Names that the statement defines itself are none of these."""

from __future__ import annotations

from collections.abc import Iterator

from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject


def check(subject: Subject) -> Iterator[Fault]:
    """Names in FROM that stand for nothing."""
    for problem in subject.resolved.problems:
        if problem.kind == "table":
            yield Fault(problem.message, problem.node)


RULE = RuleSpec("unknown_table", "reads a table that is not there", Severity.ERROR, "meaning", check)
