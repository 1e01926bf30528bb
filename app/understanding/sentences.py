"""Cut a message into sentences and say what kind each is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any

from app.understanding.lexicon import Cue
from app.understanding.phrases import Match
from app.understanding.text import Text

CueMatch = Match[tuple[Cue, ...]]

_BOUNDARY = re.compile(r"[!?;\n।]+|\.(?=[\s\"')]|$)| – |\.\.\.")
CLAUSE = re.compile(r",| but | while | whereas |\(|\)|:")
"""Ends of clauses inside a sentence."""
_LEAD_IN = re.compile(
    r"[\s\"'(¿]*(?:(?:and|but|so|ok|okay|well|then|now|or|hi|hello|thanks|good|right|just|y|et|und|e|aur)[\s,]+)*"
)
"""What may stand before the word that makes a sentence a question."""
_POLITE_LEAD_IN = re.compile(
    _LEAD_IN.pattern
    + r"(?:(?:please|pls|kindly|can you|could you|would you|will you|just|briefly|quickly|also)\s+)*"
)
"""What may stand before an order to tell ("please compare …"), which asks as a question does."""


class SentenceKind(StrEnum):
    """How a sentence is meant."""

    STATEMENT = "statement"
    QUESTION = "question"
    REQUEST = "request"
    """Asks for something to be done ("can you add …", "what do you recommend")."""
    ADVICE = "advice"
    """Asks whether something should be done ("should we also add …")."""


ASKING = (SentenceKind.QUESTION, SentenceKind.ADVICE)
"""Kinds that ask rather than tell."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """[start, end) of the text."""

    start: int
    end: int
    kind: SentenceKind
    heading: bool
    """Ends with a colon: what it says holds for the lines below."""


def split(text: Text, cues: Iterable[CueMatch], names: Iterable[Match[Any]]) -> tuple[Sentence, ...]:
    """The sentences of `text`, empty ones left out; a product name is never cut."""
    cues = list(cues)
    spans = [(name.start, name.end) for name in names]
    sentences: list[Sentence] = []
    start = 0
    for boundary in _BOUNDARY.finditer(text.plain):
        if any(begin < boundary.start() and boundary.end() < end for begin, end in spans):
            continue
        _append(sentences, text, cues, start, boundary.start(), "?" in boundary.group())
        start = boundary.end()
    _append(sentences, text, cues, start, len(text.plain), asked=False)
    return tuple(sentences)


def _append(
    sentences: list[Sentence], text: Text, cues: list[CueMatch], start: int, end: int, asked: bool
) -> None:
    body = text.plain[start:end].strip()
    if body:
        inside = [match for match in cues if start <= match.start < end]
        kind = _kind(text.folded[start:end], start, inside, asked)
        sentences.append(Sentence(start, end, kind, body.endswith(":")))


def _kind(folded: str, start: int, cues: list[CueMatch], asked: bool) -> SentenceKind:
    found = {cue for match in cues for cue in match.value}
    if ("question", "advice") in found:
        return SentenceKind.ADVICE
    edits = ("after", "drop") in found or any(g == "verb" and v not in ("not", "choose") for g, v in found)
    if not edits and _opens(folded, start, cues, "order", _POLITE_LEAD_IN):
        return SentenceKind.QUESTION
    if ("question", "request") in found or (("question", "modal") in found and edits):
        return SentenceKind.REQUEST
    opens = not _SAYS.match(folded) and any(
        _opens(folded, start, cues, value, _LEAD_IN) for value in ("opener", "modal")
    )
    asks = asked or (opens and not _is_emphatic(cues)) or ("question", "indirect") in found
    return SentenceKind.QUESTION if asks else SentenceKind.STATEMENT


_SAYS = re.compile(
    r"\s*what (?:we|you|i|they)(?:'ve)? (?:have|got|need|want|propose|suggest|suggested|listed|see|saw)\b.*\b(?:is|are|was)\b"
)
""" "What we have is approved" begins like a question and is none."""


def _opens(folded: str, start: int, cues: list[CueMatch], value: str, lead_in: re.Pattern[str]) -> bool:
    """Whether the sentence begins with a question cue of this value."""
    return any(
        ("question", value) in match.value and lead_in.fullmatch(folded[: match.start - start])
        for match in cues
    )


def _is_emphatic(cues: list[CueMatch]) -> bool:
    """ "Do add it": the opener stands right before an edit."""
    return any(
        first.form == "do"
        and second.start == first.end + 1
        and any(group == "verb" for group, _ in second.value)
        for first, second in pairwise(cues)
    )
