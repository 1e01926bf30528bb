"""Ambiguous forms ("R", "Go", "Word") count only in the right company."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.knowledge import GuardedForm
from app.understanding.phrases import Match
from app.understanding.text import Text, pattern


def allows(guard: GuardedForm, text: Text, match: Match[Any], company: str) -> bool:
    """Whether the company that an ambiguous form keeps lets it count."""
    if guard.case is not None and text.plain[match.start : match.end] != guard.case:
        return False
    folded = text.folded
    if guard.case is None and guard.needs and _is_common_noun(text, match):
        return False
    if any(_has_phrase(folded, phrase) for phrase in guard.unless):
        return False
    if guard.case is None and _is_proper_noun(text, match):
        return True
    return not guard.needs or any(
        _has_phrase(folded, phrase, match) or (bool(company) and _has_phrase(company, phrase))
        for phrase in guard.needs
    )


def _is_proper_noun(text: Text, match: Match[Any]) -> bool:
    """Whether a capital inside a sentence marks the word as a name ("she must know Tableau")."""
    before = text.plain[: match.start].rstrip(" \"'(")
    return text.plain[match.start].isupper() and bool(before) and before[-1] not in ".!?:;\n–"


def _is_common_noun(text: Text, match: Match[Any]) -> bool:
    """Whether the word stands in lower case behind "a" or "an" ("somebody with a spark")."""
    words_before = text.folded[: match.start].split()
    return text.plain[match.start].islower() and words_before[-1:] in (["a"], ["an"])


def _has_phrase(folded: str, phrase: str, beside: Match[Any] | None = None) -> bool:
    """Whether `phrase` (or its plural) stands in `folded` as words of its own, and not inside `beside`."""
    needle = pattern(phrase)
    return any(
        beside is None
        or end <= beside.start
        or beside.end <= start
        or end - start > beside.end - beside.start
        for start, end in _occurrences(folded, needle)
    )


def _occurrences(folded: str, needle: str) -> Iterator[tuple[int, int]]:
    start = folded.find(needle)
    while start >= 0:
        end = start + len(needle)
        end += folded[end : end + 1] == "s"
        if not folded[start - 1 : start].isalnum() and not folded[end : end + 1].isalnum():
            yield start, end
        start = folded.find(needle, start + 1)
