"""The audit's view of a knowledge graph whose tables are called `database.table`, such as that of the retail target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from eval.sql.graph import Column, JoinEdge, Kind, Role, SchemaGraph, Table

_KINDS: dict[str, Kind] = {
    "int": "integer",
    "real": "decimal",
    "text": "text",
    "date": "date",
    "time": "timestamp",
}
_ROLES: dict[str, Role] = {
    "tenant_id": "tenant",
    "calendar_month": "period",
    "week_start": "week",
    "calendar_year": "calendar_year",
    "calendar_quarter": "calendar_quarter",
    "fiscal_year": "fiscal_year",
    "fiscal_quarter": "fiscal_quarter",
}


class GraphColumn(Protocol):
    """A column of the knowledge graph."""

    @property
    def type(self) -> str:
        """int, real, text, date or time."""
        ...

    @property
    def optional(self) -> bool:
        """Whether it may be NULL."""
        ...


class GraphTable(Protocol):
    """A table of the knowledge graph."""

    @property
    def key(self) -> tuple[str, ...]:
        """Columns of the primary key."""
        ...

    @property
    def date(self) -> str | None:
        """Column that says when something happened."""
        ...

    @property
    def columns(self) -> Mapping[str, GraphColumn]:
        """Columns by name."""
        ...


class GraphEdge(Protocol):
    """Two tables that may be joined, each row of `left` to at most one of `right`."""

    @property
    def left(self) -> str:
        """`database.table`."""
        ...

    @property
    def right(self) -> str:
        """`database.table`."""
        ...

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Columns that are set equal."""
        ...


def schema_graph(
    tables: Mapping[str, GraphTable], edges: Sequence[GraphEdge], *, zone: str, fiscal_year_start_month: int
) -> SchemaGraph:
    """The schema graph of a knowledge graph; `zone` is the business's, SQLite's clock being UTC.

    Raises:
        ValueError: two databases have a table of the same name, so that a bare name says nothing.
    """
    found: dict[str, Table] = {}
    for name, table in tables.items():
        schema, _, short = name.rpartition(".")
        if short in found:
            raise ValueError(f"table {short!r} is there in two databases")
        columns = {column: _column(column, each, table) for column, each in table.columns.items()}
        found[short] = Table(columns, (table.key,), schema)
    joins = tuple(
        _join(edge, pair, tables[edge.right].key == (pair[1],) and len(edge.pairs) == 1)
        for edge in edges
        for pair in edge.pairs
    )
    return SchemaGraph(
        found,
        joins,
        name="knowledge graph",
        business_zone=zone,
        fiscal_year_start_month=fiscal_year_start_month,
        pseudo_columns=frozenset({"rowid"}),
    )


def _column(name: str, column: GraphColumn, table: GraphTable) -> Column:
    is_calendar_day = table.key == (name,) and column.type == "date"
    role: Role | None = "period" if name == table.date or is_calendar_day else _ROLES.get(name)
    return Column(_KINDS[column.type], column.optional, role)


def _join(edge: GraphEdge, pair: tuple[str, str], by_key: bool) -> JoinEdge:
    """One pair of columns; only the whole key of the right side makes it the one side of the join."""
    many, one = (
        f"{name.rpartition('.')[2]}.{column}"
        for name, column in zip((edge.left, edge.right), pair, strict=True)
    )
    return JoinEdge(many, one, "many_to_one" if by_key else "many_to_many")
