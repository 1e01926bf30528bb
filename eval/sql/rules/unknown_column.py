"""Columns that none of the sources in scope has, or more than one has."""

from __future__ import annotations

from collections.abc import Iterator

from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject


def check(subject: Subject) -> Iterator[Fault]:
    """Column names that stand for nothing."""
    for problem in subject.resolved.problems:
        if problem.kind == "column":
            yield Fault(problem.message, problem.node)


RULE = RuleSpec("unknown_column", "reads a column that is not there", Severity.ERROR, "meaning", check)
