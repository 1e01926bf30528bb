"""Where a statement asks the database for today, and in which zone it gets the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlglot import exp

from eval.sql.model import cast_to
from eval.sql.records import Dialect

_DAYS = (exp.CurrentDate, exp.UtcDate)
_MOMENTS = (
    exp.CurrentTimestamp,
    exp.CurrentTimestampLTZ,
    exp.CurrentDatetime,
    exp.Localtimestamp,
    exp.UtcTimestamp,
)
_NAMED = {
    "now",
    "getdate",
    "getutcdate",
    "sysdate",
    "sysdatetime",
    "sysutcdatetime",
    "curdate",
    "systimestamp",
}
_ALWAYS_UTC = {"getutcdate", "sysutcdatetime"}
_CUTS = (
    *(exp.TsOrDsToDate, exp.Date, exp.TimeToStr, exp.TimestampTrunc, exp.DateTrunc, exp.DatetimeTrunc),
    *(exp.Year, exp.Month, exp.Quarter, exp.Week, exp.Day, exp.Extract, exp.LastDay, exp.DateDiff),
)
_CUTTING_NAMES = {"date", "strftime", "eomonth", "datetrunc", "date_trunc", "to_date"}
_MINUTES = {"minute": 1, "minutes": 1, "hour": 60, "hours": 60}
_STEP = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*(minutes?|hours?)", re.IGNORECASE)


def days_asked(statement: exp.Expr) -> Iterator[exp.Expr]:
    """The calls that yield a calendar day: the current date itself, or a moment that is cut down to one."""
    for node in statement.walk():
        if isinstance(node, _DAYS) or (_is_moment(node) and any(_cuts(above) for above in _above(node))):
            yield node


def zone_of(node: exp.Expr, dialect: Dialect, session_zone: str) -> str:
    """The zone in which the clock of `node` is read before anything converts it."""
    utc = isinstance(node, exp.UtcDate | exp.UtcTimestamp) or node.name.lower() in _ALWAYS_UTC
    if dialect == "sqlite":
        utc = not any(
            each.name.lower() == "localtime" for above in _above(node) for each in above.find_all(exp.Literal)
        )
    return "UTC" if utc or dialect == "bigquery" else session_zone


def is_converted(node: exp.Expr, business_zone: str) -> bool:
    """Whether the statement itself turns the clock to a zone, or shifts it by the business zone's distance to UTC."""
    if node.args.get("this") is not None and isinstance(node, exp.CurrentDate | exp.CurrentDatetime):
        return True
    for above in _above(node):
        if isinstance(above, exp.AtTimeZone | exp.ConvertTimezone):
            return True
        if _shift_minutes(above) == offset_minutes(business_zone):
            return True
    return False


def offset_minutes(zone: str) -> int | None:
    """Minutes that `zone` is ahead of UTC in winter; None for a zone that is not known here."""
    try:
        delta = datetime(2000, 1, 15, tzinfo=UTC).astimezone(ZoneInfo(zone)).utcoffset()
    except (ZoneInfoNotFoundError, ValueError):
        return None
    return None if delta is None else int(delta.total_seconds() // 60)


def _is_moment(node: exp.Expr) -> bool:
    if isinstance(node, _MOMENTS):
        return True
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in _NAMED
    inside_call = isinstance(node.parent, exp.Func)
    return isinstance(node, exp.Literal) and node.is_string and node.name.lower() == "now" and inside_call


def _above(node: exp.Expr) -> Iterator[exp.Expr]:
    above = node.parent
    while above is not None and not isinstance(above, exp.Query | exp.Connector | exp.Predicate):
        yield above
        above = above.parent


def _cuts(node: exp.Expr) -> bool:
    if cast_to(node, "date"):
        return True
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in _CUTTING_NAMES
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc | exp.DatetimeTrunc):
        return node.text("unit").lower() not in _MINUTES
    return isinstance(node, _CUTS)


def _shift_minutes(node: exp.Expr) -> int | None:
    """By how many minutes `node` itself moves the clock."""
    if isinstance(node, exp.DateAdd | exp.DatetimeAdd | exp.TimestampAdd | exp.TsOrDsAdd | exp.Add):
        moved = node.expression
        unit = node.text("unit") or (moved.text("unit") if isinstance(moved, exp.Interval) else "")
        return _minutes(f"{moved.name} {unit}")
    if isinstance(node, exp.Func):
        texts = [each.name for each in node.find_all(exp.Literal) if each.is_string]
        return _minutes(" ".join(texts))
    return None


def _minutes(text: str) -> int | None:
    steps = _STEP.findall(text)
    return round(sum(float(number) * _MINUTES[unit.lower()] for number, unit in steps)) if steps else None
