"""A statement with its names resolved: blocks (one per SELECT), atoms (one per row source) and links (predicates).

A derived table or WITH query that neither groups nor limits is dissolved into its reader, so that a predicate or a
join in it counts as if it stood outside; one that groups stays an atom of its own, with its groups as key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

_TRANSPARENT = (
    exp.Cast,
    exp.TryCast,
    exp.TsOrDsToDate,
    exp.TsOrDsToTimestamp,
    exp.TsOrDsToDateStr,
    exp.Date,
    exp.Paren,
)
"""What leaves a value the same value for the purpose of a join or a filter by day."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A column of one row source."""

    atom: int
    column: str


@dataclass(frozen=True, slots=True)
class Output:
    """What a name stands for: a column of a row source, an expression of another block, or both."""

    ref: Ref | None = None
    node: exp.Expr | None = None
    block: Block | None = None


@dataclass(slots=True, eq=False)
class Atom:
    """One row source: a table in one place of FROM, or a query that cannot be dissolved."""

    id: int
    name: str
    table: str | None = None
    """Name in the graph; None for everything that is not a known table."""
    keys: tuple[frozenset[str], ...] = ()
    """Column sets that are unique together; the empty set says that there is one row."""
    trusted: bool = True
    """Whether `keys` is all there is to know; an untrusted source is never blamed for repeating rows."""
    body: Block | None = None
    outputs: dict[str, Output] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Source:
    """One item of FROM as its block sees it."""

    alias: str
    columns: dict[str, Output] = field(default_factory=dict)
    open: bool = False
    """Whether it may have columns that are not known here."""
    atoms: tuple[int, ...] = ()
    attached: bool = False
    """Whether it is computed from the rows beside it (LATERAL, UNNEST) and so cannot be a stray product."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition that all rows meet, or, with `inward`, only the rows of some sources (an outer join's)."""

    node: exp.Expr
    block: Block
    inward: frozenset[int] | None = None

    def restricts(self, atom: int) -> bool:
        """Whether rows of `atom` that fail the condition are left out."""
        return self.inward is None or atom in self.inward


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: the columns in it, and the one it is if it is just that."""

    refs: frozenset[Ref]
    plain: Ref | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A comparison between columns, or of a column with a constant."""

    condition: Condition
    left: Side
    right: Side
    equal: bool
    semi: bool = False
    """An IN (SELECT …): filters, but does not join."""

    @property
    def atoms(self) -> frozenset[int]:
        """Row sources that take part."""
        return frozenset(ref.atom for ref in self.left.refs | self.right.refs)


@dataclass(slots=True, eq=False)
class Block:
    """One SELECT, set operation or VALUES, in one place of use."""

    node: exp.Expr
    outer: Block | None = None
    exists: bool = False
    """Whether it stands in an EXISTS that has to hold."""
    sources: dict[str, Source] = field(default_factory=dict)
    using: set[str] = field(default_factory=set)
    outputs: dict[str, Output] = field(default_factory=dict)
    atoms: list[int] = field(default_factory=list)
    """Of the sources, dissolved ones included."""
    branches: list[Block] = field(default_factory=list)
    subqueries: dict[int, Block] = field(default_factory=dict)
    """By identity of the node."""
    conditions: list[Condition] = field(default_factory=list)

    def parts(self, *names: str) -> Iterator[exp.Expr]:
        """Top expressions of the clauses called `names` (arguments of the syntax node)."""
        for name in names:
            value = self.node.args.get(name)
            yield from value if isinstance(value, list) else [value] if isinstance(value, exp.Expr) else []

    def own(self, *names: str) -> Iterator[exp.Expr]:
        """All nodes of those clauses, without going into nested queries (each is yielded, not entered)."""
        for part in self.parts(*names):
            yield from walk(part)

    @property
    def aggregates(self) -> bool:
        """Whether the block makes groups, or one row of all its rows."""
        if self.node.args.get("group"):
            return True
        return any(
            isinstance(node, exp.AggFunc) and not node.find_ancestor(exp.Window)
            for node in self.own("expressions", "having")
        )


@dataclass(frozen=True, slots=True)
class Determined:
    """Rows numbered within a partition: partition and number together determine the sources."""

    by: frozenset[Ref]
    atoms: frozenset[int]


@dataclass(frozen=True, slots=True)
class Problem:
    """A name that stands for nothing."""

    kind: str
    message: str
    node: exp.Expr


@dataclass(slots=True, eq=False)
class Query:
    """A whole statement, resolved."""

    blocks: list[Block] = field(default_factory=list)
    atoms: dict[int, Atom] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    numbered: list[Determined] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    columns: set[tuple[str, str]] = field(default_factory=set)
    """Table and column of all physical columns that are read."""

    def inside(self, atoms: frozenset[int]) -> frozenset[int]:
        """`atoms` with all that they are computed from."""
        found: set[int] = set()
        left = list(atoms)
        while left:
            atom = left.pop()
            if atom in found or atom not in self.atoms:
                continue
            found.add(atom)
            body = self.atoms[atom].body
            if body is not None:
                left += body.atoms
                left += [each for branch in body.branches for each in branch.atoms]
        return frozenset(found)


def walk(part: exp.Expr) -> Iterator[exp.Expr]:
    """`part` and all below it; nested queries are yielded but not entered."""
    return part.walk(prune=lambda node: isinstance(node, exp.Query))


def core(node: exp.Expr) -> exp.Expr:
    """`node` without casts and brackets."""
    while isinstance(node, (*_TRANSPARENT, exp.Convert)) and isinstance(node.this, exp.Expr):
        if isinstance(node, exp.Convert):  # the type stands first
            node = node.expression
            continue
        if isinstance(node, exp.Date) and (node.args.get("zone") or node.expressions):
            break
        node = node.this
    return node


def cast_to(node: exp.Expr, *types: str) -> bool:
    """Whether `node` is a cast, in whichever spelling, to one of `types`."""
    target = node.this if isinstance(node, exp.Convert) else node.args.get("to")
    return isinstance(target, exp.DataType) and target.is_type(*types)


def conjuncts(node: exp.Expr | None) -> list[exp.Expr]:
    """What `node` demands all at once: the terms of its top-level AND."""
    if node is None:
        return []
    if isinstance(node, exp.Paren | exp.Where):
        return conjuncts(node.this)
    if isinstance(node, exp.And):
        return [term for part in node.flatten() for term in conjuncts(part)]
    return [node]
