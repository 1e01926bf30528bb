"""The records that travel through the evaluation. Frozen; failure is data; what was not measured is None."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import TypeAdapter

Split = Literal["dev", "test", "traces", "adhoc"]
Mode = Literal["grader", "trace"]
UserKind = Literal["scripted", "persona", "llm"]
SLOW_CALL_MS = 30_000
PayloadStatus = Literal["ok", "timeout", "unreachable", "failed", "malformed", "partial", "misdrawn"]
"""`partial`: it began and did not end; `misdrawn`: the page shows another answer than it received."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message as it goes over the wire."""

    role: Literal["user", "assistant"]
    content: str


# --- what is asked ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expectation:
    """What has to hold of one reply. None and empty mean: nothing is expected."""

    list: bool | None = None
    """Whether a list is shown."""
    end: bool | None = None
    must: tuple[str, ...] = ()
    """Ids that a list shown here has to hold."""
    must_not: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptTurn:
    """One recorded message of the user with what the reply to it should be."""

    user: str
    expect: Expectation = Expectation()
    when: str | None = None
    """The persona says this only when asked about this topic; None: at its place in the script."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The final shortlist as judged from catalogue facts. The three sets are disjoint."""

    must: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    """Defensible: neither asked for nor counted as surplus."""
    must_not: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled conversation."""

    id: str
    turns: tuple[ScriptTurn, ...]
    final: Labels = Labels()
    end: bool = True
    """Whether the conversation ends with an acceptance."""
    family: str = ""
    """Cases of one family are not independent of each other."""
    split: Split = "adhoc"
    facts: Mapping[str, str | int | tuple[str, ...]] = field(default_factory=dict)
    """What the persona knows, by topic."""
    reason: str = ""
    tags: tuple[str, ...] = ()


# --- what comes back ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One line of a shortlist, as received."""

    name: str
    url: str
    test_type: str

    @property
    def id(self) -> str:
        """Catalogue id: the last segment of the address, lower-cased."""
        return last_segment(self.url)


def last_segment(url: str) -> str:
    """Last non-empty path segment of `url`, lower-cased; empty if there is none."""
    segments = [part for part in urlsplit(url.strip()).path.split("/") if part]
    return segments[-1].lower() if segments else ""


@dataclass(frozen=True, slots=True)
class Payload:
    """One answer, in the same shape whichever channel it came through."""

    question: str
    ai_response: str = ""
    context: tuple[str, ...] = ()
    """What the answer had to work with, where the channel shows it: ids of the retrieved candidates."""
    status: PayloadStatus = "ok"
    source: str = ""
    """Name of the channel."""
    latency_ms: float | None = None
    """Of the exchange itself: until the answer had come whole, or until it was given up."""
    ui_latency_ms: float | None = None
    """From the key press until the page shows the whole answer."""
    ttft_ms: float | None = None
    """Until the first words of a stream."""
    chunk_count: int | None = None
    """Pieces of a stream with words in them."""
    stream_duration_ms: float | None = None
    """From the first piece to the last; None with fewer than two."""
    tokens_per_sec: float | None = None
    """Tokens that the stream counted itself over its duration."""
    stream_intact: bool | None = None
    """Whether the pieces make up the final text and nothing came twice; None without pieces or end."""
    recommendations: tuple[Recommendation, ...] = ()
    """`null` and an empty list on the wire are the same thing: none."""
    ends: bool | None = None
    faults: tuple[str, ...] = ()
    """Departures from the wire contract."""
    degraded: tuple[str, ...] = ()
    """Parts that the target says did not take part."""
    act: str | None = None
    """What the target says it did, where the channel shows it."""
    router: str | None = None
    """Who read the conversation, where the channel shows it: "offline" or a provider."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    trace_id: str | None = None
    """What the target calls its own trace of this answer, where the channel shows it."""
    error: str | None = None

    @property
    def late(self) -> bool:
        """Whether the grader would have given up on this call, and so never saw its answer."""
        return self.status == "timeout" or (self.latency_ms or 0) > SLOW_CALL_MS

    @property
    def answered(self) -> bool:
        """Whether the target was reached and answered in time, however badly."""
        return self.status in ("ok", "malformed", "failed", "partial", "misdrawn")

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids in the order shown, repeats left out."""
        return tuple(dict.fromkeys(each.id for each in self.recommendations if each.id))

    @property
    def asks(self) -> bool:
        """Whether this is a question to the user: no list, not the end, and it asks something."""
        return not self.recommendations and not self.ends and "?" in self.ai_response


