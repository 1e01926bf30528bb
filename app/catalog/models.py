"""What is known of one assessment: facts from the vendor's export."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

AssessmentId = NewType("AssessmentId", str)
"""URL slug of an assessment; the key of everything."""


class TestType(StrEnum):
    """Code letter of a kind of test, as the vendor prints it."""

    __test__ = False  # not a pytest class

    ABILITY = "A"
    JUDGEMENT = "B"
    COMPETENCIES = "C"
    DEVELOPMENT = "D"
    EXERCISES = "E"
    KNOWLEDGE = "K"
    PERSONALITY = "P"
    SIMULATION = "S"


TYPE_LABELS: dict[TestType, str] = {
    TestType.ABILITY: "Ability & Aptitude",
    TestType.JUDGEMENT: "Biodata & Situational Judgment",
    TestType.COMPETENCIES: "Competencies",
    TestType.DEVELOPMENT: "Development & 360",
    TestType.EXERCISES: "Assessment Exercises",
    TestType.KNOWLEDGE: "Knowledge & Skills",
    TestType.PERSONALITY: "Personality & Behavior",
    TestType.SIMULATION: "Simulations",
}
"""The vendor's words for each letter."""


class Level(StrEnum):
    """Job level of the people an assessment is meant for."""

    ENTRY = "entry"
    GENERAL = "general"
    GRADUATE = "graduate"
    PROFESSIONAL = "professional"
    MID = "mid"
    SUPERVISOR = "supervisor"
    FRONTLINE_MANAGER = "frontline_manager"
    MANAGER = "manager"
    DIRECTOR = "director"
    EXECUTIVE = "executive"


LEVEL_LABELS: dict[Level, str] = {
    Level.ENTRY: "Entry-Level",
    Level.GENERAL: "General Population",
    Level.GRADUATE: "Graduate",
    Level.PROFESSIONAL: "Professional Individual Contributor",
    Level.MID: "Mid-Professional",
    Level.SUPERVISOR: "Supervisor",
    Level.FRONTLINE_MANAGER: "Front Line Manager",
    Level.MANAGER: "Manager",
    Level.DIRECTOR: "Director",
    Level.EXECUTIVE: "Executive",
}
"""The vendor's words for each level."""


class Duration(StrEnum):
    """Kind of time statement in the export; only the first two come with minutes."""

    STATED = "stated"
    CEILING = "ceiling"
    """The export says "max"; minutes are an upper bound."""
    UNTIMED = "untimed"
    VARIABLE = "variable"
    TO_BE_CONFIRMED = "tbc"
    NOT_APPLICABLE = "n/a"
    DASH = "-"
    ZERO = "0"
    EMPTY = ""


@dataclass(frozen=True, slots=True)
class Assessment:
    """One catalogue record."""

    id: AssessmentId
    entity_id: str
    name: str
    url: str
    types: tuple[TestType, ...]
    """In the export's order, without repeats."""
    minutes: int | None
    """Minutes of testing time; None when the export gives no usable number."""
    duration: Duration
    levels: tuple[Level, ...]
    languages: tuple[str, ...]
    """The export's language names; empty means unknown, not English."""
    remote: bool
    adaptive: bool

    @property
    def test_type(self) -> str:
        """Code letters joined by commas, as the wire wants them."""
        return ",".join(self.types)
