"""Reads labelled statements: one JSON object a line with `id`, `dialect`, `ask`, `sql` and `expect` (rule names)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from eval.errors import DatasetError
from eval.sql.records import Ask, Dialect, Period
from eval.sql.registry import known_rules

UNPARSED = "unparsed"
"""Expected of a statement that no parser can be asked to understand."""


@dataclass(frozen=True, slots=True)
class LabelledStatement:
    """A statement and the names of the rules that have to find something in it, no others."""

    id: str
    dialect: Dialect
    sql: str
    ask: Ask
    expect: frozenset[str]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _PeriodLine(_Strict):
    start: date
    end: date
    fiscal: bool = False


class _AskLine(_Strict):
    tenant: str | None = None
    period: _PeriodLine | Literal["any"] | None = None
    session_zone: str | None = None
    today: date | None = None


class _Line(_Strict):
    id: str
    dialect: Dialect
    sql: str
    ask: _AskLine = _AskLine()
    expect: frozenset[str] = frozenset()


def load_labelled(path: Path) -> tuple[LabelledStatement, ...]:
    """All statements of a file.

    Raises:
        DatasetError: naming the file and line; also for an id that is there twice or a rule that does not exist.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as exc:
        raise DatasetError(f"{path}: cannot be read ({exc})") from exc
    found = [_statement(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]
    ids = [each.id for each in found]
    doubled = sorted({each for each in ids if ids.count(each) > 1})
    if doubled or not found:
        raise DatasetError(
            f"{path}: id {doubled[0]!r} is there twice" if doubled else f"{path}: no statements"
        )
    return tuple(found)


def read_ask(text: str) -> Ask:
    """What is known of a question, from a JSON object such as `{"tenant": "7", "period": "any"}`.

    Raises:
        DatasetError: naming the first thing wrong.
    """
    try:
        return _ask(_AskLine.model_validate_json(text))
    except (ValidationError, ValueError) as exc:
        raise DatasetError(f"the question's frame cannot be used: {_first(exc)}") from exc


def _statement(line: str, place: str) -> LabelledStatement:
    try:
        read = _Line.model_validate_json(line)
        ask = _ask(read.ask)
    except (ValidationError, ValueError) as exc:
        raise DatasetError(f"{place}: {_first(exc)}") from exc
    strange = read.expect - known_rules().keys() - {UNPARSED}
    if strange:
        raise DatasetError(f"{place}: no rule {min(strange)!r}")
    return LabelledStatement(read.id, read.dialect, read.sql, ask, read.expect)


def _ask(read: _AskLine) -> Ask:
    period = read.period
    days = Period(period.start, period.end, period.fiscal) if isinstance(period, _PeriodLine) else period
    return Ask(read.tenant, days, read.session_zone, read.today)


def _first(exc: Exception) -> str:
    if isinstance(exc, ValidationError):
        error = exc.errors()[0]
        return f"{'.'.join(map(str, error['loc']))}: {error['msg']}"
    return str(exc)
