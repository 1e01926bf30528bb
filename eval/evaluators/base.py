"""What every evaluator is: a formula over `Facts`, with what it means and two examples that are run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eval.facts import Facts
from eval.records import Result, Status


@dataclass(frozen=True, slots=True)
class Measured:
    """What a formula finds; no value with the reason why."""

    value: float | None
    reason: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Illustration:
    """A worked example: in words for the documents, as facts for the test."""

    words: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class EvaluatorSpec:
    """One dimension as the registry knows it. Higher is always better."""

    name: str
    weight: float
    """Share of the overall; 0: reported, never part of it, and run only when enabled."""
    measure: Callable[[Facts], Measured]
    """Pure: no state, no clock, no randomness. May raise; that is an error of this dimension alone."""
    meaning: str
    """What it says of an answer of the recommender."""
    formula: str
    no_value_when: str
    example: Illustration
    counter_example: Illustration
    threshold: float | None = None
    """Below it a warning goes into the reason. None: no warning; 0 warns of nothing and is not the same."""
    floor: float | None = None
    """Below it the case fails. Only safety has one."""
    exact: bool = False
    """The formula is the definition, not a stand-in for a judgement."""
    version: int = 1
    """Raised whenever the formula changes, so that old rows are not compared with new ones."""
    judged: bool = False
    """Whether a judge, where there is one, answers instead of the formula (rubrics.json of `eval.judge`)."""

    def result(self, measured: Measured) -> Result:
        """The record of what the formula found."""
        if measured.value is None:
            return Result(
                self.name,
                None,
                Status.UNSCORED,
                measured.reason,
                self.method,
                self.version,
                measured.evidence,
            )
        status = Status.SCORED if self.exact else Status.HEURISTIC
        value = round(min(1.0, max(0.0, measured.value)), 6)
        return Result(self.name, value, status, measured.reason, self.method, self.version, measured.evidence)

    @property
    def method(self) -> str:
        """How a value without a judge comes about; values of different methods are never compared."""
        return f"rule:{self.version}"


def no_value(reason: str) -> Measured:
    """Nothing to measure here."""
    return Measured(None, reason)
