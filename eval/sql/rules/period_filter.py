"""The days asked for: filtered at all, and to the right range."""

from __future__ import annotations

from collections.abc import Iterator

from eval.sql.periods import mismatches
from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject


def check(subject: Subject) -> Iterator[Fault]:
    """Tables of events without a filter by day, or with another range than asked."""
    for found in mismatches(subject):
        if found.kind != "calendar":
            yield Fault(found.message, found.node)


RULE = RuleSpec("period_filter", "reads other days than were asked for", Severity.ERROR, "meaning", check)
