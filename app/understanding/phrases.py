"""Find thousands of phrases in one pass, on word borders, the longest first."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import ahocorasick

from app.understanding.text import pattern

Value = TypeVar("Value", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Match(Generic[Value]):
    """A phrase found at [start, end) of the folded text."""

    start: int
    end: int
    value: Value
    form: str


BEGINNING = 5
"""Characters of a phrase that the automaton looks for; where they are found, the rest is looked up. A node per
character of 60,000 phrases would take 28 MB."""


class PhraseIndex(Generic[Value]):
    """Phrases with a value each; several phrases may share a value, one phrase holds one value."""

    def __init__(self, phrases: Mapping[str, Value]) -> None:
        """Index `phrases` (any spelling; folded here). A later duplicate of the same phrase is ignored."""
        self._values: dict[str, Value] = {}
        for phrase, value in phrases.items():
            form = pattern(phrase)
            if form:
                self._values.setdefault(phrase if phrase == form else form, value)  # one copy will do
        lengths: dict[str, set[int]] = {}
        for form in self._values:
            lengths.setdefault(form[:BEGINNING], set()).add(len(form))
        self._automaton = ahocorasick.Automaton()
        shared: dict[tuple[int, ...], tuple[int, ...]] = {}
        for beginning, found in lengths.items():
            entry = (len(beginning), *sorted(found))
            self._automaton.add_word(beginning, shared.setdefault(entry, entry))
        if lengths:
            self._automaton.make_automaton()

    def __contains__(self, form: object) -> bool:
        return form in self._values

    @property
    def forms(self) -> frozenset[str]:
        """All phrases in matching form."""
        return frozenset(self._values)

    def find(self, folded: str) -> list[Match[Value]]:
        """Matches on word borders, in text order, the longest where they overlap."""
        if not self._values:
            return []
        found: list[Match[Value]] = []
        for last, (beginning, *lengths) in self._automaton.iter(folded):
            start = last + 1 - beginning
            for length in lengths:
                end = start + length
                form = folded[start:end]
                if form in self._values and end <= len(folded) and _on_borders(folded, start, end):
                    found.append(Match(start, end, self._values[form], form))
        return longest(found)


def longest(matches: Iterable[Match[Value]]) -> list[Match[Value]]:
    """Non-overlapping matches: the longest wins, then the leftmost."""
    chosen: list[Match[Value]] = []
    taken: set[int] = set()
    for match in sorted(matches, key=lambda m: (m.start - m.end, m.start)):
        # What was chosen before is at least as long, so an overlap covers one end of this match.
        if match.start not in taken and match.end - 1 not in taken:
            chosen.append(match)
            taken.update(range(match.start, match.end))
    return sorted(chosen, key=lambda m: m.start)


def _on_borders(text: str, start: int, end: int) -> bool:
    """Whether [start, end) is a word of its own: "java" is not in "javascript", nor "c" in "c++"."""
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    if _is_word(text[start]) and (_is_word(before) or before in "#@"):
        return False
    if before in ".+&" and start > 1 and _is_word(text[start]) and _glued_before(text, start, end):
        return False
    if _is_word(text[end - 1]) or text[end - 1] in "+#":
        if _is_word(after) or after in "#+":
            return False
        if after in ".&" and end + 1 < len(text) and _is_word(text[end + 1]):
            # "asp.net" is not "asp"; "Java.Then" (a missing space) still is "java"
            return after == "." and end - start >= 4 and not _is_technical_tail(text, end + 1)
    return True


def _glued_before(text: str, start: int, end: int) -> bool:
    """Whether "js" in "node.js", "net" in ".net" or "d" in "r&d": a part of a longer word."""
    if text[start - 1] == ".":
        return text.startswith("net", start) or (_is_word(text[start - 2]) and end - start <= 3)
    return _is_word(text[start - 2])


def _is_technical_tail(text: str, position: int) -> bool:
    return text[position : position + 3] == "net" or text[position : position + 2] in ("js", "io", "ai")


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
