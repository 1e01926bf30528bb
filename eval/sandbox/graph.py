"""The business knowledge graph of `data/retail`: tables, columns, join edges, entities, metrics, dimensions.

The one source of truth: the databases' DDL, the generator's columns and the assistant's SQL all come from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

import yaml

from eval.errors import DatasetError

FOLDER = Path(__file__).parents[2] / "data" / "retail"
DATABASES = ("sales", "inventory", "replenishment")
ColumnType = Literal["int", "real", "text", "date", "time"]
Cardinality = Literal["many-to-one", "one-to-one"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    type: ColumnType
    text: str
    unit: str | None = None
    ref: str | None = None
    """`database.table.column` that it points to."""
    optional: bool = False
    synonyms: tuple[str, ...] = ()
    hindi: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `name` is `database.table`."""

    name: str
    text: str
    kind: str
    """master, event, snapshot, summary, rule or lookup."""
    key: tuple[str, ...]
    columns: Mapping[str, Column]
    date: str | None = None
    """Column that says when an event happened."""
    rows: tuple[tuple[Any, ...], ...] = ()
    sql: str | None = None
    """How it is filled from other tables, `:as_of` being the last day."""


@dataclass(frozen=True, slots=True)
class Edge:
    """Two tables that may be joined: each row of `left` meets at most one of `right`."""

    left: str
    right: str
    pairs: tuple[tuple[str, str], ...]
    """Column of `left`, column of `right`."""
    cardinality: Cardinality


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing of the business."""

    name: str
    plural: str
    table: str
    label: str
    text: str
    synonyms: tuple[str, ...]
    hindi: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relationship:
    """How one entity stands to another, many to one; `join` is the column that holds the key."""

    source: str
    verb: str
    target: str
    join: str
    cardinality: Cardinality


@dataclass(frozen=True, slots=True)
class Metric:
    """Something that can be measured: a formula over one fact table, or a ratio of two such metrics."""

    name: str
    text: str
    unit: str
    table: str = ""
    formula: str = ""
    date: str | None = None
    where: str | None = None
    system: str | None = None
    ratio: tuple[str, str] | None = None
    scale: int = 1
    not_by: tuple[str, ...] = ()
    """Dimensions that make no sense for it."""
    weak: tuple[str, ...] = ()
    """Words that stand for it only where no other metric is named."""
    synonyms: tuple[str, ...] = ()
    hindi: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dimension:
    """Something that figures are broken down by and filtered on."""

    name: str
    plural: str
    table: str
    column: str
    filter: bool
    origin: str | None
    """Table from which alone the dimension is reached, where there is more than one way."""
    synonyms: tuple[str, ...]
    hindi: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """All of it."""

    tables: Mapping[str, Table]
    edges: tuple[Edge, ...]
    entities: Mapping[str, Entity]
    relationships: tuple[Relationship, ...]
    metrics: Mapping[str, Metric]
    dimensions: Mapping[str, Dimension]


def _read(folder: Path, name: str) -> Any:
    path = folder / f"{name}.yaml"
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506 - the safe loader, in C
    except (OSError, yaml.YAMLError) as exc:
        raise DatasetError(f"{path.name}: {exc}") from exc


def _words(row: Mapping[str, Any], field: str) -> tuple[str, ...]:
    return tuple(str(word) for word in row.get(field) or ())


def _table(name: str, row: Mapping[str, Any], dictionary: Mapping[str, Any]) -> Table:
    own = row.get("about") or {}
    optional = row.get("optional") or ()
    columns = {
        column: Column(
            column,
            cast(ColumnType, dictionary[column]["type"]),
            own.get(column) or dictionary[column]["text"],
            dictionary[column].get("unit"),
            None if dictionary[column].get("ref") == f"{name}.{column}" else dictionary[column].get("ref"),
            column in optional,
            _words(dictionary[column], "synonyms"),
            _words(dictionary[column], "hi"),
        )
        for column in row["columns"].split()
    }
    rows = tuple(
        tuple(str(v) if hasattr(v, "isoformat") else v for v in values) for values in row.get("rows", ())
    )
    key = tuple(row["key"].split())
    return Table(name, row["text"], row["kind"], key, columns, row.get("date"), rows, row.get("sql"))


def _key_edges(tables: Iterable[Table]) -> Iterable[Edge]:
    for table in tables:
        for column in table.columns.values():
            if column.ref:
                right, _, target = column.ref.rpartition(".")
                kind: Cardinality = "one-to-one" if table.key == (column.name,) else "many-to-one"
                yield Edge(table.name, right, ((column.name, target),), kind)


def _grain_edges(rows: Iterable[Mapping[str, str]]) -> Iterable[Edge]:
    for row in rows:
        pairs = tuple((column, column) for column in row["columns"].split())
        yield Edge(row["left"], row["right"], pairs, cast(Cardinality, row["cardinality"]))


def _metric(name: str, row: Mapping[str, Any]) -> Metric:
    over_under = cast("tuple[str, str] | None", tuple(row["ratio"]) if "ratio" in row else None)
    return Metric(
        name,
        row["text"],
        row["unit"],
        row.get("table", ""),
        row.get("formula", ""),
        row.get("date"),
        row.get("where"),
        row.get("system"),
        over_under,
        row.get("scale", 1),
        _words(row, "not_by"),
        _words(row, "weak"),
        _words(row, "synonyms"),
        _words(row, "hi"),
    )


def _dimension(name: str, row: Mapping[str, Any]) -> Dimension:
    table, _, column = row["column"].rpartition(".")
    words, hindi = _words(row, "synonyms"), _words(row, "hi")
    return Dimension(
        name, row["plural"], table, column, row.get("filter", True), row.get("from"), words, hindi
    )


@cache
def load_graph(folder: Path = FOLDER) -> Graph:
    """Read the graph.

    Raises:
        DatasetError: naming the file, and the key that is missing or unknown.
    """
    name = "columns"
    try:
        dictionary = _read(folder, name)
        tables: dict[str, Table] = {}
        for name in DATABASES:
            rows = _read(folder, name).items()
            tables |= {f"{name}.{table}": _table(f"{name}.{table}", row, dictionary) for table, row in rows}
        name = "joins"
        edges = (*_key_edges(tables.values()), *_grain_edges(_read(folder, name)))
        name = "entities"
        entities = {
            key: Entity(
                key, r["plural"], r["table"], r["label"], r["text"], _words(r, "synonyms"), _words(r, "hi")
            )
            for key, r in _read(folder, name).items()
        }
        name = "relationships"
        relationships = tuple(
            Relationship(r["from"], r["verb"], r["to"], r["join"], r["cardinality"])
            for r in _read(folder, name)
        )
        name = "metrics"
        metrics = {key: _metric(key, row) for key, row in _read(folder, name).items()}
        name = "dimensions"
        dimensions = {key: _dimension(key, row) for key, row in _read(folder, name).items()}
    except (KeyError, TypeError, AttributeError) as exc:
        raise DatasetError(f"{name}.yaml: {exc!r}") from exc
    return Graph(tables, edges, entities, relationships, metrics, dimensions)


def ddl(table: Table) -> str:
    """`CREATE TABLE` in SQLite's words. Keys into another database are checked by tests, SQLite cannot."""
    database = table.name.split(".")[0]
    types = {"int": "INTEGER", "real": "REAL", "text": "TEXT", "date": "TEXT", "time": "TEXT"}
    parts = [
        f"{column.name} {types[column.type]}{'' if column.optional else ' NOT NULL'}"
        for column in table.columns.values()
    ]
    parts.append(f"PRIMARY KEY ({', '.join(table.key)})")
    for column in table.columns.values():
        where, _, target = (column.ref or "").rpartition(".")
        if where.startswith(f"{database}."):
            parts.append(f"FOREIGN KEY ({column.name}) REFERENCES {where.split('.')[1]} ({target})")
    return f"CREATE TABLE {table.name} ({', '.join(parts)}) STRICT"
