"""The list of measurements. Adding one is one decorated function in measures.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from eval.bench.records import MeasurementError, Result, Sample, Target

if TYPE_CHECKING:
    from eval.bench.runs import Runs

Measure = Callable[["Runs"], Sample]
TARGETS_FILE = Path(__file__).with_name("targets.json")


@dataclass(frozen=True, slots=True)
class Measurement:
    """A function with a name, a unit and the command that repeats it."""

    name: str
    what: str
    unit: str
    measure: Measure

    @property
    def command(self) -> str:
        """Repeats this one alone."""
        return f"make bench ARGS='--only {self.name}'"


class Registry:
    """Measurements in the order in which they were added; names are unique."""

    def __init__(self) -> None:
        self._by_name: dict[str, Measurement] = {}

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self._by_name.values())

    def measurement(self, name: str, unit: str, what: str) -> Callable[[Measure], Measure]:
        """Register the decorated function.

        Raises:
            ValueError: the name is taken, or one of the three is blank.
        """
        if not (name.isidentifier() and unit.strip() and what.strip()):
            raise ValueError(
                f"a measurement needs a name like a variable's, a unit and a description: {name!r}"
            )
        if name in self._by_name:
            raise ValueError(f"two measurements are called {name!r}")

        def add(measure: Measure) -> Measure:
            self._by_name[name] = Measurement(name, what, unit, measure)
            return measure

        return add

    def select(self, names: Iterable[str]) -> list[Measurement]:
        """Those called `names`, in the registry's order; all if there are no names.

        Raises:
            ValueError: listing the names that are not known.
        """
        wanted = set(names)
        if unknown := sorted(wanted - self._by_name.keys()):
            raise ValueError(f"unknown: {', '.join(unknown)}; known: {', '.join(self._by_name)}")
        return [each for each in self if not wanted or each.name in wanted]


REGISTRY = Registry()
measurement = REGISTRY.measurement


def load_targets(path: Path = TARGETS_FILE) -> Mapping[str, Target]:
    """The bounds by name of measurement."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {name: Target(**row) for name, row in rows.items()}


def run(each: Measurement, runs: Runs, targets: Mapping[str, Target]) -> Result:
    """Measure; what cannot be measured is a result too."""
    result = Result(each.name, each.what, each.unit, each.command, None, targets.get(each.name))
    try:
        return replace(result, sample=each.measure(runs))
    except MeasurementError as exc:
        return replace(result, failure=str(exc))