# --- what is made of it -------------------------------------------------------------------------


class Status(StrEnum):
    """How a value came about, or why there is none."""

    SCORED = "scored"
    HEURISTIC = "heuristic"
    """A value from rules that stand in for a judgement."""
    UNSCORED = "unscored"
    """Not measurable here; leaves every mean and lowers the coverage."""
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Result:
    """One measured value of one conversation, or why there is none.

    Raises:
        ValueError: a value beside a status that has none, or the other way round, or not a finite number.
    """

    name: str
    value: float | None
    status: Status
    reason: str = ""
    method: str = "exact"
    """`exact`; `rule:VERSION`; `judge:MODEL@PROMPT`. Values of different methods are never compared."""
    version: int = 1
    """Raised whenever the computation changes, so that old rows are not compared with new ones."""
    evidence: tuple[str, ...] = ()
    cost_usd_micro: int | None = 0
    """What a judge billed for it; 0 for rules, None when no price is known."""

    def __post_init__(self) -> None:
        if (self.value is not None) != self.counts:
            raise ValueError(f"{self.name}: value {self.value} with status {self.status}")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"{self.name}: {self.value} is not a number")

    @property
    def counts(self) -> bool:
        """Whether this has a value that enters means."""
        return self.status in (Status.SCORED, Status.HEURISTIC)


def scored(name: str, value: float, reason: str = "", evidence: tuple[str, ...] = ()) -> Result:
    """A value computed exactly."""
    return Result(name, float(value), Status.SCORED, reason, evidence=evidence)


def unscored(name: str, reason: str) -> Result:
    """No value, and why."""
    return Result(name, None, Status.UNSCORED, reason)


def failed(name: str, reason: str) -> Result:
    """No value because something broke."""
    return Result(name, None, Status.ERROR, reason)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the user and the answer to it."""

    number: int
    payload: Payload
    script_index: int | None = None
    """Which recorded turn was said; None for an answer that the persona made up from its facts."""
    unmet: tuple[str, ...] = ()
    """Expectations of the recorded turn that the answer did not meet."""
    checked: int = 0
    """How many expectations were checked."""


Stop = Literal["script_done", "ended", "message_cap", "slow_call", "unreachable", "simulator_fault"]


@dataclass(frozen=True, slots=True)
class ConversationResult:
    """One conversation as it went, and what it scored."""

    case_id: str
    family: str
    split: Split
    channel: str
    user: UserKind
    mode: Mode
    turns: tuple[Turn, ...]
    stop: Stop
    results: tuple[Result, ...]
    final_ids: tuple[str, ...] = ()
    """The last list shown, repeats left out."""
    missed: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()
    """Shown, neither must nor may."""
    forbidden: tuple[str, ...] = ()
    """Shown although the labels say must not."""
    unsaid: int = 0
    """Recorded turns that the user did not get to say."""
    simulator_faults: int = 0
    replicate: int = 0

    @property
    def key(self) -> str:
        """Identity within a run."""
        return f"replay/{self.channel}/{self.user}/{self.mode}/{self.case_id}/{self.replicate}"

    def value(self, name: str) -> float | None:
        """Value of the result called `name`, None if it has none."""
        return next((r.value for r in self.results if r.name == name), None)


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """One side of a probe pair."""

    pair: str
    kind: str
    side: Literal["trigger", "twin"]
    channel: str
    status: Status
    """Scored, or error when the target could not be asked."""
    wrong: tuple[str, ...] = ()
    payloads: tuple[Payload, ...] = ()
    why: str = ""

    @property
    def key(self) -> str:
        """Identity within a run."""
        return f"probe/{self.channel}/{self.pair}/{self.side}"

    @property
    def right(self) -> bool:
        """Whether the target was asked and did what it should."""
        return self.status is Status.SCORED and not self.wrong


@dataclass(frozen=True, slots=True)
class LawResult:
    """One law checked on one generated conversation."""

    law: str
    case: str
    channel: str
    status: Status
    """Scored; unscored when the law does not apply to what came out; error."""
    held: bool | None = None
    detail: str = ""
    messages: tuple[str, ...] = ()
    """What the user said, for the report; filled where the law was broken."""

    @property
    def key(self) -> str:
        """Identity within a run."""
        return f"law/{self.channel}/{self.law}/{self.case}"


@dataclass(frozen=True, slots=True)
class RecallRow:
    """Ranks of one conversation's need by one arm."""

    case_id: str
    family: str
    split: Split
    arm: str
    ids: tuple[str, ...]
    results: tuple[Result, ...]
    missed: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Identity within a run."""
        return f"recall/{self.arm}/{self.case_id}"

    def value(self, name: str) -> float | None:
        """Value of the result called `name`, None if it has none."""
        return next((r.value for r in self.results if r.name == name), None)


Verdict = Literal["pass", "fail", "inconclusive", "error"]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One golden case: what was answered and what each dimension says of it."""

    case_id: str
    family: str
    target: str
    channel: str
    profile: str
    verdict: Verdict
    overall: float | None
    """Weighted mean of what was scored; None when nothing was."""
    coverage: float
    """Share of the weights that the overall rests on."""
    results: tuple[Result, ...]
    payloads: tuple[Payload, ...]
    """Every answer of the conversation; the last one is judged."""
    reason: str
    """What decided, with everything that is below its own threshold as a warning."""
    warnings: tuple[str, ...] = ()
    trace: tuple[str, ...] = ()
    """The stages, each with what it came to."""
    said_nothing: bool = False
    """The answer says that there is nothing."""
    nothing_there: bool = False
    """There is nothing, as far as is known."""
    tags: tuple[str, ...] = ()
    replicate: int = 0

    @property
    def key(self) -> str:
        """Identity within a run."""
        return f"case/{self.target}/{self.channel}/{self.case_id}/{self.replicate}"

    def value(self, name: str) -> float | None:
        """Value of the dimension called `name`, None if it has none."""
        return next((r.value for r in self.results if r.name == name), None)


