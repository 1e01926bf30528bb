"""What every judge takes and gives. A judgement is a record; a failed one is a record too and never a number.

An evaluator builds a `JudgeQuestion`, hands it to a `Judge` and gets a `JudgeAnswer` or a `JudgeFailure`.
Rubrics by evaluator stand in rubrics.json (`eval.judge.rubrics.rubric_for`). Whether the score of a judge may
decide anything says `eval.judge.trust.may_gate`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol

TOP_ANCHOR = 4
"""Anchors run from 0 to this; a score is the anchor divided by it."""


@dataclass(frozen=True, slots=True)
class Rubric:
    """What is judged, and one sentence for each of the anchors 0 to 4. Higher is always better."""

    criterion: str
    anchors: tuple[str, ...]
    needs_context: bool = False
    """Whether nothing can be said without context, so that the call is spared when there is none."""

    @property
    def complete(self) -> bool:
        """Whether a judge can work with it."""
        words = (self.criterion, *self.anchors)
        return len(self.anchors) == TOP_ANCHOR + 1 and all(text.strip() for text in words)


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """One judgement that is asked for. Equal texts are one judgement, whichever case they come from."""

    evaluator: str
    rubric: Rubric
    question: str
    """What the user asked, or the whole conversation as text."""
    answer: str
    """What is graded. A structured answer is serialised by the caller."""
    context: tuple[str, ...] = ()
    """Facts that the judge may rely on, such as catalogue records."""
    expected: str | None = None
    """An earlier answer that was right once; shown as a hint that may be stale. None: there is none."""
    replicate: int = 0
    """0 for the first draw; a further draw of the same judgement has its own number."""
    evaluator_version: str = "1"
    case_id: str = ""
    """For the reader of a log; no part of what is asked."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one judgement, over all its attempts. The classes are disjoint, as they are priced."""

    input_tokens: int = 0
    """Read in full, neither from a provider's cache nor written to it."""
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    """Reasoning included, as every provider bills it."""
    estimated: bool = False
    """Whether the provider did not say and the numbers are ours."""

    @property
    def total(self) -> int:
        """Tokens of all classes."""
        return self.input_tokens + self.cached_input_tokens + self.cache_write_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cached_input_tokens + other.cached_input_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.output_tokens + other.output_tokens,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage that the judge quotes."""

    quote: str
    found: bool
    """Whether it stands in what the judge was shown, but for space, case and typographic marks."""


class Flag(StrEnum):
    """What a reader of a score has to know."""

    EVIDENCE_NOT_FOUND = "evidence_not_found"
    """At least one quote stands nowhere in what was shown."""
    NO_EVIDENCE = "no_evidence"
    """A score without a single quote."""
    ADDRESSES_JUDGE = "addresses_judge"
    """The graded answer speaks to its judge, as an injected verdict does."""


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """One judgement."""

    anchor: int
    """0 to 4."""
    evidence: tuple[Evidence, ...]
    reason: str
    usage: Usage = Usage()
    cost_usd_micro: int | None = 0
    """Billed for this judgement, failed attempts included; 0 from the cache; None: no price is known."""
    cached: bool = False
    latency_ms: float | None = None
    """Of the call that gave it; None from the cache."""
    attempts: int = 1
    flags: tuple[Flag, ...] = ()

    @property
    def score(self) -> float:
        """0 to 1."""
        return self.anchor / TOP_ANCHOR


class Unscored(StrEnum):
    """Why there is no score."""

    UNPARSABLE = "unparsable"
    OUT_OF_RANGE = "out_of_range"
    """A score that is no anchor: never clipped."""
    TRUNCATED = "truncated"
    CANNOT_TELL = "cannot_tell"
    REFUSAL = "refusal"
    """The model declined, or a filter of the provider kept its words back."""
    EMPTY_REPLY = "empty_reply"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    SERVER = "server"
    """A 5xx that stayed."""
    RATE_LIMITED = "rate_limited"
    QUOTA = "quota"
    AUTH = "auth"
    REQUEST = "request"
    """The provider does not take the request."""
    BUDGET = "budget"
    EMPTY_ANSWER = "empty_answer"
    TOO_LONG = "too_long"
    NO_RUBRIC = "no_rubric"
    NO_CONTEXT = "no_context"


Status = Literal["unscored", "error", "skipped"]
_ERRORS = frozenset(
    {
        Unscored.TIMEOUT,
        Unscored.UNREACHABLE,
        Unscored.SERVER,
        Unscored.RATE_LIMITED,
        Unscored.QUOTA,
        Unscored.AUTH,
        Unscored.REQUEST,
    }
)


@dataclass(frozen=True, slots=True)
class JudgeFailure:
    """A judgement that was asked for and is not there."""

    reason: Unscored
    detail: str = ""
    """For people; never holds a key."""
    raw: str = ""
    """The beginning of what the judge wrote instead of a verdict, without keys."""
    usage: Usage = Usage()
    """Of attempts that were billed all the same."""
    cost_usd_micro: int | None = 0
    cached: bool = False
    """Whether an earlier "cannot tell" was remembered."""
    attempts: int = 0
    """Calls that were made."""

    @property
    def status(self) -> Status:
        """skipped: kept back for the budget. error: the instrument failed. unscored: it works, without a score."""
        if self.reason is Unscored.BUDGET:
            return "skipped"
        return "error" if self.reason in _ERRORS else "unscored"


Judgement = JudgeAnswer | JudgeFailure


@dataclass(frozen=True, slots=True)
class CallSettings:
    """What shapes a reply beside the text."""

    temperature: float = 0.0
    """Not sent to models that take none. 0 makes replies alike, not equal."""
    max_output_tokens: int = 700


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Who judges, and how. Agreement that was measured belongs to exactly one of these."""

    provider: str
    model: str
    prompt_version: str
    settings: CallSettings = field(default_factory=CallSettings)
    address: str = ""
    """Base URL or deployment, when it is not the provider's own."""

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}@{self.prompt_version}"


class Judge(Protocol):
    """Grades answers. Safe to be asked from several threads, with or without a running event loop."""

    @property
    def fingerprint(self) -> Fingerprint:
        """Who judges."""
        ...

    def judge(self, question: JudgeQuestion) -> Judgement:
        """One judgement; waits for it. Never raises for what the judge or its provider does or fails to do."""
        ...

    async def judge_async(self, question: JudgeQuestion) -> Judgement:
        """The same, without blocking the caller's event loop."""
        ...

    def close(self) -> None:
        """Let go of threads, connections and files."""
        ...
