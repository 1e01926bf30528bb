"""Edits while a message is walked, and what its verbs say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from app.catalog import AssessmentId
from app.knowledge import SkillId
from app.records import Weight
from app.understanding.acceptance import accepts_outright
from app.understanding.reading import Reading
from app.understanding.references import Ids, Thing
from app.understanding.sentences import ASKING, CueMatch, Sentence

_EDIT_VERBS = frozenset({"drop", "replace", "keep", "only", "choose", "add"})


@dataclass(frozen=True, slots=True)
class Before:
    """What stood in the conversation before a message."""

    standing: Ids = ()
    previous_list: Ids = ()
    compared: Ids = ()
    """What an open comparison is about."""
    topic: tuple[Thing, ...] = ()
    """What the message before was about."""
    advised: bool = False
    """Whether the message before asked if something should be added."""


@dataclass(slots=True)
class EditDraft:
    """Edits while a message is walked."""

    reading: Reading
    before: Before
    quiet: bool
    """Nothing is edited, asked or accepted outright, so what is named is a new fact."""
    add: list[AssessmentId] = field(default_factory=list)
    add_skills: list[SkillId] = field(default_factory=list)
    drop: list[AssessmentId] = field(default_factory=list)
    replace: list[AssessmentId] = field(default_factory=list)
    only: list[AssessmentId] = field(default_factory=list)
    keep: list[AssessmentId] = field(default_factory=list)
    wanted: list[tuple[SkillId, Weight | None, bool]] = field(default_factory=list)
    unwanted: list[SkillId] = field(default_factory=list)
    chosen: list[AssessmentId] = field(default_factory=list)
    asked: list[AssessmentId] = field(default_factory=list)
    advice: list[Thing] = field(default_factory=list)
    topic: list[Thing] = field(default_factory=list)
    liked: list[AssessmentId] = field(default_factory=list)
    """Named without wanting it away."""
    selected: bool = False
    """The list was chosen item by item ("go with A and B"), which settles it."""

    @property
    def standing(self) -> Ids:
        """The list before the message."""
        return self.before.standing

    @property
    def text(self) -> str:
        """The message's matching form."""
        return self.reading.text.folded

    def has_edit(self) -> bool:
        """Whether anything is edited so far."""
        return bool(self.drop or self.replace or self.only or self.add or self.add_skills)


def verbs_of(reading: Reading) -> Iterable[tuple[CueMatch, str, Sentence]]:
    """Edit verbs of sentences that do not ask, with their sentence."""
    for match in reading.cues:
        for value in (value for group, value in match.value if group == "verb"):
            sentence = reading.sentence_of(match.start)
            if sentence is not None and sentence.kind not in ASKING:
                yield match, value, sentence


def is_told(reading: Reading, position: int) -> bool:
    """Whether the sentence that holds `position` tells rather than asks."""
    sentence = reading.sentence_of(position)
    return sentence is not None and sentence.kind not in ASKING


def verdict_after(reading: Reading, position: int) -> str | None:
    """The first verdict behind `position` ("can go")."""
    verdicts = [v for c in reading.cues for g, v in c.value if g == "after" and c.start > position]
    return verdicts[0] if verdicts else None


def verb_around(reading: Reading, position: int) -> str | None:
    """The verb of the sentence that holds `position`: the last before it, else a verdict behind it."""
    sentence = reading.sentence_of(position)
    if sentence is None or sentence.kind in ASKING:
        return None
    inside = [c for c in reading.cues if sentence.start <= c.start < sentence.end]
    verbs = [v for c in inside for g, v in c.value if g == "verb" and v != "not" and c.start <= position]
    verdicts = [v for c in inside for g, v in c.value if g == "after" and c.start > position]
    return verbs[-1] if verbs else verdicts[0] if verdicts else None


def unique(ids: Iterable[AssessmentId]) -> Ids:
    """Each once, in order."""
    return tuple(dict.fromkeys(ids))


def is_quiet(reading: Reading) -> bool:
    """Whether what the message names is a new fact: it edits, asks and accepts nothing outright."""
    if reading.has("reject"):
        return True
    if _EDIT_VERBS & set(reading.values("verb")) or reading.has("staging"):
        return False
    if accepts_outright(reading, keeping_counts=True):
        return False
    return not any(s.kind in ASKING for s in reading.sentences)
