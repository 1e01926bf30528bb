"""The records that travel from stage to stage. Frozen: nothing is changed after it is returned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from app.catalog import AssessmentId, Level, TestType
from app.knowledge import FamilyId, Purpose, SkillId

Role = Literal["user", "assistant"]
Pitch = Literal["easier", "harder"]
"""Where a list should go that was found too hard or too easy."""
PARAGRAPH = "\u2029"
"""Unicode's paragraph separator: stands between the labels and messages that a search query is made of."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class History:
    """The whole conversation, oldest first."""

    messages: tuple[Message, ...]

    def __len__(self) -> int:
        return len(self.messages)


class Act(StrEnum):
    """What the user's last message asks the service to do."""

    CLARIFY = "clarify"
    """Nothing to work on yet."""
    RECOMMEND = "recommend"
    REFINE = "refine"
    COMPARE = "compare"
    """A comparison of, or a question about, assessments."""
    REFUSE = "refuse"
    CONFIRM = "confirm"


class Weight(StrEnum):
    """How much a skill matters to the user."""

    MUST = "must"
    NORMAL = "normal"
    NICE = "nice"
    OCCASIONAL = "occasional"


class Topic(StrEnum):
    """What a question of ours is about. One topic is never asked twice."""

    NEED = "need"
    """Whom they hire for."""
    FOCUS = "focus"
    """What separates good from average: level, skills, kind of test."""
    AUDIENCE = "audience"
    PURPOSE = "purpose"
    SPOKEN_LANGUAGE = "spoken_language"
    ACCENT = "accent"
    TEST_LANGUAGE = "test_language"
    STACK_SIDE = "stack_side"
    OWNERSHIP = "ownership"
    """Individual contributor or lead."""
    NO_TEST = "no_test"
    """The headline skill has no test: build from the nearest?"""
    REJECTED = "rejected"
    """What was wrong with the list."""
    UNKNOWN_NAME = "unknown_name"
    """A named assessment is not in the catalogue: is this one meant?"""


class Seniority(StrEnum):
    """How far along the people are, in the order of a career."""

    ENTRY = "entry"
    GRADUATE = "graduate"
    MID = "mid"
    SENIOR = "senior"
    SUPERVISOR = "supervisor"
    MANAGER = "manager"
    EXECUTIVE = "executive"


SENIORITY_LEVELS: dict[Seniority, tuple[Level, ...]] = {
    Seniority.ENTRY: (Level.ENTRY, Level.GENERAL),
    Seniority.GRADUATE: (Level.GRADUATE,),
    Seniority.MID: (Level.MID, Level.PROFESSIONAL),
    Seniority.SENIOR: (Level.PROFESSIONAL, Level.MID),
    Seniority.SUPERVISOR: (Level.SUPERVISOR, Level.FRONTLINE_MANAGER),
    Seniority.MANAGER: (Level.MANAGER, Level.FRONTLINE_MANAGER),
    Seniority.EXECUTIVE: (Level.EXECUTIVE, Level.DIRECTOR),
}
"""Catalogue levels that fit each, the best first."""


class ScopeIssue(StrEnum):
    """Why a message, or part of it, is declined."""

    OFF_TOPIC = "off_topic"
    LEGAL = "legal"
    HR_ADVICE = "hr_advice"
    CHEATING = "cheating"
    PROTECTED_GROUP = "protected_group"
    STEERING = "steering"
    SCORE_POLICY = "score_policy"
    """Retakes, validity periods, prices: account matters the catalogue does not hold."""
    DIAGNOSIS = "diagnosis"


