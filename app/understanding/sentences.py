"""Cut a message into sentences and say what kind each is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.understanding.lexicon import Cue
from app.understanding.phrases import Match
from app.understanding.text import Text

CueMatch = Match[tuple[Cue, ...]]

_BOUNDARY = re.compile(r"[!?;\n।]+|\.(?=[\s\"')]|$)| – |\.\.\.")
_FIRST_WORD = re.compile(r"[\w']+(?:-ce)?")


class SentenceKind(StrEnum):
    """How a sentence is meant."""

    STATEMENT = "statement"
    QUESTION = "question"
    REQUEST = "request"
    """Asks for something to be done ("can you add …", "what do you recommend")."""
    ADVICE = "advice"
    """Asks whether something should be done ("should we also add …")."""


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
        kind = _kind(text.folded[start:end], _groups(cues, start, end), asked)
        sentences.append(Sentence(start, end, kind, body.endswith(":")))


def _groups(cues: list[CueMatch], start: int, end: int) -> set[Cue]:
    return {cue for match in cues if start <= match.start < end for cue in match.value}


def _kind(folded: str, cues: set[Cue], asked: bool) -> SentenceKind:
    if ("question", "advice") in cues:
        return SentenceKind.ADVICE
    if ("question", "request") in cues:
        return SentenceKind.REQUEST
    opener = _FIRST_WORD.search(folded)
    opens = opener is not None and ("question", "opener") in cues and _is_opener(opener.group())
    return SentenceKind.QUESTION if asked or opens else SentenceKind.STATEMENT


_SOLID_OPENERS = frozenset(
    "what what's which why how who is isn't are aren't do does did should shouldn't would wouldn't could"
    " couldn't can can't will won't qué cuál cómo quel quelle comment pourquoi est-ce welche welcher wie warum"
    " kya kaun kaise".split()
)


def _is_opener(word: str) -> bool:
    return word in _SOLID_OPENERS
