"""What follows from the links of a statement: which rows determine which, and how far a filter reaches."""

from __future__ import annotations

from collections.abc import Callable

from eval.sql.model import Block, Link, Query, Ref, Side
from eval.sql.names import origin


def determined(query: Query, block: Block, atoms: frozenset[int], refs: frozenset[Ref]) -> frozenset[int]:
    """Row sources of `block` of which there is at most one row for each row of `atoms` with the values `refs`.

    Fix-point over functional dependencies: a source is determined by any of its keys, a column by whatever it is
    set equal to. What is outside the block is fixed; a source whose keys are not all known is taken as determined.
    """
    here = set(block.atoms)
    known = {atom for atom in query.atoms if atom not in here or not query.atoms[atom].trusted} | atoms
    values = set(refs)
    links = [link for link in query.links if link.equal and not link.semi]
    grown = True
    while grown:
        before = len(known) + len(values)
        for link in links:
            _carry(link.left, link.right, known, values)
            _carry(link.right, link.left, known, values)
        for rows in query.numbered:
            if all(_fixed(ref, known, values) for ref in rows.by):
                known |= rows.atoms
        for atom in here - known:
            keys = query.atoms[atom].keys
            if any(all(Ref(atom, column) in values for column in key) for key in keys):
                known.add(atom)
        grown = len(known) + len(values) > before
    return frozenset(known & here)


def covered(query: Query, seeds: frozenset[int], passes: Callable[[Ref, Ref], bool]) -> frozenset[int]:
    """Row sources that a filter on `seeds` reaches over equalities that `passes` lets through.

    An outer join hands a filter only to the side that may stay empty; a nested query takes one and gives none.
    """
    found = set(seeds)
    pairs = [pair for link in query.links if link.equal for pair in _pairs(query, link)]
    grown = True
    while grown:
        grown = False
        for start, end, allowed in pairs:
            if start.atom in found and end.atom not in found and allowed and passes(start, end):
                found.add(end.atom)
                grown = True
    return frozenset(found)


def _pairs(query: Query, link: Link) -> list[tuple[Ref, Ref, bool]]:
    if link.left.plain is None or link.right.plain is None:
        return []
    left, right = origin(query, link.left.plain), origin(query, link.right.plain)
    if left.atom == right.atom:
        return []
    inward = link.condition.inward
    reach = None if inward is None else query.inside(inward)
    return [
        (left, right, reach is None or right.atom in reach),
        (right, left, reach is None or left.atom in reach),
    ]


def _carry(target: Side, source: Side, known: set[int], values: set[Ref]) -> None:
    if target.plain is not None and all(_fixed(ref, known, values) for ref in source.refs):
        values.add(target.plain)


def _fixed(ref: Ref, known: set[int], values: set[Ref]) -> bool:
    return ref.atom in known or ref in values
