"""How two answers differ.

A pair has one kind, the first of these that holds:

stream_corrupt    the pieces of a stream do not make up its final text, or something came twice
status_diff       the outcomes differ, or one ends the conversation and the other does not
numeric_diff      a figure differs in place, or each side has a figure that the other lacks
missing_content   words, entries of a list or their order differ otherwise
cosmetic          only spacing, case, marks of layout, quotes, dashes, full stops and the grouping of digits differ
identical         nothing differs
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import zip_longest

from eval.records import Payload

_SAME_CHARACTERS = str.maketrans("–—−‑“”„‘’ʼ", "----\"\"\"'''")
_EDGES = "*_`~>\"'.,;:…•·"
"""Marks of layout and stops, which may stand around a word or not."""
_LAYOUT = re.compile(r"[|*_`~#>\"'.,;:…•·=-]+")
_FIGURE = re.compile(
    r"(?P<open>\()?(?P<before>[^\w\s(]{0,3}?)(?P<sign>[+-]?)(?P<before2>[₹$€£]?)"
    r"(?P<digits>\d{1,3}(?:,\d{2,3})*,\d{3}|\d+)(?P<fraction>\.\d+)?(?P<after>%?)(?P<close>\))?"
)
_DIGITS = re.compile(r"\d+")


class Kind(StrEnum):
    """How two answers differ, the gravest first."""

    STREAM_CORRUPT = "stream_corrupt"
    STATUS_DIFF = "status_diff"
    NUMERIC_DIFF = "numeric_diff"
    MISSING_CONTENT = "missing_content"
    COSMETIC = "cosmetic"
    IDENTICAL = "identical"


HARMLESS = (Kind.IDENTICAL, Kind.COSMETIC)


@dataclass(frozen=True, slots=True)
class Difference:
    """The kind of a pair, with the place where it shows."""

    kind: Kind
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A word without its figures, and the figures with their units."""

    word: str
    figures: tuple[tuple[Decimal, str], ...] = ()


def tokens(text: str) -> tuple[Token, ...]:
    """`text` as it counts when looks do not."""
    plain = unicodedata.normalize("NFC", text.casefold()).translate(_SAME_CHARACTERS).replace("|", " ")
    return tuple(_token(part) for part in plain.split() if not _LAYOUT.fullmatch(part))


def _token(part: str) -> Token:
    stripped = part.strip(_EDGES) or part
    number = _FIGURE.fullmatch(stripped)
    if number is None or bool(number["open"]) is not bool(number["close"]):
        word = stripped.lstrip("#([{").rstrip(")]}" + _EDGES) or stripped
        return Token(_DIGITS.sub("0", word), tuple((Decimal(digits), "") for digits in _DIGITS.findall(word)))
    value = Decimal(number["digits"].replace(",", "") + (number["fraction"] or ""))
    negative = number["sign"] == "-" or bool(number["open"])  # accountants write losses in brackets
    unit = number["before"] + number["before2"] + number["after"]
    return Token("0", ((-value if negative else value, unit),))


def compare_texts(one: str, other: str) -> Difference:
    """How two texts differ, by the definitions at the head of this module."""
    if one == other:
        return Difference(Kind.IDENTICAL)
    left, right = tokens(one), tokens(other)
    if left == right:
        return Difference(Kind.COSMETIC)
    place = _first_difference(left, right)
    if [token.word for token in left] == [token.word for token in right]:
        return Difference(Kind.NUMERIC_DIFF, place)
    figures = [Counter(figure for token in side for figure in token.figures) for side in (left, right)]
    if figures[0] - figures[1] and figures[1] - figures[0]:
        return Difference(Kind.NUMERIC_DIFF, place)
    return Difference(Kind.MISSING_CONTENT, place)


def _first_difference(left: Sequence[Token], right: Sequence[Token]) -> str:
    at = next(n for n, (one, two) in enumerate(zip_longest(left, right)) if one != two)
    return f"from word {at + 1} on: {_words(left[at : at + 6])!r} against {_words(right[at : at + 6])!r}"


def _words(part: Sequence[Token]) -> str:
    return " ".join(
        token.word if not token.figures else " ".join(f"{value}{unit}" for value, unit in token.figures)
        for token in part
    )


# --- two answers ----------------------------------------------------------------------------------


def compare_answers(one: Payload, other: Payload, carried: frozenset[str]) -> Difference:
    """How two answers differ. `carried` are the parts that both channels deliver."""
    for payload in (one, other):
        if payload.stream_intact is False:
            return Difference(Kind.STREAM_CORRUPT, f"{payload.source}: {'; '.join(payload.faults)}")
    if one.status != other.status:
        return Difference(Kind.STATUS_DIFF, f"{one.status} against {other.status}{_errors(one, other)}")
    if "ends" in carried and one.ends is not other.ends:
        return Difference(Kind.STATUS_DIFF, f"end {one.ends} against {other.ends}")
    differences = [compare_texts(one.ai_response, other.ai_response)]
    if "recommendations" in carried:
        differences.append(_compare_lists(one, other))
    return min(differences, key=lambda each: list(Kind).index(each.kind))


def _errors(one: Payload, other: Payload) -> str:
    said = next((p.error for p in (one, other) if p.error), "")
    return f": {said}" if said else ""


def _compare_lists(one: Payload, other: Payload) -> Difference:
    if one.recommendations == other.recommendations:
        return Difference(Kind.IDENTICAL)
    for place, (left, right) in enumerate(zip_longest(one.recommendations, other.recommendations), 1):
        if left is None or right is None or left.id != right.id or left.test_type != right.test_type:
            names = [each.name if each else "nothing" for each in (left, right)]
            return Difference(Kind.MISSING_CONTENT, f"entry {place}: {names[0]!r} against {names[1]!r}")
        names_differ = compare_texts(left.name, right.name)
        if names_differ.kind not in HARMLESS:
            return Difference(names_differ.kind, f"entry {place}: {left.name!r} against {right.name!r}")
    return Difference(Kind.COSMETIC)
