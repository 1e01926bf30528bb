"""Figures the Indian way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.sandbox.numbers import grouped, short, show_figure


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1,000"),
        (99999, "99,999"),
        (1234567, "12,34,567"),
        (-123456789, "-12,34,56,789"),
    ],
)
def test_groups_are_two_before_the_last_three(value, text) -> None:
    assert grouped(value) == text


def test_places_round_half_up() -> None:
    assert grouped(1234.565, 2) == "1,234.57"
    assert grouped(0.25, 1) == "0.3"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (99_999, None),
        (100_000, "1.00 lakh"),
        (1_234_567, "12.35 lakh"),
        (10_000_000, "1.00 crore"),
        (-250_000, "-2.50 lakh"),
    ],
)
def test_lakh_and_crore(value, text) -> None:
    assert short(value) == text


def test_a_figure_has_its_unit() -> None:
    assert show_figure(1_234_567, "INR") == "₹12.35 lakh (₹12,34,567)"
    assert show_figure(1_234_567, "INR", brief=True) == "₹12,34,567"
    assert show_figure(12.345, "percent") == "12.3%"
    assert show_figure(1200, "pieces") == "1,200 pieces"
    assert show_figure(42.04, "days") == "42.0 days"


@given(st.integers(-(10**12), 10**12))
def test_taking_the_commas_out_gives_the_number_back(value) -> None:
    assert int(grouped(value).replace(",", "")) == value
