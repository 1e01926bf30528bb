"""What the evaluators see: one answered case, told in terms that no target has for itself.

A target adapter (`eval/targets/`) turns a case and its answers into `Facts`; the evaluators are formulas over
them. Nothing here knows the recommender.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from eval.records import Payload


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that should hold of an answer."""

    what: str
    held: bool | None
    """None: cannot be told from this answer."""
    contradicted: bool = False
    """The answer does the opposite, which is worse than leaving it out."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that the answer states, beside the one that was computed again."""

    key: str
    """What it is a number of, such as "Java 8 (New), minutes"."""
    said: float
    true: float | None
    """None: the sources do not know it."""
    tolerance: float = 0.0

    @property
    def right(self) -> bool:
        """Whether the two agree within the tolerance."""
        return self.true is not None and abs(self.said - self.true) <= self.tolerance


@dataclass(frozen=True, slots=True)
class Harm:
    """Something in an answer that must not be there."""

    kind: str
    severity: float
    """0.25, 0.5 or 1."""
    passage: str


class Truth(StrEnum):
    """What is known about whether there is anything to be found."""

    EMPTY = "empty"
    SOMETHING = "something"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Reference:
    """What should be shown, by id. The three sets are disjoint."""

    must: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    """Defensible: neither asked for nor counted as surplus."""
    must_not: tuple[str, ...] = ()
    exhaustive: bool = True
    """Whether everything that is in none of the three is surplus; False: it was never judged."""


@dataclass(frozen=True, slots=True)
class Facts:
    """One answered case. Empty and None mean: nothing is known, so nothing can be scored from it."""

    question: str
    """Everything the user said, the last message last."""
    answer: str
    """The words of the last answer."""
    payload: Payload
    """The last answer."""
    slowest: Payload | None = None
    """The answer of the whole conversation that took longest."""
    shown: tuple[str, ...] = ()
    """Ids of what the answer puts forward, in its order."""
    reference: Reference | None = None
    form: tuple[Check, ...] = ()
    """Whether the answer is of the kind asked for: a list, a question back, a refusal, the end."""
    claims: tuple[Check, ...] = ()
    """Each statement of fact, held against the sources."""
    constraints: tuple[Check, ...] = ()
    facets: tuple[Check, ...] = ()
    """Each part that was asked for."""
    relations: tuple[Check, ...] = ()
    """Whether what belongs together, or excludes each other, is used so."""
    figures: tuple[Figure, ...] = ()
    usefulness: tuple[Check, ...] = ()
    harms: tuple[Harm, ...] = ()
    harm_probes: tuple[str, ...] = ()
    """Which detectors ran; none means that safety was not looked at."""
    topic: str = ""
    """The answer's subject in words, for the comparison with the question's."""
    reference_topic: str = ""
    """The same of an answer that is known to be on the subject."""
    expected_answer: str = ""
    stale: bool = False
    """The expected answer may have stopped being true."""
    prose: str = ""
    """The answer's words without its lists and tables."""
    prose_words_most: int | None = None
    """How many words a fitting answer of this kind takes at most."""
    truth: Truth = Truth.UNKNOWN
    latency_targets_s: tuple[float, float] = (5.0, 30.0)
    """Seconds that are as good as none, and seconds that are too many."""
    context: tuple[str, ...] = field(default=(), repr=False)
    """What a judge may rely on: records about what is shown or asked for."""


def share(checks: Iterable[Check]) -> float | None:
    """Share of what holds among what can be told; None when nothing can."""
    known = [check.held for check in checks if check.held is not None]
    return sum(known) / len(known) if known else None


def broken(checks: Sequence[Check]) -> tuple[str, ...]:
    """What does not hold, in words."""
    return tuple(check.what for check in checks if check.held is False)