@dataclass(frozen=True, slots=True)
class SkillWish:
    """A skill that was asked for."""

    skill: SkillId
    weight: Weight = Weight.NORMAL
    typo: bool = False
    """Found through a spelling correction."""
    incidental: bool = False
    """Mentioned in passing in a long text."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Hard constraints."""

    minutes_each: int | None = None
    minutes_total: int | None = None
    languages: tuple[str, ...] = ()
    """Human names of the test languages, such as "Spanish"; a choice is one name, "Spanish or Catalan"."""
    catalogue_languages: tuple[tuple[str, ...], ...] = ()
    """For each of them the catalogue's names that satisfy it; "Spanish*" takes every Spanish."""
    language_lifted: bool = False
    """The user accepts knowledge tests in English."""
    language_strict: bool = False
    """The user says that English will not do."""
    adaptive: bool | None = None
    remote: bool | None = None
    list_size: int | None = None
    quick: bool = False

    def language_ok(self, languages: Sequence[str]) -> bool:
        """Whether `languages`, as the catalogue names them, hold every test language asked for."""
        return all(
            any(
                language.startswith(name[:-1]) if name.endswith("*") else language == name
                for language in languages
                for name in names
            )
            for names in self.catalogue_languages
        )

    def language_lacks(self, languages: Sequence[str]) -> bool:
        """Whether a test in `languages` is known to lack one; nothing is held against unknown ones."""
        return bool(languages) and not self.language_ok(languages)

    @property
    def any_hard(self) -> bool:
        """Whether anything here excludes assessments."""
        return bool(
            self.minutes_each
            or self.minutes_total
            or self.languages
            or self.list_size
            or self.adaptive is not None
        )


@dataclass(frozen=True, slots=True)
class Edits:
    """What the last message does to the standing list."""

    add: tuple[AssessmentId, ...] = ()
    """Assessments named for addition."""
    add_skills: tuple[SkillId, ...] = ()
    """Skills and measures named for addition; assembly picks what covers them."""
    drop: tuple[AssessmentId, ...] = ()
    replace: tuple[AssessmentId, ...] = ()
    """To be replaced where a substitute exists, else kept."""
    shorter: bool = False
    """The replacement has to take less time."""
    only: tuple[AssessmentId, ...] = ()
    """The list is exactly these."""
    keep: tuple[AssessmentId, ...] = ()
    add_families: tuple[FamilyId, ...] = ()
    """Further jobs to be covered by the same list."""
    undo: bool = False
    restart: bool = False

    def __bool__(self) -> bool:
        return bool(
            self.add
            or self.add_skills
            or self.add_families
            or self.drop
            or self.replace
            or self.only
            or self.undo
            or self.restart
        )


@dataclass(frozen=True, slots=True)
class Understanding:
    """What the conversation says, whoever read it: rules or a language model."""

    act: Act
    families: tuple[FamilyId, ...] = ()
    role_text: str = ""
    """The words that named the role, for the reply."""
    seniority: Seniority | None = None
    lead: bool | None = None
    """Whether a technical role leads others; None when unsaid."""
    purpose: Purpose | None = None
    selects: bool = False
    """The user says that this is for choosing people, whatever the finer purpose."""
    skills: tuple[SkillWish, ...] = ()
    unwanted_skills: frozenset[SkillId] = frozenset()
    unwanted_types: frozenset[TestType] = frozenset()
    limits: Limits = Limits()
    spoken_language: str | None = None
    accent: str | None = None
    stack_side: str | None = None
    edits: Edits = Edits()
    dropped: frozenset[AssessmentId] = frozenset()
    """Dropped in this conversation and not asked back."""
    added: tuple[AssessmentId, ...] = ()
    """Added by name in this conversation and not dropped since."""
    named: tuple[AssessmentId, ...] = ()
    """Assessments the last message names."""
    unknown_names: tuple[str, ...] = ()
    """What looks like a product name but is not in the catalogue."""
    standing: tuple[AssessmentId, ...] = ()
    """The list as the conversation last showed it."""
    undo_to: tuple[AssessmentId, ...] = ()
    """The list before the standing one."""
    compared: tuple[AssessmentId, ...] = ()
    """What the question is about, or what an earlier comparison was about."""
    advice_on: tuple[AssessmentId | SkillId, ...] = ()
    """"Should I also add X?": X."""
    scope_issues: tuple[ScopeIssue, ...] = ()
    asked: tuple[Topic, ...] = ()
    """Our earlier questions, in order; unknown ones count as FOCUS."""
    no_preference: bool = False
    go_ahead: bool = False
    accepts: bool = False
    rejects: bool = False
    pitch: Pitch | None = None
    """Where the last message wants the standing list to go."""
    only_named: bool = False
    """Nothing but what was named ("Excel and nothing else")."""
    new_aim: bool = False
    """The last message changes the job or the purpose of a standing list."""
    new_facts: bool = False
    """Whether the last message brings a fact that the earlier ones did not."""
    has_content: bool = True
    """Whether the last message holds any word at all."""
    message_count: int = 1
    need_words: int = 0
    """How many words the user has spent on the need."""
    search_query: str = ""
    """Every distinct skill of the whole history and the role, then what the user wrote; see PARAGRAPH."""
    reply_language: str = "en"
    """Language the user writes in (the reply is in English and says so)."""
    prose: str = ""
    """A language model's words for a question or a comparison, checked against the catalogue; else empty."""
    prose_asks: Topic | None = None
    """What the prose asks about; None when it asks nothing."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do, and which rule said so."""

    act: Act
    rule: str
    reason: str
    ask: Topic | None = None
    ends: bool = False


