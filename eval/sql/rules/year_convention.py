"""The calendar year, or its quarter, where the business year was asked for."""

from __future__ import annotations

from collections.abc import Iterator

from eval.sql.periods import mismatches
from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject


def check(subject: Subject) -> Iterator[Fault]:
    """Ranges that begin in January instead of the business year's first month."""
    for found in mismatches(subject):
        if found.kind == "calendar":
            yield Fault(found.message, found.node)


RULE = RuleSpec("year_convention", "counts the year from January", Severity.ERROR, "meaning", check)
