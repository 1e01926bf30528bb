"""Which columns of a query's result are unique together."""

from __future__ import annotations

from sqlglot import exp

from eval.sql.closure import determined
from eval.sql.model import Atom, Block, Determined, Output, Query, Ref
from eval.sql.names import refs, resolve


def keys_of(atom: Atom, query: Query) -> tuple[tuple[frozenset[str], ...], bool]:
    """Unique column sets of the query behind `atom`, and whether nothing else can be said of its rows."""
    body = atom.body
    if body is None:
        return atom.keys, atom.trusted
    node = body.node
    names = list(atom.outputs)
    if isinstance(node, exp.SetOperation):
        return ((frozenset(names),), True) if node.args.get("distinct") else ((), False)
    if not isinstance(node, exp.Select):
        return (), False
    limit = node.args.get("limit")
    if limit is not None and limit.args.get("expression") is not None and limit.expression.name == "1":
        return (frozenset(),), True
    if node.args.get("group"):
        return _of_groups(atom, body, query)
    if body.aggregates:
        return (frozenset(),), True
    if node.args.get("distinct"):
        return (_smallest(atom, body, query, names),), True
    return (), True


def numbered_rows(block: Block) -> list[Determined]:
    """Partitions of which one row is kept: `ROW_NUMBER() OVER (PARTITION BY …) = 1`, here or in the reader."""
    found: list[Determined] = []
    for condition in block.conditions:
        if not isinstance(condition.node, exp.EQ):
            continue
        window, home = _window(condition.node.this, block)
        if window is not None and home is not None and isinstance(condition.node.expression, exp.Literal):
            by = frozenset[Ref]().union(*(refs(each, home) for each in window.args.get("partition_by") or []))
            found.append(Determined(by, frozenset(home.atoms)))
    return found


def group_nodes(block: Block) -> list[exp.Expr] | None:
    """The expressions that a block groups by, ordinals and aliases looked up; None for what is not modelled."""
    group = block.node.args.get("group")
    if group is None:
        return []
    if any(group.args.get(name) for name in ("rollup", "cube", "grouping_sets", "totals")):
        return None
    outputs = list(block.outputs.values())
    if group.args.get("all"):
        return [each.node for each in outputs if each.node is not None and not each.node.find(exp.AggFunc)]
    found: list[exp.Expr] = []
    for each in group.expressions:
        named = (
            block.outputs.get(each.name.lower()) if isinstance(each, exp.Column) and not each.table else None
        )
        if isinstance(each, exp.Literal) and each.is_int and int(each.name) <= len(outputs):
            named = outputs[int(each.name) - 1]
        chosen = (
            named.node
            if named is not None and named.node is not None and not _is_source(each, block)
            else each
        )
        found += chosen.expressions if isinstance(chosen, exp.Tuple) else [chosen]
    return found


def _is_source(node: exp.Expr, block: Block) -> bool:
    return any(node.name.lower() in source.columns for source in block.sources.values())


def _of_groups(atom: Atom, body: Block, query: Query) -> tuple[tuple[frozenset[str], ...], bool]:
    groups = group_nodes(body)
    if groups is None:
        return (), False
    texts = {each.sql().lower() for each in groups}
    named = {name: output.node for name, output in atom.outputs.items() if output.node is not None}
    names = [name for name, node in named.items() if node.sql().lower() in texts]
    if {named[name].sql().lower() for name in names} != texts:
        return (), True  # a group that is not shown: the rest of the columns may repeat
    return (_smallest(atom, body, query, names),), True


def _smallest(atom: Atom, body: Block, query: Query, names: list[str]) -> frozenset[str]:
    """`names` without those that the others determine (a name that follows from an id)."""

    def values(chosen: list[str]) -> frozenset[Ref]:
        nodes = [atom.outputs[name] for name in chosen]
        return frozenset[Ref]().union(
            *(refs(n.node, n.block) for n in nodes if n.node is not None and n.block)
        )

    kept = list(names)
    for name in names:
        rest = [each for each in kept if each != name]
        known = determined(query, body, frozenset(), values(rest))
        if all(ref.atom in known or ref in values(rest) for ref in values([name])) and values([name]):
            kept = rest
    return frozenset(kept)


def _window(node: exp.Expr, block: Block) -> tuple[exp.Window | None, Block | None]:
    if isinstance(node, exp.Window) and isinstance(node.this, exp.RowNumber):
        return node, block
    if isinstance(node, exp.Column):
        output = resolve(node, block)
        if (
            isinstance(output, Output)
            and output.node is not None
            and output.node is not node
            and output.block
        ):
            return _window(output.node, output.block)
    return None, None
