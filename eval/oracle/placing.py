"""Which figure of an answer is said of what: by table row and column, and in prose by the name that stands nearest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from eval.oracle.numbers import Quantity, quantities

_RULE = re.compile(r"^[\s|:+-]+$")
_LEADS_TO = re.compile(r"\s+(?:(?:in|at|for|from|of|by)\s+)(?:the\s+)?|\s*\(", re.IGNORECASE)
"""Between a figure and the name behind it that it belongs to: "₹4 lakh in Pune"."""
_SENTENCE = re.compile(r"(?<=[.;!?।])\s+|\s+·\s+|\n")


@dataclass(frozen=True, slots=True)
class Segment:
    """A table row or a sentence, with the figures in it and where they stand in it."""

    text: str
    figures: tuple[Quantity, ...]
    headers: tuple[str, ...] = ()
    """Head of the column of each figure; empty in prose."""

    @property
    def is_row(self) -> bool:
        """Whether this is a row of a table."""
        return bool(self.headers)


def segments(answer: str) -> tuple[Segment, ...]:
    """The rows and sentences of an answer in order."""
    found: list[Segment] = []
    prose: list[str] = []
    header: list[str] = []
    for line in answer.splitlines():
        if line.count("|") < 2:
            prose.append(line)
            header = []
            continue
        found += _sentences(prose)
        prose = []
        if not header:
            header = _cells(line)
        elif not _RULE.match(line):
            found.append(_row(line, header))
    return (*found, *_sentences(prose))


def said_of(segment: Segment, labels: Sequence[str], rivals: Iterable[Sequence[str]]) -> tuple[int, ...]:
    """Positions of the figures of `segment` that are said of all `labels` and not of the labels of `rivals`.

    A row is about whatever it names. In a sentence a figure belongs to the name that it leads to ("₹4 lakh in
    Pune"), else to the name before it, or, before the first name, to the first.
    """
    if not all(mentions(label, segment.text) for label in labels):
        return ()
    if segment.is_row or not labels:
        return tuple(range(len(segment.figures)))
    mine = {label.lower() for label in labels}
    places = sorted(
        (place, label.lower())
        for label in _all_labels([labels, *rivals])
        for place in mentions(label, segment.text)
    )
    return tuple(
        n for n, figure in enumerate(segment.figures) if _owner(figure, places, mine, segment.text) in mine
    )


def of_measure(
    segment: Segment, chosen: Sequence[int], words: Sequence[str], rivals: Iterable[Sequence[str]]
) -> tuple[int, ...]:
    """Those of the chosen figures that are said of the measure called by one of `words`, if any measure is named."""
    others = [each for each in rivals if set(each) != set(words)]
    if not words:
        return tuple(chosen)
    if segment.is_row:
        heads = {n: segment.headers[n] for n in chosen if n < len(segment.headers)}
        named = tuple(n for n in chosen if _names(words, heads.get(n, "")))
        strange = {n for n in chosen if any(_names(each, heads.get(n, "")) for each in others)}
        return named or tuple(n for n in chosen if n not in strange)
    mine = {word.lower() for word in words}
    places = sorted(
        (place, word.lower())
        for word in _all_labels([words, *others])
        for place in mentions(word, segment.text)
    )
    if not places:
        return tuple(chosen)
    return tuple(n for n in chosen if _owner(segment.figures[n], places, mine, segment.text) in mine)


def mentions(label: str, text: str) -> tuple[int, ...]:
    """Where `label` stands in `text` as a whole word, whatever its case and spacing."""
    return tuple(match.start() for match in _pattern(label).finditer(text))


@cache
def _pattern(label: str) -> re.Pattern[str]:
    spaced = r"\s+".join(re.escape(word) for word in label.split())
    return re.compile(rf"(?<!\w){spaced}(?!\w)", re.IGNORECASE)


def _owner(figure: Quantity, places: list[tuple[int, str]], mine: set[str], text: str) -> str:
    behind = [
        label
        for place, label in places
        if place >= figure.end and _LEADS_TO.fullmatch(text[figure.end : place])
    ]
    if behind:
        return behind[0]
    before = [(place, label) for place, label in places if place < figure.start]
    if not before:
        return places[0][1] if places else ""
    last = before[-1][0]
    at_once = [label for place, label in before if place == last]
    return next((label for label in at_once if label in mine), at_once[0])


def _all_labels(groups: Iterable[Sequence[str]]) -> list[str]:
    return list(dict.fromkeys(label for group in groups for label in group))


def _names(words: Sequence[str], head: str) -> bool:
    return any(mentions(word, head) for word in words)


def _sentences(lines: list[str]) -> Iterator[Segment]:
    for part in _SENTENCE.split("\n".join(lines)):
        if part.strip():
            yield Segment(part, quantities(part))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _row(line: str, header: list[str]) -> Segment:
    figures = quantities(line)
    offset = 1 if line.lstrip().startswith("|") else 0
    columns = [line.count("|", 0, figure.start) - offset for figure in figures]
    return Segment(line, figures, tuple(header[c] if 0 <= c < len(header) else "?" for c in columns))
