"""What the audit knows of a database: tables, columns, unique keys and the joins that make sense.

A graph file is JSON: `tables` by name with `schema`, `keys` (each a list of columns that is unique together) and
`columns` (`type`, optionally `nullable` and `role`), and `joins` with `many`, `one` (as `table.column`) and
`cardinality`. Roles say what a column means to the rules: `tenant`, `period`, `calendar_year`, `fiscal_quarter`, …
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from eval.errors import DatasetError

Kind = Literal["integer", "decimal", "text", "date", "timestamp", "boolean"]
Role = Literal[
    "tenant",
    "week",
    "period",
    "calendar_year",
    "calendar_quarter",
    "calendar_month",
    "fiscal_year",
    "fiscal_quarter",
]
Cardinality = Literal["many_to_one", "one_to_one", "many_to_many"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    type: Kind
    nullable: bool = False
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One physical table. Names are lower case."""

    columns: dict[str, Column]
    keys: tuple[tuple[str, ...], ...] = ()
    schema: str = ""

    def with_role(self, *roles: Role) -> tuple[str, ...]:
        """Columns that have one of `roles`."""
        return tuple(name for name, column in self.columns.items() if column.role in roles)


@dataclass(frozen=True, slots=True)
class JoinEdge:
    """Two columns that may be set equal, each as `table.column`."""

    many: str
    one: str
    cardinality: Cardinality = "many_to_one"


@dataclass(frozen=True)
class SchemaGraph:
    """Tables by name, and the joins between them."""

    tables: dict[str, Table]
    joins: tuple[JoinEdge, ...]
    name: str = ""
    business_zone: str = "UTC"
    session_zone: str = "UTC"
    fiscal_year_start_month: int = 1
    fiscal_year_named_by: Literal["start", "end"] = "end"
    pseudo_columns: frozenset[str] = field(default_factory=frozenset)
    """Columns that every table has without declaring them, such as `rowid`."""

    def find(self, name: str, schema: str = "") -> Table | None:
        """The table called `name`; None if there is none, or only one in another schema than `schema`."""
        table = self.tables.get(name.lower())
        if table is None or (schema and table.schema and schema.lower() != table.schema.lower()):
            return None
        return table

    def keys(self, name: str) -> tuple[frozenset[str], ...]:
        """Sets of columns that are unique together in table `name`, from its keys and the joins' one side."""
        declared = [frozenset(key) for key in self.tables[name].keys]
        ones = [edge.one for edge in self.joins if edge.cardinality != "many_to_many"]
        both = ones + [edge.many for edge in self.joins if edge.cardinality == "one_to_one"]
        implied = [
            frozenset({column}) for table, _, column in (end.partition(".") for end in both) if table == name
        ]
        return tuple(dict.fromkeys(declared + implied))

    def domain(self, table: str, column: str) -> str:
        """Name of the set of values that `table.column` draws from; equal names may be joined."""
        end = f"{table}.{column}"
        return self._domains.get(end, end)

    @cached_property
    def _domains(self) -> dict[str, str]:
        parent: dict[str, str] = {}

        def root(end: str) -> str:
            while parent.setdefault(end, end) != end:
                end = parent[end]
            return end

        for edge in self.joins:
            parent[root(edge.many)] = root(edge.one)
        return {end: root(end) for end in parent}


def load_graph(path: Path) -> SchemaGraph:
    """Read a graph file.

    Raises:
        DatasetError: naming the file and the first thing wrong with it.
    """
    try:
        graph = TypeAdapter(SchemaGraph).validate_json(path.read_bytes())
    except OSError as exc:
        raise DatasetError(f"{path}: cannot be read ({exc.strerror})") from exc
    except ValidationError as exc:
        first = exc.errors()[0]
        raise DatasetError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from exc
    for end in (end for edge in graph.joins for end in (edge.many, edge.one)):
        table, _, column = end.partition(".")
        if table not in graph.tables or column not in graph.tables[table].columns:
            raise DatasetError(f"{path}: a join names {end!r}, which is no column")
    return graph
