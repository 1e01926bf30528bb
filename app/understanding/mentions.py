"""What a message names: skills, roles, assessments and human languages."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.records import Weight


class Kind(StrEnum):
    """What a mention names."""

    SKILL = "skill"
    ROLE = "role"
    NAME = "name"


class Mode(StrEnum):
    """What the message does with a mention."""

    WANT = "want"
    """Stated as part of the need."""
    ADD = "add"
    DROP = "drop"
    NOT = "not"
    """Negated: "no personality", "Java definitely not"."""
    REPLACE = "replace"
    KEEP = "keep"
    ONLY = "only"
    CHOOSE = "choose"
    ASK = "ask"
    """Asked about."""
    ADVICE = "advice"
    """"Should we add X?"."""
    IGNORED = "ignored"
    """Named under a condition ("add X only where …")."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A skill, role or assessment named in a message, at [start, end) of its text."""

    kind: Kind
    ids: tuple[str, ...]
    """One id; several where a spoken name may mean either, the default first."""
    start: int
    end: int
    form: str
    mode: Mode = Mode.WANT
    weight: Weight | None = None
    typo: bool = False


@dataclass(frozen=True, slots=True)
class LanguageMention:
    """A human language named in a message."""

    language: str
    use: str
    """"spoken", "test", "native", "known" (said to be no obstacle) or "" when nothing around it says."""
    sentence: int
    """Number of the sentence that names it, from 0."""
    choice: bool = False
    """The one before it will do as well ("Spanish or Catalan")."""
