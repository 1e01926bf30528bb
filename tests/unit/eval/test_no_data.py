"""Saying that there is nothing, having nothing to say, and both held against what is true."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eval.evaluators.registry import find_evaluator
from eval.facts import Truth
from eval.no_data import ALARM_P, Finding, TextClass, alarm, classify, judge, override
from eval.records import Status, failed
from tests.unit.eval.case_doubles import GOOD, a_value

PAIRS = [
    ("There are no bookings for that weekend.", "There are no changes: 14 bookings, as last week."),
    (
        "Nothing in the catalogue fits within forty minutes.",
        "Nothing was dropped; the list still holds 6 tests.",
    ),
    ("The search returned 0 rows.", "The search returned 10 rows."),
    (
        "I could not find any shipments to Bergen.",
        "I could not find a reason to drop it; 31 shipments left on time.",
    ),
    ("We do not have a test for welding.", "We have a test for welding; it takes 12 minutes."),
    (
        "Zero invoices? Indeed, no invoices were issued in May.",
        "In May 41 invoices were issued, none of them late.",
    ),
    ("None of our assessments measures that.", "None of these takes longer than 20 minutes."),
    ("No hay pruebas de soldadura.", "Hay 3 pruebas de soldadura."),
    ("Is mahine ka koi record nahi mila.", "Is mahine ke 12 record mile."),
    ("इस सप्ताह का कोई ऑर्डर नहीं मिला।", "इस सप्ताह 18 ऑर्डर मिले।"),
    ("The result set is empty.", "The basket is half empty, with 5 items left."),
]


@pytest.mark.parametrize(("none", "some"), PAIRS)
def test_near_twins_are_told_apart(none: str, some: str) -> None:
    assert classify(none) is TextClass.FULL
    assert classify(some) is TextClass.DATA or classify(some) is TextClass.PARTIAL


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Leeds has no orders, but York has 42.", TextClass.PARTIAL),
        ("I cannot help with legal questions.", TextClass.REFUSAL),
        ("Which month do you mean?", TextClass.REFUSAL),
        ("Error 503: the upstream service timed out.", TextClass.ERROR),
        ("I am unable to access the records right now.", TextClass.ERROR),
        ("", TextClass.SILENT),
        ("…", TextClass.SILENT),
        ("No data quality issues were found in the 1,240 rows.", TextClass.DATA),
    ],
)
def test_the_other_classes(text: str, expected: TextClass) -> None:
    assert classify(text) is expected


def test_a_list_beside_the_words_is_something() -> None:
    assert classify("Here is what I would use.", shows_data=True) is TextClass.DATA
    assert classify("The catalogue has no test for Figma.", shows_data=True) is TextClass.PARTIAL


NOTHING = replace(GOOD, answer="There is no such assessment.", shown=())


@pytest.mark.parametrize(
    ("truth", "finding", "changed"),
    [
        (Truth.EMPTY, Finding.LEGITIMATE, {"accuracy": 1.0, "completeness": 1.0, "hallucination": 1.0}),
        (Truth.SOMETHING, Finding.FALSE_EMPTY, {"accuracy": 0.0, "completeness": 0.0}),
        (Truth.UNKNOWN, Finding.UNVERIFIED, {"accuracy": None, "completeness": None, "hallucination": None}),
    ],
)
def test_words_of_nothing_are_worth_what_is_true(
    truth: Truth, finding: Finding, changed: dict[str, float | None]
) -> None:
    assert judge(replace(NOTHING, truth=truth)) is finding
    for name in ("accuracy", "completeness", "hallucination", "relevance", "safety"):
        spec = find_evaluator(name)
        result = override(a_value(name, 0.5), finding, spec)
        assert result.value == changed.get(name, 0.5)
        assert (result.status is Status.UNSCORED) == (result.value is None)
        assert result.reason


def test_showing_something_where_there_is_nothing_is_made_up() -> None:
    assert judge(replace(GOOD, truth=Truth.EMPTY)) is Finding.FABRICATED
    honest = replace(GOOD, truth=Truth.EMPTY, answer="Not covered: Figma. Nearest:\n1. Photoshop")
    assert judge(honest) is Finding.NORMAL


def test_silence_is_no_honest_nothing() -> None:
    assert judge(replace(NOTHING, answer="", truth=Truth.EMPTY)) is Finding.NORMAL


def test_a_broken_evaluator_stays_broken() -> None:
    broken = failed("accuracy", "boom")
    assert override(broken, Finding.LEGITIMATE, find_evaluator("accuracy")) is broken


def test_the_alarm_goes_off_when_nothing_is_said_too_often() -> None:
    assert alarm(0, 0, 0) is None
    hiding, honest = alarm(120, 6, 120), alarm(7, 6, 120)
    assert hiding is not None
    assert honest is not None
    assert hiding < ALARM_P < honest
    assert alarm(3, 0, 100) == pytest.approx(0.08, abs=0.02)
