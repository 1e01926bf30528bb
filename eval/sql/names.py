"""What a column name stands for in its place."""

from __future__ import annotations

from typing import Literal

from sqlglot import exp

from eval.sql.model import Block, Output, Query, Ref, Side, core, walk

Miss = Literal["open", "missing", "ambiguous"]
_ALIASES_SEEN_IN = (exp.Order, exp.Group, exp.Having, exp.Qualify)


def resolve(column: exp.Column, block: Block) -> Output | Miss:
    """What `column` stands for, looking outwards from `block`; "open": in a source whose columns are not known."""
    here: Block | None = block
    while here is not None:
        found = _qualified(column, here) if column.table else _bare(column, here)
        if found != "missing":
            return found
        here = here.outer
    return "missing"


def output_refs(output: Output) -> frozenset[Ref]:
    """The columns of row sources that `output` is made of."""
    if output.ref is not None:
        return frozenset({output.ref})
    return (
        refs(output.node, output.block)
        if output.node is not None and output.block is not None
        else frozenset()
    )


def refs(node: exp.Expr, block: Block) -> frozenset[Ref]:
    """The columns of row sources in an expression of `block`, nested queries left out."""
    found: set[Ref] = set()
    for each in walk(node):
        if isinstance(each, exp.Column):
            output = resolve(each, block)
            if isinstance(output, Output) and output.node is not node:
                found |= output_refs(output)
    return frozenset(found)


def plain(node: exp.Expr, block: Block) -> Ref | None:
    """The column that an expression is, casts aside; None for anything computed."""
    inner = core(node)
    if not isinstance(inner, exp.Column):
        return None
    output = resolve(inner, block)
    if not isinstance(output, Output):
        return None
    if (
        output.ref is None
        and output.node is not None
        and output.block is not None
        and output.node is not node
    ):
        return plain(output.node, output.block)
    return output.ref


def first_column(block: Block) -> Ref | None:
    """The column that a query gives first; None for anything computed."""
    output = next(iter((block.branches[0] if block.branches else block).outputs.values()), None)
    if output is None or output.ref is not None:
        return output.ref if output is not None else None
    return plain(output.node, output.block) if output.node is not None and output.block is not None else None


def side(node: exp.Expr, block: Block) -> Side:
    """One side of a comparison."""
    return Side(refs(node, block), plain(node, block))


def origin(query: Query, ref: Ref) -> Ref:
    """The column of a table that `ref` passes on unchanged, through grouping and other queries; else `ref`."""
    while True:
        output = query.atoms[ref.atom].outputs.get(ref.column) if ref.atom in query.atoms else None
        if output is None or output.node is None or output.block is None:
            return ref
        inner = plain(output.node, output.block)
        if inner is None or inner == ref:
            return ref
        ref = inner


def origins(query: Query, node: exp.Expr, block: Block) -> frozenset[Ref]:
    """The columns of tables that an expression is made of."""
    found: set[Ref] = set()
    left = list(refs(node, block))
    seen: set[Ref] = set()
    while left:
        ref = left.pop()
        if ref in seen:
            continue
        seen.add(ref)
        output = query.atoms[ref.atom].outputs.get(ref.column) if ref.atom in query.atoms else None
        if output is None or output.node is None or output.block is None:
            found.add(ref)
        else:
            left += refs(output.node, output.block)
    return frozenset(found)


def _qualified(column: exp.Column, block: Block) -> Output | Miss:
    source = block.sources.get(column.table.lower())
    if source is None:
        return "missing"
    output = source.columns.get(column.name.lower())
    return output or ("open" if source.open or isinstance(column.this, exp.Star) else "missing")


def _bare(column: exp.Column, block: Block) -> Output | Miss:
    name = column.name.lower()
    found = [source.columns[name] for source in block.sources.values() if name in source.columns]
    if len(found) > 1 and name not in block.using and not _alias_first(column, block, name):
        return "ambiguous"
    if found:
        return found[0]
    if name in block.outputs and (column.find_ancestor(*_ALIASES_SEEN_IN) or _reads_aliases(column)):
        output = block.outputs[name]
        return output if not _within(column, output.node) else "open"
    if name in block.sources or any(source.open for source in block.sources.values()):
        return "open"
    return "missing"


def _alias_first(column: exp.Column, block: Block, name: str) -> bool:
    return name in block.outputs and column.find_ancestor(*_ALIASES_SEEN_IN) is not None


def _reads_aliases(column: exp.Column) -> bool:
    """Whether the dialect lets the rest of a SELECT read its aliases; marked on the tree by the binder."""
    return bool(column.root().meta.get("aliases_everywhere"))


def _within(column: exp.Column, node: exp.Expr | None) -> bool:
    above: exp.Expr | None = column
    while above is not None:
        if above is node:
            return True
        above = above.parent
    return False
