"""The days that the conditions on one row source let through."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from sqlglot import exp

from eval.sql.graph import Column, SchemaGraph
from eval.sql.model import cast_to, core

_COMPACT = re.compile(r"\d{8}")
_PART_VALUE = re.compile(r"(?:FY|Q)?\s?(\d{1,4})", re.IGNORECASE)
_MONTH_VALUE = re.compile(r"(\d{4})-(\d{2})")
_YEAR_MONTH = {"%Y-%m", "%Y%m", "%Y/%m"}
_PARTS = {"%Y": "year", "%m": "month", "%-m": "month"}
_FLIPPED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
}
_LAST_SECOND = timedelta(seconds=1)


@dataclass(slots=True)
class Bounds:
    """Half-open range of days, with the parts of the date that are fixed beside it."""

    start: date | None = None
    end: date | None = None
    parts: dict[str, int] = field(default_factory=dict)
    readable: bool = True
    """False once a condition is there whose days are not known."""

    def lower(self, day: date) -> None:
        """No day before `day`."""
        self.start = day if self.start is None else max(self.start, day)

    def upper(self, day: date) -> None:
        """Only days before `day`."""
        self.end = day if self.end is None else min(self.end, day)


def first_of(day: date, months: int) -> date:
    """The same day of the month, `months` later; only for days up to the 28th."""
    index = day.year * 12 + day.month - 1 + months
    return day.replace(year=index // 12, month=index % 12 + 1)


def moment(node: exp.Expr) -> datetime | None:
    """The moment that a literal names; None for anything else."""
    node = core(node)
    if isinstance(node, exp.DateFromParts):
        parts = [node.args.get(name) for name in ("year", "month", "day")]
        numbers = [int(each.name) for each in parts if isinstance(each, exp.Literal) and each.is_int]
        return _valid(*numbers) if len(numbers) == 3 else None
    if not isinstance(node, exp.Literal) or not node.is_string:
        return None
    text = node.name.strip()
    if _COMPACT.fullmatch(text):
        return _valid(int(text[:4]), int(text[4:6]), int(text[6:]))
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None


def narrow(bounds: Bounds, node: exp.Expr, column: Column, graph: SchemaGraph) -> None:
    """Apply one condition on a period or calendar column; one that is not understood makes the bounds unreadable."""
    if isinstance(node, exp.Between):
        first = exp.GTE(this=node.this.copy(), expression=node.args["low"].copy())
        last = exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
        narrow(bounds, first, column, graph)
        narrow(bounds, last, column, graph)
        return
    if not isinstance(node, exp.EQ | exp.GT | exp.GTE | exp.LT | exp.LTE):
        bounds.readable = False
        return
    kind: type[exp.Expr] = type(node)
    left, right = node.this, node.expression
    if right.find(exp.Column) and not left.find(exp.Column):
        left, right, kind = right, left, _FLIPPED.get(kind, kind)
    inner = core(left)
    if column.role == "week" and isinstance(inner, exp.Column):
        _week(bounds, kind, moment(right))
    elif column.role not in (None, "period") and isinstance(inner, exp.Column):
        _part(bounds, kind, str(column.role), right)
    elif isinstance(inner, exp.Column) and column.type == "text":
        _month(bounds, kind, core(right).name)
    elif isinstance(inner, exp.Column):
        _day(bounds, kind, moment(right), whole_days=column.type == "date" or _by_day(left))
    else:
        _function(bounds, kind, inner, right)


def settle(bounds: Bounds, graph: SchemaGraph) -> tuple[date | None, date | None] | None:
    """Start and end of the days let through; None when they cannot be told. An open side is None."""
    if not bounds.readable:
        return None
    parts = bounds.parts
    if not parts:
        return bounds.start, bounds.end
    if bounds.start or bounds.end:
        return None
    if "fiscal_year" in parts:
        year = parts["fiscal_year"] - (
            graph.fiscal_year_named_by == "end" and graph.fiscal_year_start_month > 1
        )
        start = date(year, graph.fiscal_year_start_month, 1)
        quarter = parts.get("fiscal_quarter")
        return _quarter(start, quarter) if quarter else (start, first_of(start, 12))
    if "year" not in parts:
        return None, None
    start = date(parts["year"], 1, 1)
    if "month" in parts:
        start = date(parts["year"], parts["month"], 1)
        return start, first_of(start, 1)
    return _quarter(start, parts["quarter"]) if "quarter" in parts else (start, first_of(start, 12))


def _quarter(start: date, quarter: int) -> tuple[date, date]:
    return first_of(start, 3 * quarter - 3), first_of(start, 3 * quarter)


def _valid(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year, month, day)  # noqa: DTZ001  a day by the calendar, in no zone
    except ValueError:
        return None


def _by_day(node: exp.Expr) -> bool:
    return cast_to(node, "date") or isinstance(node, exp.TsOrDsToDate | exp.Date)


def _part(bounds: Bounds, kind: type[exp.Expr], role: str, value: exp.Expr) -> None:
    value = core(value)
    name = role.removeprefix("calendar_")
    written = _PART_VALUE.fullmatch(value.name) if kind is exp.EQ and isinstance(value, exp.Literal) else None
    if written is None or name in bounds.parts:
        bounds.readable = False
        return
    number = int(written[1])
    is_year = name.endswith("year")
    bounds.parts[name] = number + 2000 if is_year and number < 100 else number
    bounds.readable &= is_year or 1 <= number <= 12


def _month(bounds: Bounds, kind: type[exp.Expr], text: str) -> None:
    """A condition on a column of months written as YYYY-MM."""
    written = _MONTH_VALUE.fullmatch(text)
    at = _valid(int(written[1]), int(written[2]), 1) if written else None
    _stretch(bounds, kind, at.date() if at else None, first_of(at.date(), 1) if at else None)


def _week(bounds: Bounds, kind: type[exp.Expr], at: datetime | None) -> None:
    """A condition on the first day of a week stands for all its days."""
    _stretch(bounds, kind, at.date() if at else None, at.date() + timedelta(days=7) if at else None)


def _stretch(bounds: Bounds, kind: type[exp.Expr], first: date | None, after: date | None) -> None:
    """A condition on something that stands for the days from `first` to before `after`."""
    if first is None or after is None:
        bounds.readable = False
        return
    if kind in (exp.EQ, exp.GTE):
        bounds.lower(first)
    if kind in (exp.EQ, exp.LTE):
        bounds.upper(after)
    if kind is exp.GT:
        bounds.lower(after)
    if kind is exp.LT:
        bounds.upper(first)


def _day(bounds: Bounds, kind: type[exp.Expr], at: datetime | None, *, whole_days: bool) -> None:
    if at is None:
        bounds.readable = False
        return
    day = at.date()
    last_moment = at.time() != datetime.min.time() and (at + _LAST_SECOND).date() > day
    after = day + timedelta(days=1) if whole_days or last_moment else day
    if kind is exp.GTE:
        bounds.lower(day)
    elif kind is exp.GT:
        bounds.lower(after)
    elif kind is exp.LT:
        bounds.upper(day if not last_moment else after)
    elif kind is exp.LTE:
        bounds.upper(after)
    else:
        bounds.lower(day)
        bounds.upper(after)


def _function(bounds: Bounds, kind: type[exp.Expr], node: exp.Expr, value: exp.Expr) -> None:
    text = core(value).name
    if not isinstance(
        core(node.this) if isinstance(node.this, exp.Expr) else None, exp.Column
    ) and not isinstance(node, exp.Extract):
        bounds.readable = False
    elif isinstance(node, exp.TimeToStr) and node.text("format") in _YEAR_MONTH and kind is exp.EQ:
        digits = re.sub(r"\D", "", text)
        at = _valid(int(digits[:4]), int(digits[4:]), 1) if len(digits) == 6 else None
        _span(bounds, at, 1)
    elif isinstance(node, exp.TimeToStr) and node.text("format") in _PARTS:
        _part(bounds, kind, _PARTS[node.text("format")], value)
    elif isinstance(node, exp.Year | exp.Month | exp.Quarter):
        _part(bounds, kind, node.key, value)
    elif isinstance(node, exp.Extract) and node.name.lower() in ("year", "month", "quarter"):
        plain = isinstance(core(node.expression), exp.Column)
        _part(bounds, kind, node.name.lower(), value) if plain else setattr(bounds, "readable", False)
    elif isinstance(node, exp.TimestampTrunc | exp.DateTrunc | exp.DatetimeTrunc) and kind is exp.EQ:
        months = {"month": 1, "quarter": 3, "year": 12}.get(node.text("unit").lower())
        _span(bounds, moment(value) if months else None, months or 0)
    else:
        bounds.readable = False


def _span(bounds: Bounds, at: datetime | None, months: int) -> None:
    if at is None or at.day != 1:
        bounds.readable = False
        return
    bounds.lower(at.date())
    bounds.upper(first_of(at.date(), months))
