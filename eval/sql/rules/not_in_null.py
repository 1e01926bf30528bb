"""`NOT IN` over values that may be NULL: one NULL among them and no row is left."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from eval.sql.joins import column_of
from eval.sql.model import Block, Ref, core
from eval.sql.names import first_column, plain
from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject


def check(subject: Subject) -> Iterator[Fault]:
    """Negated IN with a NULL in the list, or a nested query over a nullable column that keeps the NULLs."""
    query = subject.resolved
    for block in query.blocks:
        for node in block.own("where", "having", "qualify", "expressions"):
            if not isinstance(node, exp.In) or not isinstance(node.parent, exp.Not):
                continue
            if any(isinstance(each, exp.Null) for each in node.expressions):
                yield Fault("NOT IN with a NULL in its list is never true", node)
            inner = block.subqueries.get(id(node.args.get("query")))
            ref = first_column(inner) if inner is not None else None
            column = column_of(query, subject.graph, ref) if ref is not None else None
            if column is not None and column.nullable and inner is not None and not _excluded(inner, ref):
                yield Fault("NOT IN over a column that may be NULL: one NULL leaves no row", node)


def _excluded(block: Block, ref: Ref | None) -> bool:
    """Whether a condition of the nested query leaves the NULLs out: any comparison, or IS NOT NULL."""
    for condition in block.conditions:
        node = core(condition.node)
        if isinstance(node, exp.Not) and isinstance(node.this, exp.Is):
            tested = node.this.this
        elif isinstance(node, exp.Is):
            tested = node.this if node.args.get("negate") else None
        else:
            tested = node.this if isinstance(node, exp.Predicate) else None
        if isinstance(tested, exp.Expr) and plain(tested, block) == ref:
            return True
    return False


RULE = RuleSpec("not_in_null", "NOT IN over values that may be NULL", Severity.WARNING, "meaning", check)
