"""Minutes, length, form and head counts that a message states."""

from __future__ import annotations

import pytest

from app.understanding.limits import StatedLimits, read_limits
from app.understanding.text import prepare


def limits(text: str) -> StatedLimits:
    return read_limits(prepare(text))


@pytest.mark.parametrize(
    ("text", "each", "total"),
    [
        ("At most 40 minutes in total", None, 40),
        ("Everything must fit in an hour", None, 60),
        ("Under half an hour overall", None, 30),
        ("No more than two hours altogether", None, 120),
        ("Maximum an hour and a half", None, 90),
        ("Under forty-five minutes, please", None, 45),
        ("At most 20 minutes each", 20, None),
        ("No test longer than 15 min", 15, None),
        ("Max 15 minutes per test. At most 60 minutes in total", 15, 60),
        ("Max 15 minutes per test and 60 minutes in total", 15, 60),
        ("At most 50 minutes altogether, 12 each", 12, 50),
        ("Whole battery under an hour, each test below 20 minutes", 20, 60),
        ("Our shift starts 30 minutes before lunch", None, None),
        ("A ten minute check of spelling", None, None),
        ("Add something hands-on, as long as it stays under an hour", None, None),
        ("Add SQL and stay under an hour", None, 60),
        ("The commute is 25 minutes", None, None),
    ],
)
def test_minutes_limit_each_test_or_all_of_them(text: str, each: int | None, total: int | None) -> None:
    found = limits(text)
    assert (found.minutes_each, found.minutes_total) == (each, total)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("no more than three tests", 3),
        ("keep it to 4", 4),
        ("top five please", 5),
        ("2 tests only", 2),
        ("just one assessment", 1),
        ("up to 30 minutes", None),
        ("at most 12 tests", None),
        ("we need three welders", None),
        ("only 5 people", None),
    ],
)
def test_the_length_of_the_list(text: str, size: int | None) -> None:
    assert limits(text).list_size == size


@pytest.mark.parametrize(
    ("text", "adaptive"),
    [
        ("Only adaptive tests", True),
        ("Nothing fancy, not adaptive", False),
        ("non-adaptive only", False),
        ("Is any of them adaptive?", None),
        ("people with an adaptive mindset", None),
        ("a plain test", None),
    ],
)
def test_adaptive_is_wished_refused_or_only_asked_about(text: str, adaptive: bool | None) -> None:
    assert limits(text).adaptive is adaptive


@pytest.mark.parametrize(
    ("text", "remote"),
    [("they are tested remotely", True), ("take it from home", True), ("a remote village", None)],
)
def test_remote_testing_is_not_a_remote_place(text: str, remote: bool | None) -> None:
    assert limits(text).remote is remote


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("7 years in kitchens", 7),
        ("3 to 5 yrs", 3),
        ("3-5 yrs", 3),
        ("Java 8, 5 years", 5),
        ("ten years", 10),
        ("a year", None),
    ],
)
def test_years_of_experience(text: str, years: int | None) -> None:
    assert limits(text).years == years


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("1,200 applicants", 1200),
        ("300 seasonal warehouse workers", 300),
        ("5 cashiers", None),
        ("40 tests", None),
    ],
)
def test_people_to_be_tested(text: str, heads: int | None) -> None:
    assert limits(text).headcount == heads
