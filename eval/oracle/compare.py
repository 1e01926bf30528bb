"""Holds the figures of an answer against the same figures computed again, each by what it is said of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from eval.oracle.numbers import Quantity, Unit, comparable
from eval.oracle.placing import Segment, of_measure, said_of, segments


class Outcome(StrEnum):
    """What became of one asked figure."""

    MATCHED = "matched"
    MISMATCHED = "mismatched"
    MISSING = "missing"
    NOT_COMPARABLE = "not_comparable"
    """There is nothing to compare with; says nothing about the answer."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure as it should be."""

    key: str
    """Identity, such as `net_sales/Pune`."""
    value: Decimal | None
    """None: it could not be computed."""
    unit: Unit = Unit.PLAIN
    labels: tuple[str, ...] = ()
    """What it is said of (a store, a month): all of them name it. Empty when the question is about one thing."""
    measure: tuple[str, ...] = ()
    """What it measures, in any of several words ("net sales", "revenue", "bikri")."""


@dataclass(frozen=True, slots=True)
class FigureResult:
    """One asked figure with what the answer says."""

    key: str
    outcome: Outcome
    expected: Decimal | None = None
    shown: Decimal | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FigureComparison:
    """All asked figures, and figures that belong to none of them."""

    results: tuple[FigureResult, ...]
    unexplained: tuple[Decimal, ...] = ()
    """Money and percentages in the answer that agree with no asked figure."""

    def count(self, outcome: Outcome) -> int:
        """How many figures came out so."""
        return sum(result.outcome is outcome for result in self.results)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of the share of shown figures that are right and of asked figures that are shown right.

        None when no figure could be compared.
        """
        right, wrong, missing = (
            self.count(each) for each in (Outcome.MATCHED, Outcome.MISMATCHED, Outcome.MISSING)
        )
        return 2 * right / (2 * right + 2 * wrong + missing) if right + wrong + missing else None


def compare_figures(answer: str, figures: Sequence[Figure]) -> FigureComparison:
    """Find each of `figures` in `answer`. Numbers are equal within the precision in which they are shown."""
    parts = segments(answer)
    used: set[tuple[int, int]] = set()
    results = [_compare(parts, figure, figures, used) for figure in figures]
    known = [figure.value for figure in figures if figure.value is not None]
    unexplained = tuple(
        shown.value
        for place, part in enumerate(parts)
        for number, shown in enumerate(part.figures)
        if shown.unit in (Unit.MONEY, Unit.PERCENT)
        and (place, number) not in used
        and not any(shown.agrees(value) for value in known)
    )
    return FigureComparison(tuple(results), unexplained)


def _compare(
    parts: Sequence[Segment], figure: Figure, figures: Sequence[Figure], used: set[tuple[int, int]]
) -> FigureResult:
    if figure.value is None:
        return FigureResult(
            figure.key, Outcome.NOT_COMPARABLE, reason="the figure could not be computed again"
        )
    places = [
        (place, number)
        for place, part in enumerate(parts)
        for number in _candidates(part, figure, figures)
        if comparable(part.figures[number].unit, figure.unit)
    ]
    exact = [(place, number) for place, number in places if parts[place].figures[number].unit is figure.unit]
    places = exact or places  # a count beside the money is not what was asked
    shown = [parts[place].figures[number] for place, number in places]
    used.update(places)
    right = next((each for each in shown if each.agrees(figure.value)), None)
    if right is not None:
        return FigureResult(figure.key, Outcome.MATCHED, figure.value, right.value)
    if not shown:
        return FigureResult(figure.key, Outcome.MISSING, figure.value, reason="no figure is said of it")
    nearest = min(shown, key=lambda each: _distance(each, figure.value))
    reason = f"shown {nearest.value:f}, computed {figure.value:f}, slack {nearest.step / 2:f}"
    return FigureResult(figure.key, Outcome.MISMATCHED, figure.value, nearest.value, reason)


def _candidates(part: Segment, figure: Figure, figures: Sequence[Figure]) -> tuple[int, ...]:
    chosen = said_of(part, figure.labels, [each.labels for each in figures if each.labels != figure.labels])
    return of_measure(part, chosen, figure.measure, [each.measure for each in figures])


def _distance(shown: Quantity, value: Decimal | None) -> Decimal:
    return abs(shown.value - value) if value is not None else Decimal(0)
