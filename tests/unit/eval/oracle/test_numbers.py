"""Figures read back from every way to write them, and digits that measure nothing told apart."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.oracle.numbers import Unit, comparable, others, quantities


def one(text: str) -> tuple[Decimal, Unit, Decimal]:
    (found,) = quantities(text)
    return found.value, found.unit, found.step


@pytest.mark.parametrize(
    ("text", "value", "unit", "step"),
    [
        ("₹4.2 lakh", "420000", "money", "10000"),
        ("₹ 12,34,567", "1234567", "money", "1"),
        ("Rs. 1,234,567.50", "1234567.50", "money", "0.01"),
        ("Rs500", "500", "money", "1"),
        ("INR 2.50 Cr", "25000000", "money", "100000"),
        ("4.2cr", "42000000", "plain", "1000000"),
        ("$3.1M", "3100000", "money", "100000"),
        ("₹5 L", "500000", "money", "100000"),
        ("12K", "12000", "plain", "1000"),
        ("1.5 bn", "1500000000", "plain", "100000000"),
        ("5 lakh rupaye", "500000", "money", "100000"),
        ("1 crore 20 lakh rupaye", "12000000", "money", "100000"),
        ("2 lakh 35 hazaar", "235000", "plain", "1000"),
        ("dedh lakh", "150000", "plain", "10000"),
        ("sawa do lakh", "225000", "plain", "1000"),
        ("paune do crore", "17500000", "plain", "100000"),
        ("saadhe teen crore", "35000000", "plain", "1000000"),
        ("sawa lakh", "125000", "plain", "1000"),
        ("paanch sau", "500", "plain", "100"),
        ("half a million, no: half million", "500000", "plain", "100000"),
        ("ढाई लाख रुपये", "250000", "money", "10000"),
        ("१२,३४५", "12345", "plain", "1"),
        ("12.5%", "12.5", "percent", "0.1"),
        ("12 per cent", "12", "percent", "1"),
        ("१२ प्रतिशत", "12", "percent", "1"),
        ("2.3 percentage points", "2.3", "points", "0.1"),
        ("2.3pp", "2.3", "points", "0.1"),
        ("150 bps", "1.5", "points", "0.01"),
        ("-5.5%", "-5.5", "percent", "0.1"),
        ("−300", "-300", "plain", "1"),
        ("-₹1,200", "-1200", "money", "1"),
        ("₹-1,200", "-1200", "money", "1"),
        ("| (1,234) |", "-1234", "plain", "1"),
        ("Net change: (₹1,234)", "-1234", "money", "1"),
        ("It was (5.2%)", "-5.2", "percent", "0.1"),
        ("₹0", "0", "money", "1"),
        ("2025 units", "2025", "plain", "1"),
        ("₹2,025", "2025", "money", "1"),
        ("| 2024 |", "2024", "plain", "1"),
        ("cover of 12 days", "12", "plain", "1"),
        ("45 stores", "45", "plain", "1"),
    ],
)
def test_one_figure(text: str, value: str, unit: str, step: str) -> None:
    assert one(text) == (Decimal(value), Unit(unit), Decimal(step))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("2025-06-01", "date"),
        ("01/06/2025", "date"),
        ("3 Jan 2026", "date"),
        ("Jan 3, 2026", "date"),
        ("3rd January", "date"),
        ("June 2025", "date"),
        ("1-7 June 2025", "date"),
        ("3 जनवरी 2026", "date"),
        ("2025-06", "date"),
        ("Q1", "date"),
        ("week 23", "date"),
        ("FY26", "year"),
        ("FY 2025-26", "year"),
        ("2025-26", "year"),
        ("in 2025", "year"),
        ("10:30", "time"),
        ("5 pm", "time"),
        ("#3", "rank"),
        ("rank 2", "rank"),
        ("2nd", "rank"),
        ("top 5", "rank"),
        ("1. Pune", "rank"),
        ("Store 1042", "code"),
        ("Store No. 1042", "code"),
        ("store code: 1042", "code"),
        ("SKU-10234", "code"),
        ("SKU 100234", "code"),
        ("AB12345", "code"),
        ("size 32", "code"),
        ("2-4Y", "code"),
        ("bill no. 456", "code"),
        ("+91 98765 43210", "code"),
        ("last 7 days", "duration"),
        ("pichle 3 mahine", "duration"),
    ],
)
def test_digits_that_measure_nothing(text: str, kind: str) -> None:
    assert quantities(text) == ()
    assert {found.kind for found in others(text)} == {kind}


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("₹4-5 lakh", 400_000, 500_000),
        ("4 to 5 lakh", 400_000, 500_000),
        ("between ₹4 and ₹5 lakh", 400_000, 500_000),
        ("10–12%", 10, 12),
        ("₹4 lakh to ₹5 lakh", 400_000, 500_000),
        ("4 se 5 lakh", 400_000, 500_000),
    ],
)
def test_ranges(text: str, low: int, high: int) -> None:
    (found,) = quantities(text)
    assert (found.value, found.upper) == (low, high)
    assert found.agrees(Decimal(low + high) / 2)
    assert not found.agrees(Decimal(high) * 2)


@pytest.mark.parametrize(
    "text", ["from 40% to 42%", "Pune 4, Agra 5", "12 out of 148", "40 and 42 units", "sold 45 (12%)"]
)
def test_two_figures_are_no_range(text: str) -> None:
    assert [found.upper for found in quantities(text)] == [None, None]
    assert all(found.value > 0 for found in quantities(text))


@pytest.mark.parametrize(
    ("text", "exact", "agrees"),
    [
        ("₹4.2 lakh", "419876", True),
        ("₹4.2 lakh", "414999", False),
        ("₹4,19,876", "419877", False),
        ("about ₹4,20,000", "419000", True),
        ("about ₹4,20,000", "410000", False),
        ("₹4,20,000", "419000", False),
        ("5", "50", False),
        ("0", "10", False),
        ("down 12%", "-12.3", True),
        ("12%", "-12.3", False),
        ("45 units", "45", True),
        ("45 units", "46", False),
        ("54 units", "45", False),
        ("लगभग 2 लाख", "200900", True),
    ],
)
def test_agreement_within_what_is_shown(text: str, exact: str, agrees: bool) -> None:
    (found,) = quantities(text)
    assert found.agrees(Decimal(exact)) is agrees


def test_units_that_may_be_compared() -> None:
    assert comparable(Unit.PLAIN, Unit.MONEY)
    assert not comparable(Unit.PERCENT, Unit.POINTS)
    assert not comparable(Unit.PLAIN, Unit.PERCENT)


def indian(value: int) -> str:
    digits = str(value)
    head, tail = digits[:-3], digits[-3:]
    groups = []
    while head:
        groups.insert(0, head[-2:])
        head = head[:-2]
    return ",".join([*groups, tail])


@given(
    st.integers(10_000, 10**12),
    st.sampled_from(["₹{}", "₹ {}", "Rs. {}", "{} rupees", "sales of {} today", "|{}|"]),
)
def test_indian_and_western_grouping_read_back(value: int, frame: str) -> None:
    for written in (indian(value), f"{value:,}"):
        (found,) = quantities(frame.format(written))
        assert found.value == value
        assert found.agrees(Decimal(value))


SCALES = {
    "lakh": 10**5,
    "crore": 10**7,
    "Cr": 10**7,
    "K": 10**3,
    "M": 10**6,
    "B": 10**9,
    "million": 10**6,
    "लाख": 10**5,
}


@given(st.integers(1, 10**12), st.sampled_from(sorted(SCALES)), st.integers(0, 3))
def test_what_is_shown_agrees_with_what_it_was_made_of(value: int, name: str, decimals: int) -> None:
    scale, quantum = SCALES[name], Decimal(1).scaleb(-decimals)
    shown = (Decimal(value) / scale).quantize(quantum, ROUND_HALF_UP)
    gap = "" if len(name) == 1 else " "
    (found,) = quantities(f"₹{shown}{gap}{name}")
    assert (found.value, found.step) == (shown * scale, quantum * scale)
    assert found.agrees(Decimal(value))
    assert not found.agrees(found.value + found.step)


@given(st.decimals(-99, 99, places=2), st.sampled_from(["%", " percent", " pp", " percentage points"]))
def test_percentages_read_back(value: Decimal, unit: str) -> None:
    (found,) = quantities(f"it is {value}{unit}")
    assert found.value == value
    assert found.unit is (Unit.POINTS if "p" in unit and unit != " percent" else Unit.PERCENT)


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    found = quantities(text)
    assert all(0 <= each.start < each.end <= len(text) for each in found)
