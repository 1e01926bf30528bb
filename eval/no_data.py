"""Tells the answer that honestly finds nothing from the one that only says so.

The words alone decide nothing: they are joined with what is known to be true (Facts.truth). An empty answer to
an empty question is right in full; the same words where there was something to find are worth nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from functools import cache
from math import comb
from pathlib import Path

import yaml

from eval.evaluators.base import EvaluatorSpec
from eval.facts import Facts, Truth
from eval.records import Result, Status
from eval.text import words

PATTERNS = Path(__file__).with_name("no_data.yaml")
_CLAUSE = re.compile(
    r"(?<=[.!?;।])\s+|\n+|,?\s+\b(?:but|however|although|though)\b|,\s+(?:and\b|(?=(?:no|none|nothing)\b))",
    re.I,
)
ALARM_P = 0.01
"""A run whose empty answers would be rarer than this by chance raises the alarm."""


class TextClass(StrEnum):
    """What an answer says about whether it found anything."""

    FULL = "full_no_data"
    PARTIAL = "partial_no_data"
    DATA = "has_data"
    REFUSAL = "refusal_or_clarify"
    ERROR = "system_error"
    SILENT = "silent"
    """No words at all: not an honest "nothing", whatever is true."""


class Finding(StrEnum):
    """Words and truth together."""

    NORMAL = "normal"
    LEGITIMATE = "legitimate_no_data"
    FALSE_EMPTY = "false_no_data"
    UNVERIFIED = "unverified_no_data"
    FABRICATED = "fabricated_data"


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    rows = yaml.safe_load(PATTERNS.read_text(encoding="utf-8"))
    return {name: re.compile("|".join(f"(?:{p})" for p in found), re.I) for name, found in rows.items()}


def classify(text: str, *, shows_data: bool = False) -> TextClass:
    """The class of `text`.

    Args:
        text: the words of the answer.
        shows_data: whether something structured (a list, a table with rows) comes with it.
    """
    found = _patterns()
    if not words(text):
        return TextClass.DATA if shows_data else TextClass.SILENT
    clauses = [part.strip() for part in _CLAUSE.split(text) if part and words(part)]
    none = [c for c in clauses if found["none"].search(c) and not found["about_else"].search(c)]
    if shows_data:
        return TextClass.PARTIAL if none else TextClass.DATA
    if found["error"].search(text):
        return TextClass.ERROR
    if found["refusal"].search(text):
        return TextClass.REFUSAL
    if none:
        return TextClass.PARTIAL if any(_states_data(c) for c in clauses if c not in none) else TextClass.FULL
    if "?" in text:
        return TextClass.REFUSAL
    return TextClass.DATA


def _states_data(clause: str) -> bool:
    """Whether a clause reports a quantity, as opposed to a period or a question."""
    return "?" not in clause and bool(re.search(r"(?<![\w-])(?:₹|\$|€)?\s?\d[\d,.]*(?:\s?%|\b)", clause))


def judge(facts: Facts) -> Finding:
    """What the words are worth in the light of what is true."""
    said = classify(facts.answer, shows_data=bool(facts.shown))
    if said is TextClass.FULL:
        return {
            Truth.EMPTY: Finding.LEGITIMATE,
            Truth.SOMETHING: Finding.FALSE_EMPTY,
            Truth.UNKNOWN: Finding.UNVERIFIED,
        }[facts.truth]
    if facts.truth is Truth.EMPTY and facts.shown and said is TextClass.DATA:
        return Finding.FABRICATED
    return Finding.NORMAL


_OVERRIDDEN: dict[Finding, dict[str, float | None]] = {
    Finding.NORMAL: {},
    Finding.LEGITIMATE: {"accuracy": 1.0, "completeness": 1.0, "hallucination": 1.0},
    Finding.FALSE_EMPTY: {"accuracy": 0.0, "completeness": 0.0},
    Finding.UNVERIFIED: {"accuracy": None, "completeness": None, "hallucination": None},
    Finding.FABRICATED: {"hallucination": 0.0},
}
_REASONS = {
    Finding.LEGITIMATE: "nothing exists for this question, and the answer says so",
    Finding.FALSE_EMPTY: "the answer finds nothing where there is something",
    Finding.UNVERIFIED: "the answer finds nothing, and whether that is true is not known",
    Finding.FABRICATED: "nothing exists for this question, and the answer shows something without saying so",
}


def override(result: Result, finding: Finding, spec: EvaluatorSpec) -> Result:
    """`result`, or what the finding puts in its place."""
    changed = _OVERRIDDEN[finding]
    if spec.name not in changed or result.status is Status.ERROR:
        return result
    value = changed[spec.name]
    status = Status.UNSCORED if value is None else Status.SCORED
    return replace(result, value=value, status=status, reason=_REASONS[finding], method="rule:no_data")


def alarm(said_empty: int, truly_empty: int, n: int) -> float | None:
    """Chance of so many empty answers, or more, if only the truly empty cases gave rise to them.

    One-sided exact binomial; the share of truly empty cases is counted with one case more, so that a set
    without any still has a chance. None for no cases. Below `ALARM_P` the run has an assistant that hides.
    """
    if n == 0:
        return None
    rate = min(1.0, (truly_empty + 1) / (n + 1))
    return min(1.0, sum(comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(said_empty, n + 1)))
