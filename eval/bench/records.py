"""What a measurement gives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Sample:
    """One measured number and how it varies."""

    value: float
    n: int = 1
    """Observations behind it."""
    low: float | None = None
    high: float | None = None
    spread: str = ""
    """What `low` and `high` are: "p25-p75" or "min-max"; empty when there is neither."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """The bound a number is held to; one of the two is set."""

    at_most: float | None = None
    at_least: float | None = None

    def holds(self, value: float) -> bool:
        """Whether `value` is within."""
        return (self.at_most is None or value <= self.at_most) and (
            self.at_least is None or value >= self.at_least
        )

    def __str__(self) -> str:
        return f"≤ {self.at_most:g}" if self.at_most is not None else f"≥ {self.at_least:g}"


@dataclass(frozen=True, slots=True)
class Result:
    """One row of the table."""

    name: str
    what: str
    unit: str
    command: str
    sample: Sample | None
    """None when it could not be measured; `failure` says why."""
    target: Target | None = None
    failure: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target holds; None without one."""
        if self.target is None:
            return None
        return self.sample is not None and self.target.holds(self.sample.value)


class MeasurementError(Exception):
    """Something could not be measured; says why."""


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest observation that at least `share` of all do not exceed.

    Raises:
        ValueError: no observations.
    """
    if not values:
        raise ValueError("no observations")
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def middle(values: Sequence[float], note: str = "") -> Sample:
    """The median, with the quartiles."""
    return Sample(
        median(values), len(values), quantile(values, 0.25), quantile(values, 0.75), "p25-p75", note
    )


def extremes(value: float, values: Sequence[float], note: str = "") -> Sample:
    """`value` with the smallest and largest of all observations."""
    return Sample(value, len(values), min(values), max(values), "min-max", note)
