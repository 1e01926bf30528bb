"""Periods in questions, in English and the Hindi-English mix. Fiscal years run from April to March."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        "january jan,february feb,march mar,april apr,may,june jun,july jul,august aug,september sept sep,"
        "october oct,november nov,december dec".split(","),
        1,
    )
    for name in names.split()
}
_MONTH: Final = "(" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + ")"
_MONTH_YEAR: Final = rf"{_MONTH}(?: (\d{{4}}))?"
_DAY: Final = rf"(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+(\d{{4}})"
_ISO: Final = r"(\d{4})-(\d{2})-(\d{2})"
_ONE_DAY: Final = rf"(?:{_DAY}|{_ISO})"
_YEAR: Final = r"(?:fy|financial year|fiscal year)\s*'?(\d{4}|\d{2})(?:\s*[-/–]\s*(\d{2,4}))?"


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `start` to `end`, both included."""

    start: date
    end: date
    label: str

    def year_before(self) -> Period:
        """The same days one year earlier."""
        start, end = _shift_year(self.start), _shift_year(self.end)
        return Period(start, end, f"{self.label} a year earlier")

    def before(self) -> Period:
        """The days of the same number just before; the month before for a whole month."""
        end = self.start - timedelta(days=1)
        if self.start.day == 1 and self.end == _month_end(self.start):
            return Period(end.replace(day=1), end, f"{end:%B %Y}")
        start = end - (self.end - self.start)
        return Period(start, end, f"{show(start)} to {show(end)}")


def show(day: date) -> str:
    """A day for people: 5 Jan 2026."""
    return f"{day.day} {day:%b %Y}"


def _shift_year(day: date) -> date:
    return (
        day.replace(year=day.year - 1, day=28)
        if (day.month, day.day) == (2, 29)
        else day.replace(year=day.year - 1)
    )


def _month_end(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])


