"""Which days a statement reads, held against the days that were asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from sqlglot import exp

from eval.sql.closure import covered
from eval.sql.graph import Column, SchemaGraph
from eval.sql.joins import may_join
from eval.sql.links import join_nodes
from eval.sql.model import Block, Query, Ref, core, walk
from eval.sql.names import origin, origins, plain
from eval.sql.records import Period
from eval.sql.subject import Subject
from eval.sql.windows import Bounds, first_of, narrow, settle

_COMPARES = (exp.EQ, exp.NullSafeEQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Like)
_ROLES = {
    "period",
    "week",
    "calendar_year",
    "calendar_quarter",
    "calendar_month",
    "fiscal_year",
    "fiscal_quarter",
}
_DAY_TYPES = ("date", "timestamp")
_CLAUSES = ("expressions", "where", "having", "order", "qualify")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One table that is read for other days than asked."""

    kind: Literal["missing", "other", "calendar"]
    """No filter by day; another range; the calendar year or quarter instead of the business's."""
    message: str
    node: exp.Expr | None = None


def mismatches(subject: Subject) -> Iterator[Mismatch]:
    """Where the days read are not the days asked for; nothing when the question has no period."""
    asked, query, graph = subject.ask.period, subject.resolved, subject.graph
    if asked is None or not any(atom.table for atom in query.atoms.values()):
        return
    touched = _touched(query, graph)
    reached = covered(query, frozenset(touched), lambda start, end: _passes(query, graph, start, end))
    events = {atom for atom in query.atoms if _is_event(query, graph, atom)} - _bounds_only(query)
    for atom in sorted(events - reached):
        yield Mismatch("missing", f"{query.atoms[atom].table} is read without a filter by day")
    if not reached:
        if not events:
            yield Mismatch("missing", "nothing is filtered by day")
        return
    if isinstance(asked, Period):
        for atom, node in touched.items():
            yield from _compare(subject, asked, atom, node)


def _compare(subject: Subject, asked: Period, atom: int, node: exp.Expr) -> Iterator[Mismatch]:
    days = _days(subject.resolved, subject.graph, atom)
    if days is None:
        if asked.fiscal and _cuts_by_year(subject):
            yield Mismatch("calendar", "the year is the calendar's, the business year was asked for", node)
        return
    start, end = days
    today = subject.ask.today
    runs_on = (
        today is not None and asked.end > today and (end is None or end > today)
    )  # there is no later data
    if start == asked.start and (end == asked.end or runs_on):
        return
    table = subject.resolved.atoms[atom].table
    shown = f"{table} is read for {start or '…'}..{end or '…'}, asked were {asked.start}..{asked.end}"
    yield Mismatch("calendar" if _by_calendar(asked, start, end, subject.graph) else "other", shown, node)


def _by_calendar(asked: Period, start: date | None, end: date | None, graph: SchemaGraph) -> bool:
    """Whether the range is what was asked for, counted from January instead of the business year's first month."""
    if not asked.fiscal or asked.start.day != 1 or asked.end.day != 1:
        return False
    back = 1 - graph.fiscal_year_start_month
    shifts = (back, back + 12)
    return (start, end) in [(first_of(asked.start, by), first_of(asked.end, by)) for by in shifts]


def _touched(query: Query, graph: SchemaGraph) -> dict[int, exp.Expr]:
    """Row sources with a comparison on one of their period columns, with the first of these."""
    found: dict[int, exp.Expr] = {}
    for block in query.blocks:
        for node in [*block.own(*_CLAUSES), *join_nodes(block)]:
            if isinstance(node, _COMPARES) or (isinstance(node, exp.Case) and node.this is not None):
                for ref in _period_refs(query, graph, node, block):
                    found.setdefault(ref.atom, node)
    return found


def _period_refs(query: Query, graph: SchemaGraph, node: exp.Expr, block: Block) -> frozenset[Ref]:
    refs = origins(query, node, block)
    if isinstance(node, exp.EQ) and len({ref.atom for ref in refs}) > 1:
        return frozenset()  # a join of days, not a filter
    return frozenset(ref for ref in refs if _tells_days(query, graph, ref))


