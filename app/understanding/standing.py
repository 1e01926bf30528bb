"""Read back from the conversation which lists were shown and what was asked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.catalog import AssessmentId, Catalog
from app.records import Topic
from app.understanding.lexicon import Lexicon
from app.understanding.text import clean, fold, prepare

_URL = re.compile(r"https?://[^\s<>|)\]\"']*/view/([^\s<>|)\]\"'/]+)")
_LIST_LINE = re.compile(r"^\s*(?:\d{1,2}[.)]\s|[-*+]\s|\|)")
_HEADER = re.compile(r"shortlist \((\d{1,2}) assessments?")
_NUMBERED = re.compile(r"(?:^|\s)\d{1,2}[.)]\s")
_EMPTIED = "Shortlist (0 assessments)"
LIST_LIMIT = 10


class ListReader:
    """Finds the shortlist that an assistant message shows. Nothing outside the catalogue can come back."""

    def __init__(self, catalog: Catalog, lexicon: Lexicon) -> None:
        self._catalog = catalog
        self._lexicon = lexicon

    def read(self, message: str) -> tuple[AssessmentId, ...] | None:
        """Ids in the order shown, at most ten; None if the message shows no list, none in one that was emptied."""
        found: list[AssessmentId] = []
        for line in message.splitlines():
            if _LIST_LINE.match(line):
                found += self._first_on(line)
        found = found or self._inline(message)
        if not found and _EMPTIED not in message:
            return None
        return tuple(dict.fromkeys(found))[:LIST_LIMIT]

    def _first_on(self, line: str) -> list[AssessmentId]:
        for slug in _URL.findall(line):
            assessment = self._by_slug(slug)
            if assessment is not None:
                return [assessment]
        matches = self._lexicon.list_names.find(prepare(line).folded)
        return [matches[0].value] if matches else []

    def _by_slug(self, slug: str) -> AssessmentId | None:
        assessment = self._catalog.get(slug) or self._catalog.get(slug.lower())
        return assessment.id if assessment else None

    def _inline(self, message: str) -> list[AssessmentId]:
        """A list whose line breaks a client has lost: our own header says how many names follow."""
        text = prepare(message)
        header = _HEADER.search(text.folded)
        if header is None:
            return []
        rest = text.folded[header.end() :]
        names = self._lexicon.list_names.find(rest)
        numbered = [m.value for m in names if _NUMBERED.search(rest[max(0, m.start - 6) : m.start])]
        return (numbered or [m.value for m in names])[: int(header[1])]


def topic_asked(lexicon: Lexicon, message: str) -> Topic:
    """What an assistant message without a list asks about; FOCUS when nothing tells."""
    found = lexicon.asked.find(fold(" ".join(clean(message).split())))
    order = [Topic(match.value) for match in found]
    return _most_telling(order)


_TELLING = (
    Topic.NO_TEST, Topic.ACCENT, Topic.SPOKEN_LANGUAGE, Topic.TEST_LANGUAGE, Topic.STACK_SIDE, Topic.OWNERSHIP,
    Topic.PURPOSE, Topic.UNKNOWN_NAME, Topic.REJECTED, Topic.AUDIENCE, Topic.FOCUS, Topic.NEED,
)  # fmt: skip


def _most_telling(topics: Sequence[Topic]) -> Topic:
    return next((topic for topic in _TELLING if topic in topics), Topic.FOCUS)
