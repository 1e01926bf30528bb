"""What a tracing service is given, and what may be expected of it: nothing that a run waits for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TraceScore:
    """One dimension of one case."""

    name: str
    value: float | None
    """None: unscored. It is shown with its reason and never as a number."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CaseTrace:
    """One graded case."""

    run: str
    case: str
    channel: str
    question: str
    answer: str
    verdict: str
    scores: tuple[TraceScore, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    """What else a reader looks for, such as the family or the latency in words."""

    @property
    def seed(self) -> str:
        """The same for the same case of the same run, so that a resumed run shows it once."""
        return f"{self.run}/{self.channel}/{self.case}"


@dataclass(frozen=True, slots=True)
class TraceCounts:
    """What became of the traces."""

    handed_over: int = 0
    """Given to the service's library, which sends them in its own time."""
    dropped: int = 0
    """Too many at once, or not handed over before the end."""
    failed: int = 0
    """The library raised."""


class Tracer(Protocol):
    """Takes traces. Never raises, never blocks but in `close`, and there not for long."""

    def send(self, trace: CaseTrace) -> None:
        """Take one trace, or drop it when too many wait."""
        ...

    def close(self) -> TraceCounts:
        """Send what waits, within a time limit, and say what became of it all."""
        ...
