"""Whole numbers divided: the database drops what is behind the point, so a share becomes 0."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from eval.sql.kinds import is_integer
from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject

_CLAUSES = ("expressions", "where", "having", "order", "qualify", "group")


def check(subject: Subject) -> Iterator[Fault]:
    """`/` between integers where the dialect divides integers as such, and T-SQL's AVG of an integer."""
    query, graph = subject.resolved, subject.graph
    for block in query.blocks:
        for node in block.own(*_CLAUSES):
            if isinstance(node, exp.Div) and node.args.get("typed"):
                if is_integer(node.this, block, query, graph) and is_integer(
                    node.expression, block, query, graph
                ):
                    yield Fault(f"{node.sql()} divides whole numbers and drops the rest", node)
            elif (
                isinstance(node, exp.Avg)
                and subject.dialect == "tsql"
                and is_integer(node.this, block, query, graph)
            ):
                yield Fault(f"{node.sql()} of whole numbers is a whole number here", node)


RULE = RuleSpec(
    "integer_division", "divides whole numbers and drops the rest", Severity.ERROR, "meaning", check
)
