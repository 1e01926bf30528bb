"""Two sources joined on columns that do not mean the same thing."""

from __future__ import annotations

from collections.abc import Iterator

from eval.sql.joins import ties
from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject


def check(subject: Subject) -> Iterator[Fault]:
    """Pairs of sources of which no equality is a join that the graph knows."""
    query = subject.resolved
    for block in query.blocks:
        found = list(ties(query, subject.graph, block))
        good = {frozenset((tie.first, tie.second)) for tie in found if tie.known}
        for tie in found:
            if frozenset((tie.first, tie.second)) not in good:
                node = tie.link.condition.node
                yield Fault(
                    f"{tie.first} and {tie.second} are joined on {node.sql()!r}, which is no known join", node
                )


RULE = RuleSpec(
    "unknown_join", "joins columns that the schema does not join", Severity.ERROR, "meaning", check
)
