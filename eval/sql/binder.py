"""Resolves the names of a statement: WITH queries, aliases, recursion, LATERAL, UNNEST and nested queries by scope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from eval.errors import EvalError
from eval.sql.graph import SchemaGraph
from eval.sql.keys import keys_of, numbered_rows
from eval.sql.links import conditions_of, join_nodes, links_of
from eval.sql.model import Atom, Block, Output, Problem, Query, Ref, Source, core
from eval.sql.names import resolve

_CLAUSES = ("expressions", "where", "group", "having", "order", "qualify", "windows", "distinct", "limit")
_MAX_ATOMS = 400
"""A chain of WITH queries that read each other twice doubles with each step; beyond this it is not followed."""


class TooComplexError(EvalError):
    """The statement reads more row sources than are followed."""


@dataclass(frozen=True, slots=True)
class _With:
    """A named query and the names that it may read itself."""

    node: exp.Expr
    columns: tuple[str, ...]
    scope: Mapping[str, _With]
    recursive: bool


def bind(statement: exp.Expr, graph: SchemaGraph, dialect: str) -> Query:
    """The statement with every name resolved; names that stand for nothing are its problems.

    Raises:
        TooComplexError: more row sources than are followed.
    """
    for node in statement.find_all(exp.In):
        _write_out(node)
    statement.meta["aliases_everywhere"] = dialect in ("snowflake", "sqlite")
    binder = _Binder(graph, dialect)
    binder.query_block(statement, {}, None)
    for block in binder.query.blocks:
        block.conditions += conditions_of(block)
    for block in binder.query.blocks:
        binder.query.links += links_of(block)
        binder.query.numbered += numbered_rows(block)
        binder.check_names(block)
    for atom in binder.query.atoms.values():
        if atom.body is not None:
            atom.keys, atom.trusted = keys_of(atom, binder.query)
    return binder.query


class _Binder:
    def __init__(self, graph: SchemaGraph, dialect: str) -> None:
        self.graph = graph
        self.dialect = dialect
        self.query = Query()
        self.open: list[exp.Expr] = []  # named queries being read, to stop at recursion

    def query_block(self, node: exp.Expr, scope: Mapping[str, _With], outer: Block | None) -> Block:
        while isinstance(node, exp.Subquery | exp.Paren) and isinstance(node.this, exp.Query | exp.Table):
            scope = self.names(node, scope)
            node = node.this
        scope = self.names(node, scope)
        block = Block(node, outer)
        if isinstance(node, exp.SetOperation):
            block.branches = [self.query_block(each, scope, outer) for each in _branches(node)]
            block.outputs = {
                name: Output(node=output.node, block=output.block or block.branches[0])
                for name, output in block.branches[0].outputs.items()
            }
        else:
            self.read_from(block, scope)
            block.outputs = self.outputs(block)
        self.query.blocks.append(block)
        for each in [*block.own(*_CLAUSES), *join_nodes(block)]:
            if isinstance(each, exp.Query) and id(each) not in block.subqueries:
                child = self.query_block(each, scope, block)
                child.exists = _holds_exists(each)
                block.subqueries[id(each)] = child
        return block

    def names(self, node: exp.Expr, scope: Mapping[str, _With]) -> Mapping[str, _With]:
        clause = node.args.get("with_")
        if clause is None:
            return scope
        known = dict(scope)
        for each in clause.expressions:
            columns = tuple(column.name.lower() for column in each.args["alias"].columns)
            recursive = bool(clause.args.get("recursive")) or self.dialect == "tsql"
            known[each.alias.lower()] = _With(each.this, columns, dict(known), recursive)
        return known

    def read_from(self, block: Block, scope: Mapping[str, _With]) -> None:
        first = block.node.args.get("from_")
        if first is not None:
            self.item(first.this, block, scope)
        for join in [*block.node.args.get("joins", []), *block.node.args.get("laterals", [])]:
            self.item(join.this if isinstance(join, exp.Join) else join, block, scope)
            if isinstance(join, exp.Join):
                block.using |= {column.name.lower() for column in join.args.get("using") or []}

    def item(self, node: exp.Expr, block: Block, scope: Mapping[str, _With]) -> None:
        nested = node.args.get("joins") or []
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            self.item(node.this, block, scope)  # brackets round joined tables
        else:
            source = self.source(node, block, scope)
            block.sources[source.alias] = source
            block.atoms += source.atoms
        for join in nested:
            self.item(join.this, block, scope)
            block.using |= {column.name.lower() for column in join.args.get("using") or []}

    def source(self, node: exp.Expr, block: Block, scope: Mapping[str, _With]) -> Source:
        alias = (node.alias_or_name or f"#{len(block.sources)}").lower()
        given = tuple(column.name.lower() for column in _alias_columns(node))
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            named = scope.get(node.name.lower()) if not node.db else None
            if named is None:
                return self.table(node, alias, given)
            if any(named.node is each for each in self.open):
                return self.unknown(
                    alias, given or named.columns, trusted=False, is_open=not (given or named.columns)
                )
            self.open.append(named.node)
            inner = named.scope if not named.recursive else {**named.scope, node.name.lower(): named}
            found = self.derived(named.node, alias, given or named.columns, inner, None, named.node)
            self.open.pop()
            return found
        if isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
            return self.derived(node.this, alias, given, scope, block, node.this)
        if isinstance(node, exp.Subquery):
            return self.derived(node.this, alias, given, self.names(node, scope), block.outer, node.this)
        if isinstance(node, exp.Values):
            return self.unknown(alias, given, trusted=False, is_open=not given)
        source = self.unknown(
            alias if node.alias else (given or (alias,))[0], given, trusted=True, is_open=not given
        )
        if len(given) == 1:  # a list that is joined on its value is taken to hold each value once
            self.query.atoms[source.atoms[0]].keys = (frozenset(given),)
        source.attached = True
        return source

    def table(self, node: exp.Table, alias: str, given: tuple[str, ...]) -> Source:
        name = node.name.lower()
        table = self.graph.find(name, node.db)
        if table is None:
            shown = f"{node.db}.{node.name}" if node.db else node.name
            self.query.problems.append(Problem("table", f"no table {shown!r}", node))
            return self.unknown(alias, given, trusted=False, is_open=True)
        atom = self.atom(alias, name, self.graph.keys(name))
        columns = {column: Output(Ref(atom.id, column)) for column in table.columns}
        for old, new in zip(table.columns, given, strict=False):
            columns[new] = columns.pop(old)
        return Source(alias, columns, atoms=(atom.id,))

    def derived(
        self,
        node: exp.Expr,
        alias: str,
        given: tuple[str, ...],
        scope: Mapping[str, _With],
        outer: Block | None,
        named: exp.Expr,
    ) -> Source:
        body = self.query_block(node, scope, outer)
        names = [*given, *list(body.outputs)[len(given) :]] if given else list(body.outputs)
        outputs = dict(zip(names, body.outputs.values(), strict=False))
        outputs = {name: Output(each.ref, each.node, each.block or body) for name, each in outputs.items()}
        is_open = any(source.open for source in body.sources.values()) and _has_star(body.node)
        if _dissolves(body) and not (outer is not None and isinstance(named.parent, exp.Lateral)):
            return Source(alias, outputs, is_open, tuple(body.atoms))
        atom = self.atom(alias, None, ())
        atom.body, atom.outputs = body, outputs
        columns = {name: Output(Ref(atom.id, name), each.node, each.block) for name, each in outputs.items()}
        return Source(alias, columns, is_open, (atom.id,), attached=isinstance(named.parent, exp.Lateral))

    def unknown(self, alias: str, columns: tuple[str, ...], *, trusted: bool, is_open: bool) -> Source:
        atom = self.atom(alias, None, (), trusted=trusted)
        return Source(alias, {name: Output(Ref(atom.id, name)) for name in columns}, is_open, (atom.id,))

    def atom(
        self, name: str, table: str | None, keys: tuple[frozenset[str], ...], *, trusted: bool = True
    ) -> Atom:
        if len(self.query.atoms) >= _MAX_ATOMS:
            raise TooComplexError(f"reads more than {_MAX_ATOMS} row sources")
        atom = Atom(len(self.query.atoms), name, table, keys, trusted)
        self.query.atoms[atom.id] = atom
        return atom

    def outputs(self, block: Block) -> dict[str, Output]:
        found: dict[str, Output] = {}
        for position, each in enumerate(block.node.expressions):
            inner = each.unalias()
            if isinstance(inner, exp.Star) or (
                isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star)
            ):
                only = inner.table.lower() if isinstance(inner, exp.Column) else ""
                for source in block.sources.values():
                    found |= source.columns if not only or source.alias == only else {}
            else:
                name = each.alias_or_name.lower() or f"#{position}"
                found[name] = Output(node=inner, block=block)
        return found

    def check_names(self, block: Block) -> None:
        seen = [node for node in [*block.own(*_CLAUSES), *join_nodes(block)] if isinstance(node, exp.Column)]
        for column in seen if not isinstance(block.node, exp.SetOperation) else []:
            output = resolve(column, block)
            if isinstance(output, Output):
                atom = self.query.atoms.get(output.ref.atom) if output.ref else None
                if atom is not None and atom.table is not None and output.ref is not None:
                    self.query.columns.add((atom.table, output.ref.column))
            elif output == "ambiguous" or (output == "missing" and not self.tolerated(column)):
                what = "no column" if output == "missing" else "more than one column"
                self.query.problems.append(Problem("column", f"{what} {column.sql()!r}", column))

    def tolerated(self, column: exp.Column) -> bool:
        if column.name.lower() in self.graph.pseudo_columns or isinstance(column.this, exp.Star):
            return True
        quoted = isinstance(column.this, exp.Identifier) and bool(column.this.args.get("quoted"))
        return quoted and self.dialect == "sqlite" and not column.table  # SQLite reads such a name as text


def _write_out(node: exp.In) -> None:
    """`x IN name`, SQLite's short form, as `x IN (SELECT * FROM name)`."""
    name = node.args.get("field")
    if isinstance(name, exp.Column):
        table = exp.Table(this=name.this, db=name.args.get("table"))
        node.set("field", None)
        node.set("query", exp.Subquery(this=exp.select("*").from_(table)))


def _branches(node: exp.Expr) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    left = [node]
    while left:
        each = left.pop()
        if isinstance(each, exp.SetOperation) and (each is node or not each.args.get("with_")):
            left += [each.expression, each.this]
        else:
            found.append(each)
    return found


def _alias_columns(node: exp.Expr) -> list[exp.Expr]:
    alias = node.args.get("alias")
    return alias.columns if isinstance(alias, exp.TableAlias) else []


def _has_star(node: exp.Expr) -> bool:
    return any(isinstance(core(each), exp.Star) or each.is_star for each in node.expressions)


def _dissolves(body: Block) -> bool:
    node = body.node
    if not isinstance(node, exp.Select) or node.args.get("distinct") or body.aggregates or not body.sources:
        return False
    limit = node.args.get("limit")
    return limit is None or limit.args.get("expression") is None or limit.expression.name != "1"


def _holds_exists(node: exp.Expr) -> bool:
    above = node.parent
    if not isinstance(above, exp.Exists):
        return False
    above = above.parent
    while isinstance(above, exp.And | exp.Paren):
        above = above.parent
    return isinstance(above, exp.Where)
