"""What the export lacks: typed records of data/knowledge/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NewType

from app.catalog import AssessmentId, Catalog, Level, TestType

SkillId = NewType("SkillId", str)
FamilyId = NewType("FamilyId", str)


class Sitting(StrEnum):
    """Who produces a result."""

    CANDIDATE = "candidate"
    REPORT = "report"
    """Drawn from another instrument; adds no testing time."""
    RATER = "rater"
    STAFF_TOOL = "staff_tool"


class Purpose(StrEnum):
    """What the results are for."""

    VOLUME_SCREENING = "volume_screening"
    PROFESSIONAL_SELECTION = "professional_selection"
    GRADUATES = "graduates"
    LEADERSHIP_SELECTION = "leadership_selection"
    DEVELOPMENT = "development"
    TALENT_AUDIT = "talent_audit"
    INTERNAL_MOBILITY = "internal_mobility"


@dataclass(frozen=True, slots=True)
class Entry:
    """What we know of one assessment beyond the export."""

    id: AssessmentId
    summary: str
    topics: tuple[str, ...]
    aliases: tuple[str, ...]
    evidence: frozenset[str]
    sitting: Sitting
    instruments: tuple[AssessmentId, ...]
    """What must be sat for this report, main one first; empty for anything else."""
    family: str
    """Shared by assessments that differ only in level, language, accent, version or edition."""
    variant: Mapping[str, str]
    successor: AssessmentId | None
    suits: tuple[str, ...]
    use: frozenset[str]

    @property
    def is_report(self) -> bool:
        """Whether this is a document drawn from another instrument."""
        return self.sitting is Sitting.REPORT


@dataclass(frozen=True, slots=True)
class GuardedForm:
    """A written form that means the skill only in the right company."""

    form: str
    case: str | None
    """Exact spelling that is required, None for any."""
    needs: tuple[str, ...]
    unless: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill, subject, measure or behaviour that people ask for."""

    id: SkillId
    label: str
    kind: str
    forms: tuple[str, ...]
    guarded: tuple[GuardedForm, ...]
    tests: tuple[AssessmentId, ...]
    """What measures it, the usual choice first."""
    nearest: tuple[AssessmentId, ...]
    """Honest substitutes when nothing measures it."""
    note: str
    types: frozenset[TestType]
    """For a kind of measure: the type letters it stands for."""

    @property
    def is_subject(self) -> bool:
        """Whether this is something to know or do, rather than a kind of measure or a trait."""
        return self.kind not in ("measure", "behaviour")


@dataclass(frozen=True, slots=True)
class Family:
    """A job family and the words for it."""

    id: FamilyId
    title: str
    roles: tuple[str, ...]
    skills: frozenset[SkillId]
    purpose: Purpose
    levels: tuple[Level, ...]
    generic: bool
    """The words leave the job open ("developer", "graduate"): a more specific family or the skills decide."""


class Part(StrEnum):
    """How firmly a component belongs to a battery."""

    CORE = "core"
    DEFAULT = "default"
    """Added unasked, announced, removable."""
    OPTIONAL = "optional"
    """Only when the need mentions what it covers."""


@dataclass(frozen=True, slots=True)
class Component:
    """One place in a battery."""

    choices: tuple[AssessmentId, ...]
    """One id, or alternatives of which what was named picks."""
    needs_naming: bool
    """With alternatives: leave the place empty unless one was named."""
    part: Part
    why: str
    skills: frozenset[SkillId] = frozenset()
    """In only if one of these was asked for (empty: always)."""
    levels: frozenset[Level] = frozenset()
    """In only at one of these levels (empty: always)."""


@dataclass(frozen=True, slots=True)
class Play:
    """What a consultant combines for a job family and a purpose."""

    family: FamilyId
    purpose: Purpose
    levels: frozenset[Level]
    components: tuple[Component, ...]
    ask: tuple[str, ...]
    avoid: frozenset[AssessmentId]
    why: str


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Everything under data/knowledge/, cross-checked against the catalogue."""

    entries: Mapping[AssessmentId, Entry]
    skills: Mapping[SkillId, Skill]
    families: Mapping[FamilyId, Family]
    plays: Mapping[tuple[FamilyId, Purpose], tuple[Play, ...]]
    skills_of: Mapping[AssessmentId, frozenset[SkillId]] = field(repr=False)
    """Subjects each assessment measures (the inverse of Skill.tests)."""
    members: Mapping[str, tuple[AssessmentId, ...]] = field(repr=False)
    """Ids of each assessment family, sorted."""
    catalog: Catalog = field(repr=False)

    def types_of(self, skill: SkillId) -> tuple[TestType, ...]:
        """Type letters of the usual test of a skill; empty if it has none."""
        tests = self.skills[skill].tests
        return self.catalog[tests[0]].types if tests else ()

    def siblings(self, assessment_id: AssessmentId) -> tuple[AssessmentId, ...]:
        """All members of the family of `assessment_id`, itself included."""
        return self.members[self.entries[assessment_id].family]
