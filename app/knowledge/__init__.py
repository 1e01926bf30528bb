"""What the export lacks: skills, relations, variants, and what a consultant would combine."""

from app.knowledge.loader import ANY_FAMILY, load_knowledge
from app.knowledge.models import (
    Component,
    Entry,
    Family,
    FamilyId,
    GuardedForm,
    Knowledge,
    Part,
    Play,
    Purpose,
    Sitting,
    Skill,
    SkillId,
)

__all__ = [
    "ANY_FAMILY",
    "Component",
    "Entry",
    "Family",
    "FamilyId",
    "GuardedForm",
    "Knowledge",
    "Part",
    "Play",
    "Purpose",
    "Sitting",
    "Skill",
    "SkillId",
    "load_knowledge",
]
