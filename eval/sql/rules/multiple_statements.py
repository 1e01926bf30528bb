"""More than one statement in one text."""

from __future__ import annotations

from collections.abc import Iterator

from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject


def check(subject: Subject) -> Iterator[Fault]:
    """A second statement; comments and a closing semicolon are none."""
    if len(subject.statements) > 1:
        yield Fault(f"{len(subject.statements)} statements in one text")


RULE = RuleSpec("multiple_statements", "more than one statement", Severity.ERROR, "statement", check)
