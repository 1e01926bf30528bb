"""Human languages: which one a message is written in, and what the ones it names are for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from app.understanding.mentions import LanguageMention
from app.understanding.phrases import Match
from app.understanding.sentences import Sentence
from app.understanding.text import Text, words

MIN_WORDS = 4
"""Fewer words ("SQL", "OPQ32r", "merci") never decide a language."""
MIN_SHARE = 0.25
"""Share of a language's everyday words that a message in it reaches."""

_SPOKEN_NEAR = re.compile(
    r"\b(appels?|llamadas?|anrufe?|chamadas?|teléfono|telefono|téléphone|telefon|call|calls|caller|callers|calling|speak|speaks|speaking|spoken|phone|voice|accent|inbound|outbound|talk"
    r"|talks|conversation|conversations|hablen|hablan|parlent|sprechen|falam|bolte|verbal fluency|fluency)\b"
)
_TEST_BEFORE = re.compile(
    r"(\b(in|en|auf|em|into|versions? in|available in|only|assessed in|tested in|take (?:it|them|the tests?) in)\s(?:the\s)?$)"
)
_TEST_AFTER = re.compile(
    r"^\s?(version|versions|language version|tests?|assessments?|only|edition|language)\b"
)
_NATIVE = re.compile(
    r"^\s?(speaker|speakers|native|natives|mother tongue|candidates|applicants|staff|workers|employees)\b"
)
_DESCRIBED = re.compile(
    r"^[\s-]?(?:speaking|sprachige?n?)\b(?! (?:skills?|tests?|ability|calls?|customers?|callers?))"
)
"""Said of people ("English-speaking"): their language, which only a job on the phone has to be heard in."""


def language_use(folded: str, match: Match[str]) -> str:
    """What a language is named for: "spoken", "test", "native", or "" when nothing around it says."""
    before, after = folded[max(0, match.start - 40) : match.start], folded[match.end : match.end + 40]
    if match.form.startswith("in ") or _TEST_BEFORE.search(before) or _TEST_AFTER.match(after):
        near = re.split(r"[.;!?\n]", before)[-1]
        return "spoken" if _SPOKEN_NEAR.search(near) else "test"
    if _DESCRIBED.match(after):
        return "native"
    if _SPOKEN_NEAR.search(before[-28:]) or _SPOKEN_NEAR.search(after[:28]):
        return "spoken"
    return "native" if _NATIVE.match(after) else ""


OR = " or "
_JOINED = re.compile(r",?\s*(?:(and|or|&|y|et|und|e|o|ou|oder)\s+|,\s*|/\s*)")


def listed(
    folded: str, found: Sequence[tuple[Match[str], str]], sentences: Sequence[Sentence]
) -> list[LanguageMention]:
    """The languages with their use; what nothing is said of is used as its neighbours in the same list."""
    joints = [_JOINED.fullmatch(folded[one.end : two.start]) for (one, _), (two, _) in pairwise(found)]
    uses = [use for _, use in found]
    for here, joint in enumerate(joints):  # "in Spanish and French"
        if joint and not uses[here + 1]:
            uses[here + 1] = uses[here]
    for here in range(len(joints) - 1, -1, -1):  # "Spanish and French speakers"
        if joints[here] and not uses[here]:
            uses[here] = uses[here + 1]
    choices = [False, *(joint is not None and joint[1] in ("or", "o", "ou", "oder") for joint in joints)]
    return [
        LanguageMention(match.value, use, _sentence_number(sentences, match.start), choice)
        for (match, _), use, choice in zip(found, uses, choices, strict=False)
    ]


def _sentence_number(sentences: Sequence[Sentence], position: int) -> int:
    return next((i for i, s in enumerate(sentences) if s.start <= position < s.end), 0)


_DENIED = re.compile(
    r"(?:\b(?:no|nor|neither|not|any|without|don't|doesn't|dont|nobody|none|kein|keine|nicht|non|pas|ohne|sin|sem|sans|pas besoin d|besoin d)\b[\s']*)"
    r"(?:\w+[\s']+){0,2}$"
)
_NO_USE = re.compile(
    r"\s?(?:versions?|tests?|ones?|editions?)?\s?(?:are|is|do|does|will|would|won|don|doesn)[\s']?(?:t|not|no)\b"
    r"\s?(?:work|help|fit|suit|use|good|do)\b"
)


def is_denied(folded: str, match: Match[str]) -> bool:
    """Whether the language is not needed ("don't need any English", "Latin American Spanish won't do")."""
    before = re.split(r"[.;!?\n,]", folded[max(0, match.start - 40) : match.start])[-1]
    return bool(_DENIED.search(before) or _NO_USE.match(folded[match.end :]))


def written_language(text: Text, everyday_words: Mapping[str, frozenset[str]]) -> str:
    """Code of the language `text` is written in; "en" when nothing speaks clearly for another."""
    tokens = words(text.plain)
    if any("\u0900" <= char <= "\u097f" for char in text.plain):
        return "hi"
    if len(tokens) < MIN_WORDS:
        return "en"
    shares = {
        code: sum(token in common for token in tokens) / len(tokens)
        for code, common in everyday_words.items()
    }
    best = max(shares, key=lambda code: (shares[code], code))
    return best if shares[best] >= MIN_SHARE else "en"