class Source(StrEnum):
    """Why an assessment is in the list."""

    NAMED = "named"
    SKILL = "skill"
    NEAREST = "nearest"
    """Substitute for a skill without a test."""
    MEASURE = "measure"
    PLAYBOOK = "playbook"
    DEFAULT = "default"
    RETRIEVED = "retrieved"
    STANDING = "standing"


@dataclass(frozen=True, slots=True)
class Pick:
    """One assessment of the shortlist with the reason for it."""

    id: AssessmentId
    source: Source
    why: str


@dataclass(frozen=True, slots=True)
class Gap:
    """Something asked for that the list does not cover."""

    what: str
    note: str
    nearest: tuple[AssessmentId, ...] = ()


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The battery, at most ten picks, and what to say with it."""

    picks: tuple[Pick, ...] = ()
    gaps: tuple[Gap, ...] = ()
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Plain sentences about limits and edits ("kept OPQ32r: nothing shorter covers the same ground")."""
    added: tuple[AssessmentId, ...] = ()
    dropped: tuple[AssessmentId, ...] = ()
    language_gap: tuple[AssessmentId, ...] = ()
    """Picks that lack the test language asked for."""

    @property
    def ids(self) -> tuple[AssessmentId, ...]:
        """Ids in order."""
        return tuple(pick.id for pick in self.picks)


@dataclass(frozen=True, slots=True)
class Reply:
    """The words, and what goes with them on the wire."""

    text: str
    recommendations: tuple[AssessmentId, ...] = ()
    ends: bool = False


@dataclass(frozen=True, slots=True)
class CandidateHit:
    """One retrieval candidate with its rank (from 1) in each list."""

    id: str
    fused_score: float
    dense_rank: int | None
    lexical_rank: int | None


@dataclass(frozen=True, slots=True)
class Routing:
    """Who filled the understanding of a turn, and what that took."""

    router: str = "offline"
    """Name of the provider, or "offline"."""
    why: str = "no provider is set"
    model: str = ""
    cached: bool = False
    degraded: bool = False
    """Whether a model should have read the turn and did not."""
    attempts: tuple[str, ...] = ()
    """Each call made, as "provider:outcome"."""
    input_tokens: int | None = None
    """None where the provider does not say, or was not called."""
    output_tokens: int | None = None
    ms: float = 0.0
    kept: tuple[str, ...] = ()
    """Fields in which the model said otherwise and what the rules saw for certain was kept."""
    notes: tuple[str, ...] = ()
    """What left the turn as it is, a word each: wrong beside the call ("cache_slow", "not_recorded"), or forgiven
    in the answer's form ("near_json", "synonym")."""


@dataclass(frozen=True, slots=True)
class TurnTrace:
    """How a turn was decided. Goes to logs, /chat/explain and the evaluation."""

    understanding: Understanding
    decision: Decision
    candidates: tuple[CandidateHit, ...] = ()
    shortlist: Shortlist = Shortlist()
    degraded: tuple[str, ...] = ()
    stage_ms: Mapping[str, float] = field(default_factory=dict)
    routing: Routing = Routing()
