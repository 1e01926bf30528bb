"""How the sources of one block are tied together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from sqlglot import exp

from eval.sql.graph import Column, SchemaGraph
from eval.sql.model import Block, Link, Query, Ref, Source
from eval.sql.names import origin

_DAYS = ("date", "timestamp")


@dataclass(frozen=True, slots=True)
class Tie:
    """An equality between columns of two sources of one block."""

    first: str
    second: str
    known: bool
    """Whether the graph has these two columns joined, directly or over a shared key."""
    link: Link


def column_of(query: Query, graph: SchemaGraph, ref: Ref) -> Column | None:
    """What the graph says of the column behind `ref`."""
    found = origin(query, ref)
    table = query.atoms[found.atom].table if found.atom in query.atoms else None
    return graph.tables[table].columns.get(found.column) if table else None


def ties(query: Query, graph: SchemaGraph, block: Block) -> Iterator[Tie]:
    """The equalities between known columns of two sources, those of the tenant left out."""
    for link in query.links:
        if link.condition.block is not block or not link.equal or link.semi:
            continue
        if link.left.plain is None or link.right.plain is None:
            continue
        ends = [_source_of(block, ref.atom) for ref in (link.left.plain, link.right.plain)]
        columns = [column_of(query, graph, ref) for ref in (link.left.plain, link.right.plain)]
        if None in ends or ends[0] is ends[1] or any(column is None for column in columns):
            continue
        if all(column is not None and column.role == "tenant" for column in columns):
            continue
        known = may_join(query, graph, link.left.plain, link.right.plain)
        yield Tie(ends[0].alias if ends[0] else "", ends[1].alias if ends[1] else "", known, link)


def may_join(query: Query, graph: SchemaGraph, left: Ref, right: Ref) -> bool:
    """Whether two columns hold the same kind of value: one key, the same column, or days."""
    names = []
    for ref in (origin(query, left), origin(query, right)):
        table = query.atoms[ref.atom].table if ref.atom in query.atoms else None
        if table is None:
            return True
        names.append((table, ref.column))
    if graph.domain(*names[0]) == graph.domain(*names[1]) or names[0] == names[1]:
        return True
    types = [graph.tables[table].columns[column].type for table, column in names]
    return all(each in _DAYS for each in types)


def strays(query: Query, graph: SchemaGraph, block: Block) -> list[Source]:
    """Sources that nothing ties to the first one, so that every row of theirs meets every row of the others."""
    sources = [source for source in block.sources.values() if not _harmless(query, source)]
    if len(sources) < 2 or any(source.open for source in block.sources.values()):
        return []
    group = {source.alias: index for index, source in enumerate(block.sources.values())}
    for first, second in _tied(query, graph, block):
        old, new = group[second], group[first]
        group = {alias: new if index == old else index for alias, index in group.items()}
    return [source for source in sources[1:] if group[source.alias] != group[sources[0].alias]]


def _harmless(query: Query, source: Source) -> bool:
    atoms = [query.atoms[atom] for atom in source.atoms]
    single = len(atoms) == 1 and frozenset() in atoms[0].keys
    return source.attached or source.open or single or any(not atom.trusted for atom in atoms)


def _tied(query: Query, graph: SchemaGraph, block: Block) -> Iterator[tuple[str, str]]:
    fixed: dict[str, list[str]] = {}
    for link in query.links:
        if link.condition.block is not block or link.semi:
            continue
        columns = [
            column_of(query, graph, ref) for ref in (link.left.plain, link.right.plain) if ref is not None
        ]
        if len(columns) == 2 and all(column is not None and column.role == "tenant" for column in columns):
            continue
        ends = {source.alias for atom in link.atoms if (source := _source_of(block, atom)) is not None}
        yield from combinations(sorted(ends), 2)
        key = _fixed_key(query, graph, link)
        if key and ends:
            fixed.setdefault(key, []).extend(ends)
    for aliases in fixed.values():
        yield from combinations(aliases, 2)


def _fixed_key(query: Query, graph: SchemaGraph, link: Link) -> str:
    """A name for "this key has this value", the same for two sources that are filtered to one and the same key."""
    ref = link.left.plain
    if ref is None or not link.equal or link.right.refs or not isinstance(link.condition.node, exp.Binary):
        return ""
    found = origin(query, ref)
    table = query.atoms[found.atom].table
    domain = graph.domain(table, found.column) if table else ""
    return (
        f"{domain}={link.condition.node.expression.sql()}"
        if domain and domain != f"{table}.{found.column}"
        else ""
    )


def _source_of(block: Block, atom: int) -> Source | None:
    return next((source for source in block.sources.values() if atom in source.atoms), None)