def _tells_days(query: Query, graph: SchemaGraph, ref: Ref) -> bool:
    """Whether a column says when something was; in a table without a period column any date does."""
    column = _column(query, graph, ref)
    table = query.atoms[ref.atom].table if column is not None else None
    if column is None or table is None:
        return False
    return column.role in _ROLES or (
        column.type in _DAY_TYPES and not graph.tables[table].with_role("period")
    )


def _role(query: Query, graph: SchemaGraph, ref: Ref) -> str | None:
    column = _column(query, graph, ref)
    return column.role if column is not None else None


def _column(query: Query, graph: SchemaGraph, ref: Ref) -> Column | None:
    table = query.atoms[ref.atom].table if ref.atom in query.atoms else None
    return graph.tables[table].columns.get(ref.column) if table else None


def _is_event(query: Query, graph: SchemaGraph, atom: int) -> bool:
    """Whether a row source is a table of things that happened on a day; the calendar itself is none."""
    name = query.atoms[atom].table
    table = graph.tables[name] if name else None
    return (
        table is not None
        and bool(table.with_role("period"))
        and not table.with_role("calendar_year", "fiscal_year")
    )


def _bounds_only(query: Query) -> set[int]:
    """Row sources of queries that only look for the first or last of something, such as the latest day."""
    found: set[int] = set()
    for block in query.blocks:
        nodes = (
            [core(each.unalias()) for each in block.node.expressions]
            if isinstance(block.node, exp.Select)
            else []
        )
        if nodes and block.outer is not None and all(isinstance(node, exp.Max | exp.Min) for node in nodes):
            found |= set(block.atoms)
    return found


def _passes(query: Query, graph: SchemaGraph, start: Ref, end: Ref) -> bool:
    """Days carry over an equality of days, or of the key of a thing that happened on a day (a bill and its lines)."""
    if not may_join(query, graph, start, end):
        return False
    if all(_role(query, graph, ref) == "period" for ref in (start, end)):
        return True
    table = query.atoms[end.atom].table
    owner = graph.domain(table, end.column).partition(".")[0] if table else ""
    return owner in graph.tables and bool(graph.tables[owner].with_role("period"))


def _days(query: Query, graph: SchemaGraph, atom: int) -> tuple[date | None, date | None] | None:
    """The days of `atom` that its conditions let through; None when that cannot be told."""
    bounds = Bounds()
    seen = False
    for block in query.blocks:
        for condition in block.conditions:
            refs = [ref for ref in _period_refs(query, graph, condition.node, block) if ref.atom == atom]
            column = _column(query, graph, refs[0]) if refs else None
            if column is None or isinstance(core(condition.node), exp.Is | exp.Not):
                continue
            seen = True
            bounds.readable &= len(refs) == 1 and _direct(query, condition.node, block)
            narrow(bounds, core(condition.node), column, graph)
    return settle(bounds, graph) if seen else None


def _direct(query: Query, node: exp.Expr, block: Block) -> bool:
    """Whether the columns compared are the table's own and not computed by another query."""
    columns = [each for each in walk(node) if isinstance(each, exp.Column)]
    found = [plain(column, block) for column in columns]
    tables = [query.atoms[origin(query, ref).atom].table for ref in found if ref is not None]
    return len(tables) == len(columns) and all(tables)


def _cuts_by_year(subject: Subject) -> bool:
    """Whether years are cut out of dates and months are not, so that nothing can begin a year in another month."""
    cut = {part for statement in subject.statements for node in statement.walk() for part in _parts_of(node)}
    return "year" in cut and "month" not in cut


def _parts_of(node: exp.Expr) -> set[str]:
    if isinstance(node, exp.Year | exp.Month):
        return {node.key}
    if isinstance(node, exp.Extract):
        return {node.name.lower()}
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc):
        return {node.text("unit").lower()}
    if isinstance(node, exp.TimeToStr):
        return {name for sign, name in (("%Y", "year"), ("%m", "month")) if sign in node.text("format")}
    return {"month"} if isinstance(node, exp.DateAdd | exp.DateSub | exp.Interval) else set()
