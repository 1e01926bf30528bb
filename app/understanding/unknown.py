"""Product names that are not in the catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from app.understanding.phrases import Match
from app.understanding.text import Text

_BRAND = re.compile(
    r"\b(opq\s?\d*[a-z]?\d*[a-z]?|mq[a-z]?\d+|verify [a-z+]+(?: [a-z+]+)?|svar [a-z]+|automata [a-z]+|writex [a-z]+)(?![\w+])"
)
_BRAND_ALONE = frozenset({"opq", "mq"})
_NOT_A_NAME = frozenset(
    "and or the a an is are was for with to of in on as test tests that it if can be by from too please that's we i"
    " they our your their his her at when whether how what".split()
)
_TITLED = re.compile(
    r"\b(?:[A-Z][\w-]+ ){2,5}(?:Inventory|Questionnaire|Indicator|Profiler|Battery)\b"
    r"|\bSHL(?: [A-Z][\w-]+){2,5}"
)
"""What is titled like a published instrument."""


def unknown_names(text: Text, names: Iterable[Match[Any]]) -> tuple[Match[str], ...]:
    """What is built like a product name but is none ("OPQ64x", "Verify Ultra"); its value is as it was written."""
    spans = [(name.start, name.end) for name in names]
    unknown = []
    for match in _BRAND.finditer(text.folded):
        brand_end = match.start() + len(match.group().split()[0])
        if any(
            (start < match.end() and brand_end < end) or (start, end) == match.span() for start, end in spans
        ):
            continue
        spoken = text.plain[match.start() : match.end()]
        if " " in spoken and not _looks_like_a_name(spoken):
            continue
        if match.group() in _BRAND_ALONE:
            continue
        unknown.append(_match(match.start(), _trim(spoken)))
    unknown += [
        _match(match.start(), match.group())
        for match in _TITLED.finditer(text.plain)
        if not any(start < match.end() and match.start() < end for start, end in spans)
    ]
    return tuple(unknown)


def _match(start: int, spoken: str) -> Match[str]:
    return Match(start, start + len(spoken), spoken, spoken)


def _looks_like_a_name(spoken: str) -> bool:
    first, *rest = re.findall(r"[\w+]+", spoken)
    second = rest[0] if rest else ""
    return bool(second) and first[0].isupper() and second[0].isupper() and second.lower() not in _NOT_A_NAME


def _trim(spoken: str) -> str:
    kept = spoken.split()
    while len(kept) > 2 and (kept[-1].lower() in _NOT_A_NAME or kept[-1].islower()):
        kept.pop()
    return " ".join(kept)
