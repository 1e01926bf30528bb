"""An aggregate over rows that a join has repeated: the sum of a bill once for each of its lines."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from eval.sql.closure import determined
from eval.sql.joins import strays
from eval.sql.keys import group_nodes
from eval.sql.model import Block, Query, Ref
from eval.sql.names import refs
from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject

_COUNTING = (
    exp.Sum,
    exp.Avg,
    exp.Count,
    exp.Stddev,
    exp.StddevPop,
    exp.StddevSamp,
    exp.Variance,
    exp.VariancePop,
)


def check(subject: Subject) -> Iterator[Fault]:
    """Aggregates whose argument's rows are not each there once (within the group)."""
    query = subject.resolved
    for block in query.blocks:
        if strays(query, subject.graph, block):
            continue  # a product with everything is told once
        for node in block.own("expressions", "having", "order", "qualify"):
            if isinstance(node, _COUNTING):
                yield from _repeated(query, block, node)


def _repeated(query: Query, block: Block, node: exp.Expr) -> Iterator[Fault]:
    measured = _measured(node, block)
    if not measured:
        return
    within = frozenset[Ref]().union(*(refs(each, block) for each in _grouping(node, block)))
    found = determined(query, block, frozenset(ref.atom for ref in measured), within)
    repeating = [query.atoms[atom].name for atom in block.atoms if atom not in found]
    if repeating:
        counted = ", ".join(sorted({query.atoms[ref.atom].name for ref in measured}))
        yield Fault(
            f"{node.sql()} counts rows of {counted} once for each row of {', '.join(repeating)}", node
        )


def _measured(node: exp.Expr, block: Block) -> frozenset[Ref]:
    """The columns whose values are added up or counted; none for `COUNT(*)` and for counting by a constant."""
    argument = node.this
    if not isinstance(argument, exp.Expr) or isinstance(argument, exp.Star | exp.Distinct):
        return frozenset()
    values = [argument]
    while any(isinstance(each, exp.Case | exp.If) for each in values):
        values = [inner for each in values for inner in _values(each)]
    if not any(refs(each, block) for each in values):
        return frozenset()
    return frozenset(ref for ref in refs(argument, block) if ref.atom in block.atoms)


def _values(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Case):
        found = [branch.args["true"] for branch in node.args["ifs"]] + [node.args.get("default")]
    elif isinstance(node, exp.If):
        found = [node.args.get("true"), node.args.get("false")]
    else:
        found = [node]
    return [each for each in found if each is not None]


def _grouping(node: exp.Expr, block: Block) -> list[exp.Expr]:
    window = node.parent
    while isinstance(window, exp.Filter | exp.IgnoreNulls):
        window = window.parent
    if isinstance(window, exp.Window):
        return list(window.args.get("partition_by") or [])
    return group_nodes(block) or []


RULE = RuleSpec("fan_out", "adds up rows that a join has repeated", Severity.ERROR, "meaning", check)
