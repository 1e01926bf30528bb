"""Sources that nothing ties together. Being of the same tenant is no tie."""

from __future__ import annotations

from collections.abc import Iterator

from eval.sql.joins import strays
from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject


def check(subject: Subject) -> Iterator[Fault]:
    """Blocks in which every row of one source meets every row of another."""
    for block in subject.resolved.blocks:
        for source in strays(subject.resolved, subject.graph, block):
            yield Fault(f"{source.alias!r} is not joined to the rest: every row meets every row", block.node)


RULE = RuleSpec("cartesian_join", "multiplies sources that nothing joins", Severity.ERROR, "meaning", check)
