"""From a judge's words to a verdict. Nothing is repaired or guessed: what is not plainly a verdict is none.

Prose or a code fence around the object is allowed, and the last complete object counts, since a judge may quote
an object out of the graded answer before it writes its own. An object that breaks off makes the whole reply
unparsable: what looks whole inside it may be such a quotation.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eval.judge.base import TOP_ANCHOR, Evidence, Flag, JudgeQuestion, Unscored

PARSER_VERSION = "1"
_CANNOT_TELL = "cannot_tell"
_INTEGER = re.compile(r"[+-]?\d{1,3}(?:\.0+)?")
_DECLINES = re.compile(
    r"\bI(?:['’]m| am)? (?:sorry|can(?:['’]t|not| not)|won['’]t|(?:am )?unable)\b.{0,80}"
    r"\b(?:help|assist|comply|do|evaluate|grade|judge|provide|request)",
    re.I | re.S,
)
_ADDRESSES_JUDGE = re.compile(
    r"\b(?:give|grade|award|rate)\b[^\n.]{0,40}\b(?:4|four|full|maximum|highest|top|perfect)"
    r"(?:\s*(?:out of|/)\s*(?:4|four))?\s*(?:score|marks?|grade|anchor|points?|[.!\"']|$)"
    r"|[\"']score[\"']\s*:|\b(?:score|grade|verdict)\s*[:=]\s*\d"
    r"|\b(?:note|message|attention|instruction)s?\b.{0,12}\b(?:to|for)\b.{0,8}\b(?:judge|grader|evaluator)s?\b"
    r"|\b(?:ignore|disregard|forget)\b.{0,30}\b(?:rubric|criteria|criterion|instructions|anchors?)\b",
    re.I | re.M,
)
_SPACE = re.compile(r"\s+")
_ELLIPSIS = re.compile(r"\s*(?:\.{3,}|…)\s*")
_SAME = str.maketrans(
    dict.fromkeys("‘’‚‛`´", "'") | dict.fromkeys("“”„«»", '"') | dict.fromkeys("‐‑‒–—−", "-")
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge says."""

    anchor: int
    evidence: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class NoVerdict:
    """Why the words hold no verdict."""

    why: Unscored
    detail: str


class _NotStrictError(ValueError):
    """JSON that Python would take and we do not."""


def parse_verdict(text: str) -> Verdict | NoVerdict:
    """The verdict in `text`."""
    if not text.strip("\ufeff \t\r\n"):
        return NoVerdict(Unscored.EMPTY_REPLY, "no words")
    found = _objects(text)
    if isinstance(found, NoVerdict):
        return found
    if not found:
        if _DECLINES.search(text):
            return NoVerdict(Unscored.REFUSAL, "the judge declined in words")
        return NoVerdict(Unscored.UNPARSABLE, "no JSON object")
    return _read(found[-1])


def _objects(text: str) -> list[dict[str, Any]] | NoVerdict:
    """Every object at the top of `text`, in order."""
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_unique, parse_constant=_refuse)
    found: list[dict[str, Any]] = []
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as exc:
            return NoVerdict(Unscored.UNPARSABLE, f"broken JSON object: {type(exc).__name__}")
        found.append(value)
        at = text.find("{", end)
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise _NotStrictError("a key twice")
    return dict(pairs)


def _refuse(name: str) -> None:
    raise _NotStrictError(name)


def _read(content: dict[str, Any]) -> Verdict | NoVerdict:
    missing = [key for key in ("evidence", "reason", "score") if key not in content]
    if missing:
        return NoVerdict(Unscored.UNPARSABLE, f"{', '.join(missing)} missing")
    evidence, reason, score = content["evidence"], content["reason"], content["score"]
    if not isinstance(evidence, list) or not all(isinstance(quote, str) for quote in evidence):
        return NoVerdict(Unscored.UNPARSABLE, "evidence is no list of texts")
    if not isinstance(reason, str) or not reason.strip():
        return NoVerdict(Unscored.UNPARSABLE, "no reason")
    if score == _CANNOT_TELL:
        return NoVerdict(Unscored.CANNOT_TELL, reason)
    anchor = _anchor(score)
    if isinstance(anchor, NoVerdict):
        return anchor
    return Verdict(anchor, tuple(quote for quote in evidence if quote.strip()), reason)


def _anchor(score: object) -> int | NoVerdict:
    """A whole number on the menu, or that number as text."""
    if isinstance(score, str) and _INTEGER.fullmatch(score.strip()):
        score = float(score)
    if isinstance(score, bool) or not isinstance(score, int | float):
        return NoVerdict(Unscored.UNPARSABLE, f"score is a {type(score).__name__}")
    if not 0 <= score <= TOP_ANCHOR or score != int(score):
        return NoVerdict(Unscored.OUT_OF_RANGE, "the score is no anchor")
    return int(score)


def weigh_evidence(
    quotes: Sequence[str], question: JudgeQuestion
) -> tuple[tuple[Evidence, ...], tuple[Flag, ...]]:
    """Each quote with whether it was shown, and what a reader of the score has to know."""
    shown = "\n".join(
        _plain(text)
        for text in (question.answer, question.question, *question.context, question.expected or "")
    )
    evidence = tuple(Evidence(quote, _stands_in(quote, shown)) for quote in quotes)
    flags = []
    if not evidence:
        flags.append(Flag.NO_EVIDENCE)
    if not all(each.found for each in evidence):
        flags.append(Flag.EVIDENCE_NOT_FOUND)
    if _ADDRESSES_JUDGE.search(question.answer):
        flags.append(Flag.ADDRESSES_JUDGE)
    return evidence, tuple(flags)


def _stands_in(quote: str, shown: str) -> bool:
    """Whether all of `quote` was shown; its parts around an ellipsis count each for itself, in order."""
    at = 0
    parts = [part for part in _ELLIPSIS.split(_plain(quote)) if part]
    for part in parts:
        at = shown.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return bool(parts)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text.translate(_SAME)).casefold()
    return _SPACE.sub(" ", folded).strip().strip("\"'")
