"""What an answer says of the asked scope as a whole: data, none, a part of it, a question back, or a failure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import yaml

from eval.oracle.numbers import Quantity, quantities
from eval.oracle.vocabulary import any_of, spans

_FILE = Path(__file__).parent / "no_data.yaml"
_ENDS = r"(?<!\bno)[.;!?।](?=\s|$)|[,:](?=\s)|\n+"
_ZERO_OF = re.compile(r"(?<![\d.,])0\s+(?:out\s+)?of\s+(?:the\s+)?\d[\d,]*", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“][^\"”\n]{1,60}[\"”]")
"""A name in quotes: "No Nonsense Tee" denies nothing."""
_RULE_LINE = re.compile(r"^[\s|:+-]+$")


class AnswerClass(StrEnum):
    """What an answer says about the asked scope as a whole."""

    FULL_NO_DATA = "full_no_data"
    PARTIAL_NO_DATA = "partial_no_data"
    HAS_DATA = "has_data"
    REFUSAL = "refusal"
    """Also a question back."""
    SYSTEM_ERROR = "system_error"


@dataclass(frozen=True, slots=True)
class _Words:
    negative: re.Pattern[str]
    weak: re.Pattern[str]
    needs: re.Pattern[str]
    harmless: re.Pattern[str]
    error: re.Pattern[str]
    refusal: re.Pattern[str]
    breaks: re.Pattern[str]
    contrasts: re.Pattern[str]
    limits_before: re.Pattern[str]
    limits_behind: re.Pattern[str]
    time_spans: re.Pattern[str]
    data_words: re.Pattern[str]
    describing: re.Pattern[str]
    relative: re.Pattern[str]
    searching: re.Pattern[str]
    placeholders: frozenset[str]


@cache
def _words() -> _Words:
    raw = yaml.safe_load(_FILE.read_text(encoding="utf-8"))

    def one(name: str) -> str:
        return any_of(raw[name])

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    return _Words(
        negative=compiled(one("negative") + r"(?!\.\s*\d|\.\s*of\b|-?\d)"),
        weak=compiled(r"n['’]t\b|" + one("weak_negative")),
        needs=compiled(one("weak_needs")),
        harmless=compiled(one("harmless")),
        error=compiled(one("error")),
        refusal=compiled(one("refusal")),
        breaks=compiled(_ENDS + "|" + one("breaks")),
        contrasts=compiled(one("contrasts")),
        limits_before=compiled(one("limits_before") + r"\s*[₹$]?\s*$"),
        limits_behind=compiled(r"\s*(?:\w+\s+)?" + one("limits_behind")),
        time_spans=compiled(r"\s*" + one("time_spans")),
        data_words=compiled(one("data_words")),
        describing=compiled(one("describing")),
        relative=compiled(one("relative")),
        searching=compiled(one("searching")),
        placeholders=frozenset(str(word).lower() for word in raw["placeholders"]),
    )


def classify(answer: str) -> AnswerClass:
    """What the whole of `answer` says; a table or JSON by its rows, prose by its clauses."""
    structured = _json(answer)
    if structured is not None:
        return structured
    prose, rows = _split_table(answer)
    if rows is not None:
        return _table(prose, rows)
    return _prose(answer)


def _prose(text: str) -> AnswerClass:
    words = _words()
    text = _QUOTED.sub(lambda match: "_" * len(match[0]), text)
    if words.error.search(_without_zero_errors(text)):
        return AnswerClass.SYSTEM_ERROR
    clauses = _clauses(text)
    figures = [each for clause in clauses for each in _data(clause)]
    if not any(each.value for each in figures) and _asks(text):
        return AnswerClass.REFUSAL
    denied = [clause for clause in clauses if _denies(clause) is not None]
    if any(each.value for each in figures):
        contrast = words.contrasts.search(text) or any(not _data(clause) for clause in denied)
        return (
            AnswerClass.PARTIAL_NO_DATA
            if denied and contrast and _names_data(denied)
            else AnswerClass.HAS_DATA
        )
    if denied or figures:
        return AnswerClass.FULL_NO_DATA
    return AnswerClass.HAS_DATA


def _names_data(denied: list[str]) -> bool:
    """Whether what is denied is data itself (records, sales) and not a doubt, an issue or a change."""
    return any(_words().data_words.search(clause) for clause in denied)


def _asks(text: str) -> bool:
    return "?" in text or _words().refusal.search(text) is not None


def _without_zero_errors(text: str) -> str:
    """`text` without "0 errors" and "no errors", which report no error."""
    return re.sub(r"\b(?:0|no|zero|nil|without)\s+(?:\w+\s+)?errors?\b", " ", text, flags=re.IGNORECASE)


def _clauses(text: str) -> list[str]:
    found: list[str] = []
    start = 0
    inside = spans(text)
    for match in _words().breaks.finditer(text):
        if not any(low < match.end() and match.start() < high for low, high in inside):
            found.append(text[start : match.start()])
            start = match.end()
    found.append(text[start:])
    return [clause for clause in found if clause.strip()]


def _denies(clause: str) -> re.Match[str] | None:
    """The word by which a clause says that something is not there."""
    words = _words()
    rest = words.harmless.sub(lambda match: "\x01" * len(match[0]), clause)
    strong = words.negative.search(rest)
    if strong is not None:
        return strong
    return words.weak.search(rest) if words.needs.search(rest) else None


def _data(clause: str) -> list[Quantity]:
    """The figures of a clause that are data; in one that denies something, limits and what follows are none."""
    words = _words()
    hidden = [(m.start(), m.end()) for m in _ZERO_OF.finditer(clause)]
    figures = [
        each for each in quantities(clause) if not any(low < each.start < high for low, high in hidden)
    ]
    denial = _denies(clause)
    if denial is None:
        return [] if words.searching.search(clause) else figures
    described = _describes(clause, denial) or words.relative.search(clause[: denial.start()])
    return [
        each
        for each in figures
        if (each.start < denial.start() or described or _is_aside(clause, each))
        and not words.limits_before.search(clause[: each.start])
        and not words.limits_behind.match(clause, each.end)
        and not words.time_spans.match(clause, each.end)
    ]


def _describes(clause: str, denial: re.Match[str]) -> bool:
    """Whether the denying word only describes a thing: "the blank tee", "never-sold items"."""
    return _words().describing.fullmatch(denial[0]) is not None or clause[denial.end() :].startswith("-")


def _is_aside(clause: str, figure: Quantity) -> bool:
    """Whether a figure stands in brackets: "no style beat 88231 (240 units)"."""
    before = clause[: figure.start]
    return before.rfind("(") > before.rfind(")") or clause[figure.start : figure.start + 1] == "("


def _json(text: str) -> AnswerClass | None:
    stripped = text.strip()
    if stripped[:1] not in ("[", "{"):
        return None
    try:
        value = json.loads(stripped)
    except json.JSONDecodeError:
        return None
    return AnswerClass.HAS_DATA if _holds(value) else AnswerClass.FULL_NO_DATA


def _holds(value: object) -> bool:
    if isinstance(value, dict):
        return any(_holds(each) for each in value.values())
    if isinstance(value, list):
        return any(_holds(each) for each in value)
    return value is not None and value != ""


def _split_table(text: str) -> tuple[str, list[list[str]] | None]:
    """The prose, and the rows below the heads of its tables; None when there is no table."""
    lines = text.splitlines()
    table = [line for line in lines if "|" in line]
    if len(table) < 2 or not any(_RULE_LINE.match(line) for line in table):
        return text, None
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for number, line in enumerate(table)
        if not _RULE_LINE.match(line)
        and not (number + 1 < len(table) and _RULE_LINE.match(table[number + 1]))
    ]
    return "\n".join(line for line in lines if "|" not in line), rows


def _table(prose: str, rows: list[list[str]]) -> AnswerClass:
    full = [row for row in rows if _row_holds(row)]
    if full:
        return AnswerClass.PARTIAL_NO_DATA if any(_row_denies(row) for row in rows) else AnswerClass.HAS_DATA
    outside = _prose(prose) if prose.strip() else AnswerClass.FULL_NO_DATA
    has_figures = any(each.value for clause in _clauses(prose) for each in _data(clause))
    return outside if has_figures else AnswerClass.FULL_NO_DATA


def _row_holds(row: list[str]) -> bool:
    """Whether a row has a value beside its name."""
    values = row[1:] if len(row) > 1 else row
    return any(not _is_nothing(cell) for cell in values) and not _row_denies(row)


def _row_denies(row: list[str]) -> bool:
    values = [cell for cell in row if cell.strip()]
    return (
        bool(values)
        and any(_denies(cell) is not None and not quantities(cell) for cell in values)
        and not any(quantities(cell) for cell in row[1:])
    )


def _is_nothing(cell: str) -> bool:
    return cell.strip().strip("_*`").lower() in _words().placeholders
