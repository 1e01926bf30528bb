"""What the conversation has established so far; one message is folded in after the other."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from app.catalog import AssessmentId, TestType
from app.knowledge import FamilyId, Knowledge, Purpose, SkillId
from app.records import Seniority, SkillWish, Weight
from app.understanding.languages import OR
from app.understanding.lexicon import Place
from app.understanding.mentions import LanguageMention, Mention, Mode
from app.understanding.reading import Reading
from app.understanding.sentences import CueMatch, SentenceKind

VOLUME_HEADCOUNT = 50
"""From this many people on, a short first screen is what is needed."""

_PURPOSES = {
    "talent_audit": Purpose.TALENT_AUDIT,
    "development": Purpose.DEVELOPMENT,
    "internal_mobility": Purpose.INTERNAL_MOBILITY,
    "leadership_selection": Purpose.LEADERSHIP_SELECTION,
    "graduates": Purpose.GRADUATES,
    "volume_screening": Purpose.VOLUME_SCREENING,
}
_NOT_FOR = re.compile(r"\b(?:not|no|nicht|non|nada de)\s+(?:for\s+|about\s+|a\s+)?$")
_SENIOR_YEARS, _MID_YEARS = 5, 2

_LADDER = (Seniority.ENTRY, Seniority.MID, Seniority.SENIOR)


@dataclass(slots=True)
class State:
    """Mutable while folding; read once at the end."""

    families: list[FamilyId] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    role_text: str = ""
    seniority: Seniority | None = None
    lead: bool | None = None
    purpose: Purpose | None = None
    selects: bool = False
    skills: dict[SkillId, SkillWish] = field(default_factory=dict)
    unwanted_skills: set[SkillId] = field(default_factory=set)
    unwanted_types: set[TestType] = field(default_factory=set)
    minutes_each: int | None = None
    minutes_total: int | None = None
    list_size: int | None = None
    adaptive: bool | None = None
    remote: bool | None = None
    quick: bool = False
    languages: list[str] = field(default_factory=list)
    language_lifted: bool = False
    language_strict: bool = False
    spoken_language: str | None = None
    accent: str | None = None
    stack_side: str | None = None
    dropped: set[AssessmentId] = field(default_factory=set)
    added: list[AssessmentId] = field(default_factory=list)
    only_named: bool = False
    need_texts: list[str] = field(default_factory=list)

    @property
    def aim(self) -> tuple[FamilyId | None, Purpose | None]:
        """The job and the purpose: they decide which batteries are in question at all."""
        return (self.families[0] if self.families else None, self.purpose)

    def pitch(self, towards: str) -> None:
        """The tests were too easy or too hard: aim one step along a career higher or lower."""
        here = _LADDER.index(self.seniority) if self.seniority in _LADDER else _LADDER.index(Seniority.MID)
        step = here + (1 if towards == "harder" else -1)
        self.seniority = _LADDER[min(max(step, 0), len(_LADDER) - 1)]

    def restate_priorities(self) -> None:
        """Priorities named anew replace the earlier ones."""
        for skill, wish in self.skills.items():
            if wish.weight is Weight.MUST:
                self.skills[skill] = replace(wish, weight=Weight.NORMAL)

    def want(self, skill: SkillId, weight: Weight | None, *, typo: bool, incidental: bool) -> None:
        """Note a wish; a later weight replaces an earlier one."""
        known = self.skills.get(skill)
        if weight is None:
            weight = known.weight if known else Weight.NORMAL
        incidental = incidental and weight is Weight.NORMAL and (known is None or known.incidental)
        self.skills[skill] = SkillWish(skill, weight, typo, incidental)
        self.unwanted_skills.discard(skill)

    def unwant(self, skill: SkillId, types: frozenset[TestType]) -> None:
        """Note that a skill, or a whole kind of test, is not wanted."""
        self.skills.pop(skill, None)
        self.unwanted_skills.add(skill)
        self.unwanted_types |= types

    def add(self, assessment_id: AssessmentId) -> None:
        """Note an assessment asked for by name."""
        self.dropped.discard(assessment_id)
        if assessment_id not in self.added:
            self.added.append(assessment_id)

    def drop(self, assessment_id: AssessmentId) -> None:
        """Note an assessment that is not to come back by itself."""
        self.dropped.add(assessment_id)
        if assessment_id in self.added:
            self.added.remove(assessment_id)


def fold_facts(state: State, reading: Reading, *, listed: bool, long: bool) -> None:
    """Fold in what is true of the people and the setting.

    Args:
        state: what is known so far.
        reading: the message.
        listed: whether a list already stands.
        long: whether it is a pasted text, whose talk of coaching or growth is not a purpose of testing.
    """
    _fold_seniority(state, reading, listed)
    _fold_purpose(state, reading, long)
    leads = reading.values("lead")
    if leads:
        state.lead = leads[-1] == "lead"
    sides = list(dict.fromkeys(reading.values("stack_side")))
    if sides:
        state.stack_side = sides[0] if len(sides) == 1 else "balanced"
    limits = reading.limits
    state.minutes_each = limits.minutes_each or state.minutes_each
    state.minutes_total = limits.minutes_total or state.minutes_total
    state.list_size = limits.list_size or state.list_size
    state.adaptive = limits.adaptive if limits.adaptive is not None else state.adaptive
    state.remote = limits.remote if limits.remote is not None else state.remote
    state.only_named = state.only_named or (not listed and reading.has("strict"))
    state.quick = state.quick or (reading.has("quick") and not long)
    state.language_lifted = state.language_lifted or reading.has("language_lifted")
    state.language_strict = state.language_strict or reading.has("language_strict")


def _fold_seniority(state: State, reading: Reading, listed: bool) -> None:
    stated = [
        Seniority(value)
        for match in reading.cues
        for group, value in match.value
        if group == "seniority" and _is_told(reading, match.start, listed) and not _is_boss(reading, match)
    ]
    if Seniority.GRADUATE in stated:
        state.seniority = Seniority.GRADUATE
    elif Seniority.EXECUTIVE in stated:
        state.seniority = Seniority.EXECUTIVE
    elif stated:
        state.seniority = stated[0]
    elif reading.limits.years is not None and state.seniority is None:
        years = reading.limits.years
        state.seniority = (
            Seniority.SENIOR
            if years >= _SENIOR_YEARS
            else Seniority.MID
            if years >= _MID_YEARS
            else Seniority.ENTRY
        )


def _is_told(reading: Reading, position: int, listed: bool) -> bool:
    sentence = reading.sentence_of(position)
    return not listed or sentence is None or sentence.kind is SentenceKind.STATEMENT


_BOSS = re.compile(
    r"\b(?:reports?|reporting|report|answers?|answering) (?:in )?to (?:the |our |a |an |its |their )?$"
    r"|\b(?:assist|assists|assisting|support|supports|supporting|assistant (?:to|for|of)|pa (?:to|for)|ea (?:to|for)"
    r"|secretary (?:to|for|of)) (?:the |our |a |an |its |their |my )?$"
)


def _is_boss(reading: Reading, match: CueMatch) -> bool:
    """Whether a level is that of whom the people work for ("reports to the CFO"), not their own."""
    sentence = reading.sentence_of(match.start)
    before = reading.text.folded[sentence.start if sentence else 0 : match.start].lstrip()
    return _BOSS.search(before) is not None


def _fold_purpose(state: State, reading: Reading, long: bool) -> None:
    frame = reading.sentences[0].end if long and reading.sentences else len(reading.text.plain)
    values = {
        v
        for match in reading.cues
        for g, v in match.value
        if g == "purpose" and match.start < frame and not _NOT_FOR.search(reading.text.folded[: match.start])
    }
    if "selection" in values and not _says_development(reading):
        values.discard("development")
    for value, purpose in _PURPOSES.items():
        if value in values:
            state.purpose = purpose
            break
    if "selection" in values or "leadership_selection" in values:
        state.selects = True
    headcount = reading.limits.headcount
    if headcount is not None and headcount >= VOLUME_HEADCOUNT and state.purpose is None:
        state.purpose = Purpose.VOLUME_SCREENING


def _says_development(reading: Reading) -> bool:
    """Whether developing is said by more than what the job involves ("the posts involve coaching")."""
    forms = {match.form for match in reading.cues if ("purpose", "development") in match.value}
    return bool(forms - {"coach", "coaching"})


def settle_types(state: State, knowledge: Knowledge) -> frozenset[TestType]:
    """Kinds of test that are out altogether: not those of a measure that is asked for."""
    wanted = {
        code
        for skill in state.skills
        if knowledge.skills[skill].kind == "measure"
        for code in knowledge.types_of(skill)
    }
    return frozenset(state.unwanted_types - wanted)


def fold_languages(
    state: State, mentions: tuple[LanguageMention, ...], *, voice: bool, asked_test: bool
) -> None:
    """Tell the language of a job's calls from the language of the tests."""
    for mention in mentions:
        if mention.use == "known":
            state.spoken_language = state.spoken_language or (mention.language if voice else None)
        elif mention.use == "spoken" or (voice and mention.use != "test"):
            state.spoken_language = mention.language
        elif mention.use in ("test", "native") or asked_test:
            if mention.language == "English":
                state.language_lifted = state.language_lifted or bool(state.languages)
            elif mention.choice and state.languages:
                state.languages[-1] += OR + mention.language
            elif mention.language not in state.languages:
                state.languages.append(mention.language)


def fold_roles(
    state: State, mentions: list[Mention], reading: Reading, knowledge: Knowledge, *, corrects: bool
) -> None:
    """The first role named is the role; a correction replaces it."""
    roles = [m for m in mentions if m.mode not in (Mode.NOT, Mode.DROP, Mode.ASK, Mode.ADVICE)] or [
        m for m in mentions if m.mode is Mode.ASK
    ]
    if not roles:
        return
    ids = [FamilyId(m.ids[0]) for m in roles]
    specific = [family for family in ids if not knowledge.families[family].generic]
    first = (specific or ids)[0]
    opens = bool(state.families) and knowledge.families[state.families[0]].generic and bool(specific)
    if state.families and not corrects and not opens:
        return
    state.families = list(dict.fromkeys([first, *ids]))
    chosen = next(m for m in roles if m.ids[0] == first)
    state.role_text = reading.text.plain[chosen.start : chosen.end]
