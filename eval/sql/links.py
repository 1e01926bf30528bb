"""The conditions of a block, and the comparisons between columns among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from eval.sql.model import Block, Condition, Link, Ref, Side, conjuncts, walk
from eval.sql.names import first_column, refs, side

_COMPARES = (exp.EQ, exp.NullSafeEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NEQ)
_OUTER = {"LEFT", "RIGHT", "FULL"}


def joins_of(node: exp.Expr) -> list[exp.Join]:
    """The joins of a SELECT in order, those inside brackets included."""
    found: list[exp.Join] = []
    first = node.args.get("from_")
    items = [first.this] if first is not None else []
    for join in node.args.get("joins") or []:
        items.append(join.this)
        found += [*_nested(join.this), join]
    return [*(_nested(items[0]) if items else []), *found]


def join_nodes(block: Block) -> list[exp.Expr]:
    """All nodes of the ON conditions; nested queries are yielded, not entered."""
    return [node for join in joins_of(block.node) if join.args.get("on") for node in walk(join.args["on"])]


def conditions_of(block: Block) -> list[Condition]:
    """What the rows of `block` meet: WHERE, QUALIFY, HAVING, ON, USING and NATURAL."""
    where = [term for name in ("where", "having", "qualify") for term in _terms(block, name)]
    found = [Condition(term, block) for term in where]
    rejecting = {ref.atom for term in where if _rejects_null(term) for ref in refs(term, block)}
    for join, before, here in _placed(block):
        inward = _inward(join, before, here)
        if inward is not None and rejecting & inward:
            inward = None  # WHERE drops the rows that the outer join filled up
        terms = conjuncts(join.args.get("on"))
        terms += [_using(block, column, here) for column in join.args.get("using") or []]
        found += [Condition(term, block, inward) for term in terms]
    if block.outer is not None and not block.exists:
        return [_of_nested(each) for each in found]
    return found


def links_of(block: Block) -> list[Link]:
    """The comparisons among the conditions of `block`."""
    found: list[Link] = []
    for condition in block.conditions:
        node = condition.node
        if isinstance(node, _COMPARES):
            left, right = side(node.this, block), side(node.expression, block)
            equal = isinstance(node, exp.EQ | exp.NullSafeEQ)
            found.append(Link(condition, left, right, equal))
            for value, other in ((node.this, right), (node.expression, left)) if equal else ():
                found += _drawn_from(condition, other, block.subqueries.get(id(value)))
        elif isinstance(node, exp.Between):
            both = refs(node.args["low"], block) | refs(node.args["high"], block)
            found.append(Link(condition, side(node.this, block), Side(both), equal=False))
        elif isinstance(node, exp.In):
            found += _semi(condition, node, block)
        else:
            found.append(Link(condition, Side(refs(node, block)), Side(frozenset()), equal=False))
    return found


def _terms(block: Block, name: str) -> list[exp.Expr]:
    clause = block.node.args.get(name)
    return conjuncts(clause.this) if isinstance(clause, exp.Expr) else []


def _nested(item: exp.Expr) -> list[exp.Join]:
    inner = item.this if isinstance(item, exp.Subquery) and isinstance(item.this, exp.Table) else item
    if not isinstance(inner, exp.Table):
        return []
    return [each for join in inner.args.get("joins") or [] for each in [*_nested(join.this), join]]


def _placed(block: Block) -> Iterator[tuple[exp.Join, frozenset[int], frozenset[int]]]:
    """Each join with the row sources before it and its own."""
    if not isinstance(block.node, exp.Select):
        return
    sources = list(block.sources.values())
    joins = joins_of(block.node)
    first = len(sources) - len(joins) - len(block.node.args.get("laterals") or [])
    for place, join in enumerate(joins, first):
        if 0 < place < len(sources):
            before = frozenset(atom for source in sources[:place] for atom in source.atoms)
            yield join, before, frozenset(sources[place].atoms)


def _inward(join: exp.Join, before: frozenset[int], here: frozenset[int]) -> frozenset[int] | None:
    if join.side not in _OUTER:
        return None
    return {"LEFT": here, "RIGHT": before, "FULL": frozenset[int]()}[join.side]


def _rejects_null(term: exp.Expr) -> bool:
    return isinstance(term, (*_COMPARES, exp.Between, exp.In, exp.Like)) and not term.find(exp.Coalesce)


def _using(block: Block, column: exp.Expr, here: frozenset[int]) -> exp.Expr:
    name = column.name.lower()
    holders = [source for source in block.sources.values() if name in source.columns]
    mine = [source.alias for source in holders if set(source.atoms) <= here]
    others = [source.alias for source in holders if source.alias not in mine]
    if not mine or not others:
        return exp.true()
    return exp.EQ(this=exp.column(name, others[0]), expression=exp.column(name, mine[0]))


def _of_nested(condition: Condition) -> Condition:
    """A nested query's conditions filter its own rows, not those of the query around it."""
    own = frozenset(condition.block.atoms)
    return replace(condition, inward=own if condition.inward is None else condition.inward & own)


def _semi(condition: Condition, node: exp.In, block: Block) -> list[Link]:
    left = side(node.this, block)
    inner = block.subqueries.get(id(node.args.get("query")))
    if inner is None:
        given = frozenset[Ref]().union(*(refs(each, block) for each in node.expressions))
        one = len(node.expressions) == 1
        return [Link(condition, left, side(node.expressions[0], block) if one else Side(given), equal=one)]
    return _drawn_from(condition, left, inner)


def _drawn_from(condition: Condition, value: Side, inner: Block | None) -> list[Link]:
    """`value` is one of the values of the first column of a nested query."""
    ref = first_column(inner) if inner is not None else None
    if ref is None:
        return []
    return [Link(condition, value, Side(frozenset({ref}), ref), equal=True, semi=True)]
