"""Compares two query results: rows as bags, columns by content, order only where the gold query asks for one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from sqlglot import exp

from eval.sql.parsing import parse
from eval.sql.records import Dialect

Cell = str | int | float | Decimal | bytes | None
Table = Sequence[Sequence[Cell]]
RELATIVE_TOLERANCE = Decimal("1e-6")
_MAX_MAPPINGS = 5_000
"""Ways to match columns that are tried; only tables of many alike columns have more."""


@dataclass(frozen=True, slots=True)
class Order:
    """The top-level ORDER BY of a query: positions of the result columns it sorts by."""

    columns: tuple[int, ...]
    """Empty when it sorts by something that is not in the result: then ties cannot be told from order."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a result stands to the gold result."""

    verdict: Literal["equal", "different", "both_empty"]
    """`both_empty` is no agreement: an empty gold result proves something only with a reason why it is empty."""
    reason: str = ""
    extra_columns: tuple[int, ...] = ()
    """Columns of the result that the gold result does not have."""


def order_of(sql: str, dialect: Dialect) -> Order | None:
    """The order that the outermost query asks for; None for none, whatever nested queries or literals say."""
    parsed = parse(sql, dialect)
    node = parsed.statements[0] if parsed.statements else None
    if not isinstance(node, exp.Query):
        return None
    order = node.args.get("order")
    while order is None and isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query):
        node = node.this
        order = node.args.get("order")
    if order is None:
        return None
    selects = [each.alias_or_name.lower() for each in node.selects]
    texts = [each.unalias().sql().lower() for each in node.selects]
    places = [_place(each.this, selects, texts) for each in order.expressions]
    return Order(tuple(place for place in places if place is not None) if None not in places else ())


def compare(gold: Table, found: Table, order: Order | None = None, empty_because: str = "") -> Comparison:
    """Whether `found` is the gold result.

    Args:
        gold: rows of the gold query, all of one length.
        found: rows of the query under test.
        order: the gold query's order, if it has one; rows that tie in it may stand in any order.
        empty_because: why the gold result may be empty; without it two empty results say nothing.
    """
    if not gold and not found:
        return (
            Comparison("equal", empty_because)
            if empty_because
            else Comparison("both_empty", "no rows on either side")
        )
    if len(gold) != len(found):
        return Comparison("different", f"{len(found)} rows, {len(gold)} expected")
    width, other = len(gold[0]), len(found[0])
    if other < width:
        return Comparison("different", f"{other} columns, {width} expected")
    for number, mapping in enumerate(_mappings(gold, found, width, other)):
        if number >= _MAX_MAPPINGS:
            break
        picked = [[row[column] for column in mapping] for row in found]
        if _same(gold, picked, order):
            extra = tuple(column for column in range(other) if column not in mapping)
            return Comparison("equal", "", extra)
    return Comparison("different", "the same number of rows, but other values or another order")


def same_value(one: Cell, other: Cell) -> bool:
    """NULL is NULL, numbers are equal within a relative tolerance whatever their type, text is text."""
    first, second = _number(one), _number(other)
    if first is not None and second is not None:
        if first == second or not (first.is_finite() and second.is_finite()):
            return first == second or (first.is_nan() and second.is_nan())
        return abs(first - second) <= RELATIVE_TOLERANCE * max(abs(first), abs(second))
    return first is None and second is None and one == other


def _place(node: exp.Expr, names: list[str], texts: list[str]) -> int | None:
    if isinstance(node, exp.Literal) and node.is_int:
        return int(node.name) - 1 if 0 < int(node.name) <= len(names) else None
    if isinstance(node, exp.Column) and node.name.lower() in names:
        return names.index(node.name.lower())
    text = node.sql().lower()
    return texts.index(text) if text in texts else None


def _mappings(gold: Table, found: Table, width: int, other: int) -> Iterator[tuple[int, ...]]:
    """Ways to pick a column of `found` for each of `gold` with the same values in it, the given order first."""
    fits = [
        [
            column
            for column in _nearest_first(place, other)
            if _same_bag(_column(gold, place), _column(found, column))
        ]
        for place in range(width)
    ]

    def extend(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == width:
            yield chosen
            return
        for column in fits[len(chosen)]:
            if column not in chosen:
                yield from extend((*chosen, column))

    return extend(())


def _nearest_first(place: int, width: int) -> list[int]:
    return sorted(range(width), key=lambda column: column != place)


def _column(rows: Table, column: int) -> list[list[Cell]]:
    return [[row[column]] for row in rows]


def _same(gold: Table, found: Table, order: Order | None) -> bool:
    if order is None:
        return _same_bag(gold, found)
    if not order.columns:
        return all(_same_row(one, other) for one, other in zip(gold, found, strict=True))
    start = 0
    while start < len(gold):
        end = start + 1
        while end < len(gold) and all(same_value(gold[start][c], gold[end][c]) for c in order.columns):
            end += 1
        if not _same_bag(gold[start:end], found[start:end]):
            return False
        start = end
    return True


def _same_bag(gold: Table, found: Table) -> bool:
    first, second = sorted(gold, key=_sort_key), sorted(found, key=_sort_key)
    if all(_same_row(one, other) for one, other in zip(first, second, strict=True)):
        return True
    left = list(second)
    for row in first:  # values that are equal within the tolerance may sort differently
        match = next((index for index, other in enumerate(left) if _same_row(row, other)), None)
        if match is None:
            return False
        left.pop(match)
    return True


def _same_row(one: Sequence[Cell], other: Sequence[Cell]) -> bool:
    return len(one) == len(other) and all(same_value(a, b) for a, b in zip(one, other, strict=True))


def _sort_key(row: Sequence[Cell]) -> list[tuple[int, Decimal, str]]:
    return [_cell_key(cell) for cell in row]


def _cell_key(cell: Cell) -> tuple[int, Decimal, str]:
    number = _number(cell)
    if cell is None:
        return 0, Decimal(0), ""
    if number is not None:
        return (1, number, "") if number.is_finite() else (2, Decimal(0), str(number))
    return 3, Decimal(0), str(cell)


def _number(cell: Cell) -> Decimal | None:
    if isinstance(cell, Decimal):
        return cell
    return Decimal(str(cell)) if isinstance(cell, int | float) else None
