"""Words, numbers and likeness."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.text import containment, likeness, list_lines, numbers, prose, sentences, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10 minutes, 1,240 rows and 2.5 hours", [10, 1240, 2.5]),
        ("OPQ32r and Verify 2.0.1", []),
        ("version 8.0", [8]),
        ("12,34,567 rupees", [1234567]),
        ("", []),
    ],
)
def test_numbers_stand_free(text: str, expected: list[float]) -> None:
    assert numbers(text) == expected


def test_words_keep_what_makes_a_name() -> None:
    assert words("C++ and C# in Ñandú's café – ok") == ["c++", "and", "c#", "in", "nandu's", "cafe", "ok"]


def test_lists_are_no_prose() -> None:
    text = "Here it is.\n1. One\n- two\n| three |\nThat is all."
    assert list_lines(text) == ["1. One", "- two", "| three |"]
    assert prose(text) == "Here it is.\nThat is all."


def test_sentences_end_at_stops_and_lines() -> None:
    assert sentences("One. Two!\n\nThree") == ["One.", "Two!", "Three"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_a_share_and_has_no_direction(one: str, other: str) -> None:
    found = likeness(one, other)
    assert -1e-9 <= found <= 1 + 1e-9
    assert found == pytest.approx(likeness(other, one))
    if words(one):
        assert likeness(one, one) == pytest.approx(1)


def test_containment_of_nothing_is_none() -> None:
    assert containment("", "a b") == 0
    assert containment("b a", "a b c") == 1