@dataclass(frozen=True, slots=True)
class MutationRow:
    """What became of one kind of planted defect."""

    kind: str
    intended: tuple[str, ...]
    """Dimensions that had to fall; none for good answers as they are, where `noticed` counts what fails."""
    n: int
    noticed: int
    missed: tuple[str, ...]
    """Cases in which it went unnoticed."""
    unrelated: int
    """Values of dimensions that the defect does not concern."""
    moved: int
    """How many of these moved."""
    moved_what: tuple[str, ...]
    same_by_six: int
    """Cases to which the compact profile gives the same verdict."""
    seed: int
    dimensions: tuple[str, ...] = ()
    values: tuple[tuple[float | None, ...], ...] = ()
    """Of each case with the defect, what `dimensions` say: good answers hardly vary, these do."""

    @property
    def key(self) -> str:
        """Identity within a run."""
        return f"mutation/{self.seed}/{self.kind}"


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What was run, on what, with which state of the project."""

    id: str
    started_at: str
    command: str
    channel: str
    target: str
    fingerprint: str
    """Hash of cases, code and data; runs of different ones are not mixed."""
    seed: int
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """What the reader has to know first, such as: without the dense side."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run, whole."""

    info: RunInfo
    conversations: tuple[ConversationResult, ...] = ()
    probes: tuple[ProbeResult, ...] = ()
    laws: tuple[LawResult, ...] = ()
    recall: tuple[RecallRow, ...] = ()
    cases: tuple[CaseResult, ...] = ()
    mutation: tuple[MutationRow, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """Everything that was run."""
        return (
            *self.conversations, *self.probes, *self.laws, *self.recall, *self.cases, *self.mutation,
        )  # fmt: skip


Row = ConversationResult | ProbeResult | LawResult | RecallRow | CaseResult | MutationRow

ROW_KINDS: dict[str, type[Any]] = {
    "conversation": ConversationResult,
    "probe": ProbeResult,
    "law": LawResult,
    "recall": RecallRow,
    "case": CaseResult,
    "mutation": MutationRow,
}
INFO_ADAPTER: TypeAdapter[RunInfo] = TypeAdapter(RunInfo)
ROW_ADAPTERS: dict[str, TypeAdapter[Any]] = {kind: TypeAdapter(each) for kind, each in ROW_KINDS.items()}


def kind_of(row: Row) -> str:
    """The name under which rows like this one are stored."""
    return next(kind for kind, each in ROW_KINDS.items() if isinstance(row, each))
