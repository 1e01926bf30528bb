"""Periods: what they begin and end with, and what is none."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.sandbox.periods import Clock, read_periods

CLOCK = Clock(date(2026, 1, 31))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("sales today", "2026-01-31", "2026-01-31"),
        ("kal ki bikri", "2026-01-30", "2026-01-30"),
        ("parso", "2026-01-29", "2026-01-29"),
        ("last week", "2026-01-19", "2026-01-25"),
        ("is hafte", "2026-01-26", "2026-01-31"),
        ("pichhle mahine", "2025-12-01", "2025-12-31"),
        ("last quarter", "2025-10-01", "2025-12-31"),
        ("this year", "2025-04-01", "2026-01-31"),
        ("last year", "2024-04-01", "2025-03-31"),
        ("FY25", "2024-04-01", "2025-03-31"),
        ("FY2024-25", "2024-04-01", "2025-03-31"),
        ("financial year 2025", "2024-04-01", "2025-03-31"),
        ("Q1 FY26", "2025-04-01", "2025-06-30"),
        ("Q4 FY25", "2025-01-01", "2025-03-31"),
        ("H2 FY25", "2024-10-01", "2025-03-31"),
        ("in December", "2025-12-01", "2025-12-31"),
        ("Feb 2025", "2025-02-01", "2025-02-28"),
        ("3 January 2026", "2026-01-03", "2026-01-03"),
        ("from 2026-01-05 to 2026-01-07", "2026-01-05", "2026-01-07"),
        ("last 7 days", "2026-01-25", "2026-01-31"),
        ("15/01/2026", "2026-01-15", "2026-01-15"),
        ("from January to March 2025", "2025-01-01", "2025-03-31"),
        ("November to January", "2025-11-01", "2026-01-31"),
        ("since October", "2025-10-01", "2026-01-31"),
        ("pichhle 2 hafte", "2026-01-18", "2026-01-31"),
    ],
)
def test_a_period_is_read(text, start, end) -> None:
    periods, rest = read_periods(text, CLOCK)
    assert [(p.start.isoformat(), p.end.isoformat()) for p in periods] == [(start, end)]
    assert len(rest) == len(text)


@pytest.mark.parametrize(
    "text", ["kalamkari", "sales of top stores", "Marchesa dress", "Q7", "store P2025", "decor", "45/13/2025"]
)
def test_a_near_twin_is_none(text) -> None:
    assert read_periods(text, CLOCK) == ((), text)


def test_two_periods_come_in_the_order_of_the_words() -> None:
    periods, _ = read_periods("this month against last month", CLOCK)
    assert [p.label for p in periods] == ["January 2026", "December 2025"]


def test_a_calendar_year_clock_reads_another_year() -> None:
    calendar = Clock(CLOCK.today, year_starts_in=1)
    assert read_periods("FY25", calendar)[0][0].start == date(2025, 1, 1)
    assert read_periods("Q1 FY25", calendar)[0][0].end == date(2025, 3, 31)


def test_the_leap_day_a_year_earlier_is_the_28th() -> None:
    day = read_periods("29 February 2024", CLOCK)[0][0]
    assert day.year_before().start == date(2023, 2, 28)


@given(st.dates(date(2024, 4, 1), date(2026, 1, 31)))
def test_fiscal_years_begin_in_april_and_hold_their_quarters(today) -> None:
    clock = Clock(today)
    year, quarter = clock.this_year(), clock.quarter_back(0)
    assert (year.start.month, year.start.day) == (4, 1)
    assert year.start <= quarter.start <= today == quarter.end == year.end
    assert clock.quarter_back(1).end < quarter.start
