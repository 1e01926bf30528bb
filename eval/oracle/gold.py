"""Computes the asked figures again by a gold query, at the day up to which the answer has its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from eval.oracle.compare import Figure, FigureComparison, FigureResult, Outcome, compare_figures
from eval.oracle.numbers import Unit
from eval.sql.reader import ReaderOptions, ReadFailure, Rows, Value, read

AS_OF = "as_of"
"""Parameter of gold queries: the last day whose data counts."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One result column of a gold query that holds figures."""

    unit: Unit = Unit.PLAIN
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldQuery:
    """A query whose result is right by definition. Columns that are no measures are labels."""

    sql: str
    measures: Mapping[str, Measure]


@dataclass(frozen=True, slots=True)
class GoldFigures:
    """The figures of a gold query, or why there are none."""

    figures: tuple[Figure, ...] = ()
    empty: bool = False
    """Whether the query found nothing: no row, or NULL in every measure."""
    problem: str = ""


def recompute(query: GoldQuery, options: ReaderOptions, as_of: date) -> GoldFigures:
    """The figures at `as_of`; a query that fails, or misses a measure, gives a problem.

    Raises:
        DatasetError: the database is not there.
    """
    result = read(query.sql, options, {AS_OF: as_of.isoformat()})
    if isinstance(result, ReadFailure):
        return GoldFigures(problem=f"gold query: {result.message}")
    missing = query.measures.keys() - set(result.columns)
    if missing or not result.complete:
        return GoldFigures(
            problem=f"gold query: no column {min(missing)!r}" if missing else "gold query: too many rows"
        )
    figures = _figures(query, result)
    return GoldFigures(figures, empty=all(figure.value is None for figure in figures))


def check_answer(
    answer: str, query: GoldQuery, options: ReaderOptions, *, as_of: date, data_until: date
) -> FigureComparison:
    """The answer's figures against the recomputed ones.

    Args:
        answer: the text shown.
        query: how the asked figures are computed.
        options: where.
        as_of: the answer's watermark, the last day whose data it had.
        data_until: the last day that the database holds now; before `as_of`, nothing can be compared.

    Raises:
        DatasetError: the database is not there.
    """
    if as_of > data_until:
        return _nothing(f"the answer has data up to {as_of}, the database up to {data_until}")
    gold = recompute(query, options, as_of)
    return _nothing(gold.problem) if gold.problem else compare_figures(answer, gold.figures)


def _nothing(reason: str) -> FigureComparison:
    return FigureComparison((FigureResult("all", Outcome.NOT_COMPARABLE, reason=reason),))


def _figures(query: GoldQuery, result: Rows) -> tuple[Figure, ...]:
    found = []
    for row in result.rows:
        cells = dict(zip(result.columns, row, strict=True))
        labels = tuple(str(cells[name]) for name in result.columns if name not in query.measures)
        for name, measure in query.measures.items():
            key = "/".join((name, *labels))
            found.append(Figure(key, _decimal(cells[name]), measure.unit, labels, measure.words))
    return tuple(found)


def _decimal(value: Value) -> Decimal | None:
    return Decimal(str(value)) if isinstance(value, int | float) else None
