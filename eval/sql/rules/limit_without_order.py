"""The first rows of an unordered result: any rows, and others tomorrow."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from eval.sql.model import Block
from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject


def check(subject: Subject) -> Iterator[Fault]:
    """LIMIT, TOP and FETCH where there may be more rows and nothing orders them."""
    for block in subject.resolved.blocks:
        limit = _limit(block.node)
        if (
            limit is None
            or _ordered(block.node)
            or _one_row(block)
            or isinstance(block.node.parent, exp.Exists)
        ):
            continue
        yield Fault("takes the first rows of a result that nothing orders", limit)


def _limit(node: exp.Expr) -> exp.Expr | None:
    above = node.parent
    inherited = above.args.get("limit") if isinstance(above, exp.Subquery) else None
    found = node.args.get("limit") or inherited
    return found if isinstance(found, exp.Expr) else None


def _ordered(node: exp.Expr) -> bool:
    above = node.parent
    order = node.args.get("order") or (above.args.get("order") if isinstance(above, exp.Subquery) else None)
    return order is not None and any(each.find(exp.Column, exp.Literal, exp.Func) for each in _keys(order))


def _keys(order: exp.Expr) -> list[exp.Expr]:
    return [each for each in order.expressions if not each.find(exp.Null) and not each.find(exp.Query)]


def _one_row(block: Block) -> bool:
    return not block.sources or (block.aggregates and not block.node.args.get("group"))


RULE = RuleSpec(
    "limit_without_order", "takes the first rows without an order", Severity.WARNING, "meaning", check
)