@dataclass(frozen=True, slots=True)
class Clock:
    """What relative words are counted from."""

    today: date
    year_starts_in: int = 4
    """Month with which the fiscal year begins."""

    def fiscal_start(self, day: date) -> date:
        """First day of the fiscal year of `day`."""
        return date(day.year - (day.month < self.year_starts_in), self.year_starts_in, 1)

    def fiscal_year(self, ends_in: int) -> Period:
        """The fiscal year that ends in the calendar year `ends_in`, up to today where it is running."""
        start = date(ends_in - (self.year_starts_in > 1), self.year_starts_in, 1)
        end = date(start.year + 1, start.month, 1) - timedelta(days=1)
        label = f"FY{ends_in % 100:02d}"
        if start <= self.today < end:
            return Period(start, self.today, f"{label} to date")
        return Period(start, end, label)

    def this_year(self) -> Period:
        """The running fiscal year up to today."""
        start = self.fiscal_start(self.today)
        return self.fiscal_year(start.year + (self.year_starts_in > 1))

    def last_year(self) -> Period:
        """The fiscal year before."""
        start = self.fiscal_start(self.today)
        return self.fiscal_year(start.year - 1 + (self.year_starts_in > 1))

    def quarter(self, number: int, ends_in: int | None) -> Period:
        """Quarter 1 to 4 of a fiscal year, of the running one when none is named."""
        year = self.fiscal_start(self.today).year if ends_in is None else ends_in - (self.year_starts_in > 1)
        return self._quarter(date(year, self.year_starts_in, 1), number)

    def _quarter(self, year_start: date, number: int) -> Period:
        start = _add_months(year_start, 3 * (number - 1))
        ends_in = year_start.year + (self.year_starts_in > 1)
        end = _add_months(start, 3) - timedelta(days=1)
        label = f"Q{number} FY{ends_in % 100:02d}"
        if start <= self.today < end:
            return Period(start, self.today, f"{label} to date")
        return Period(start, end, label)

    def quarter_back(self, back: int) -> Period:
        """This quarter (0) or one before (1)."""
        day = _add_months(self.today.replace(day=1), -3 * back)
        start = self.fiscal_start(day)
        return self._quarter(start, ((day.month - start.month) % 12) // 3 + 1)

    def half(self, number: int, ends_in: int | None) -> Period:
        """Half 1 or 2 of a fiscal year."""
        first = self.quarter(2 * number - 1, ends_in)
        end = _add_months(first.start, 6) - timedelta(days=1)
        return Period(
            first.start, min(end, max(self.today, first.start)), f"H{number} {first.label.split()[1]}"
        )

    def month(self, number: int, year: int | None) -> Period:
        """A month; the last one that has begun when no year is named."""
        if year is None:
            year = self.today.year - (number > self.today.month)
        start = date(year, number, 1)
        return Period(start, _month_end(start), f"{start:%B %Y}")

    def month_back(self, back: int) -> Period:
        """This month up to today (0) or one before."""
        start = _add_months(self.today.replace(day=1), -back)
        return Period(start, min(_month_end(start), self.today), f"{start:%B %Y}")

    def week_back(self, back: int) -> Period:
        """The week from Monday, up to today (0), or one before."""
        monday = self.today - timedelta(days=self.today.weekday() + 7 * back)
        end = min(monday + timedelta(days=6), self.today)
        return Period(monday, end, f"the week from {show(monday)}")

    def day_back(self, back: int) -> Period:
        """Today (0), yesterday (1) and so on."""
        day = self.today - timedelta(days=back)
        return Period(day, day, show(day))

    def last_days(self, count: int) -> Period:
        """The last `count` days, today included."""
        start = self.today - timedelta(days=count - 1)
        return Period(start, self.today, f"the last {count} days ({show(start)} to {show(self.today)})")


def _add_months(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


def _year(text: str | None) -> int | None:
    return None if not text else int(text) if len(text) == 4 else 2000 + int(text)


def _fiscal(clock: Clock, first: str, second: str | None) -> Period:
    year = _year(second) if second else _year(first)
    assert year is not None
    return clock.fiscal_year(year)


def _one_day(groups: tuple[str | None, ...]) -> date:
    day, month, year, iso_year, iso_month, iso_day = groups
    if iso_year:
        return date(int(iso_year), int(iso_month or 0), int(iso_day or 0))
    return date(int(year or 0), _MONTHS[month or ""], int(day or 0))


def _single(_clock: Clock, *groups: str | None) -> Period:
    day = _one_day(groups)
    return Period(day, day, show(day))


def _span(_clock: Clock, *groups: str | None) -> Period:
    start, end = sorted((_one_day(groups[:6]), _one_day(groups[6:])))
    return Period(start, end, f"{show(start)} to {show(end)}")


def _month_span(clock: Clock, first: str, first_year: str | None, last: str, last_year: str | None) -> Period:
    end = clock.month(_MONTHS[last], _year(last_year))
    begins_in = end.start.year - (_MONTHS[first] > _MONTHS[last])
    start = clock.month(_MONTHS[first], _year(first_year) or begins_in)
    return Period(start.start, end.end, f"{start.label} to {end.label}")


def _since(clock: Clock, month: str, year: str | None) -> Period:
    start = clock.month(_MONTHS[month], _year(year)).start
    return Period(start, clock.today, f"{show(start)} to {show(clock.today)}")


def _slashed(_clock: Clock, day: str, month: str, year: str) -> Period:
    when = date(int(year), int(month), int(day))
    return Period(when, when, show(when))


Rule = tuple[str, Callable[..., Period]]
_LAST: Final = r"(?:last|previous|pichhle|pichle|pichli|pichhli)"
_THIS: Final = r"(?:this|current|is|iss)"
_RULES: Final[tuple[Rule, ...]] = (
    (rf"(?:between |from )?{_ONE_DAY}\s*(?:and|to|till|-|–|se)\s*{_ONE_DAY}(?: tak)?", _span),
    (rf"(?:on )?{_ONE_DAY}", _single),
    (r"(?:on )?(\d{1,2})/(\d{1,2})/(\d{4})", _slashed),
    (rf"(?:from )?{_MONTH_YEAR}\s*(?:to|till|-|–|se)\s*{_MONTH_YEAR}(?: tak)?", _month_span),
    (rf"between {_MONTH_YEAR} and {_MONTH_YEAR}", _month_span),
    (rf"since {_MONTH_YEAR}", _since),
    (rf"q([1-4])\s*(?:of\s*)?{_YEAR}", lambda c, q, a, b: c.quarter(int(q), _year(b or a))),
    (rf"h([12])\s*(?:of\s*)?{_YEAR}", lambda c, h, a, b: c.half(int(h), _year(b or a))),
    (_YEAR, _fiscal),
    (r"q([1-4])\b", lambda c, q: c.quarter(int(q), None)),
    (r"h([12])\b", lambda c, h: c.half(int(h), None)),
    (rf"{_MONTH}\s*'?(\d{{4}})", lambda c, m, y: c.month(_MONTHS[m], int(y))),
    (rf"{_LAST} (\d+) (?:days|din)", lambda c, n: c.last_days(int(n))),
    (rf"{_LAST} (\d+) (?:weeks|hafte|hafton)", lambda c, n: c.last_days(7 * int(n))),
    (r"day before yesterday|parson|parso", lambda c: c.day_back(2)),
    (r"yesterday|kal", lambda c: c.day_back(1)),
    (r"today|aaj", lambda c: c.day_back(0)),
    (rf"{_THIS} (?:week|hafte|hafta)|week to date|wtd", lambda c: c.week_back(0)),
    (rf"{_LAST} (?:week|hafte|hafta)", lambda c: c.week_back(1)),
    (rf"{_THIS} (?:month|mahine|mahina)|month to date|mtd", lambda c: c.month_back(0)),
    (rf"{_LAST} (?:month|mahine|mahina)", lambda c: c.month_back(1)),
    (rf"{_THIS} (?:quarter|timahi)|quarter to date|qtd", lambda c: c.quarter_back(0)),
    (rf"{_LAST} (?:quarter|timahi)", lambda c: c.quarter_back(1)),
    (
        rf"(?:{_THIS} (?:fiscal year|financial year|year|saal|vittiya varsh)|year to date|ytd)(?! earlier)",
        lambda c: c.this_year(),
    ),
    (rf"{_LAST} (?:fiscal year|financial year|year|saal|vittiya varsh)", lambda c: c.last_year()),
    (
        rf"(?:in|for|during|of|month of)?\s*{_MONTH}(?: mein| me| ka| ki| ke)?",
        lambda c, m: c.month(_MONTHS[m], None),
    ),
)
_COMPILED: Final = tuple(
    (re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE), make) for pattern, make in _RULES
)


def read_periods(text: str, clock: Clock) -> tuple[tuple[Period, ...], str]:
    """The periods named in `text` in order, and the text with them blanked out.

    A date that does not exist is left in the text.
    """
    found: list[tuple[int, Period]] = []
    for pattern, make in _COMPILED:
        for match in list(pattern.finditer(text)):
            try:
                period = make(clock, *(group and group.lower() for group in match.groups()))
            except ValueError:
                continue
            found.append((match.start(), period))
            text = text[: match.start()] + " " * len(match.group()) + text[match.end() :]
    return tuple(period for _, period in sorted(found, key=lambda item: item[0])), text
