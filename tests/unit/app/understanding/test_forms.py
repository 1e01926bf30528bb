"""Other ways to write a phrase."""

from __future__ import annotations

import pytest

from app.understanding.forms import Variants, turned

VARIANTS = Variants({"center": "centre", "organiz-": "organis-", "labor": "labour"}, {"technician": "tech"})


@pytest.mark.parametrize(
    ("form", "found"),
    [
        ("call center", ["call center", "call centre", "call centers", "call centres"]),
        ("call centres", ["call centres", "call centers"]),
        ("organizing", ["organizing", "organising", "organizings", "organisings"]),
        ("laboratory work", ["laboratory work", "laboratory works"]),
        ("epicenter", ["epicenter", "epicenters"]),
    ],
)
def test_both_spellings_of_whole_words_and_of_beginnings(form: str, found: list[str]) -> None:
    assert VARIANTS.of_phrases([form]) == found


def test_a_title_is_shortened_but_never_to_its_last_word_alone() -> None:
    assert VARIANTS.of_titles(["lab technician", "technician"]) == [
        "lab technician", "technician", "lab tech", "lab technicians", "technicians", "lab techs",
    ]  # fmt: skip


@pytest.mark.parametrize(("form", "pair"), [("reading and reasoning", "reasoning and reading"), ("sql", "")])
def test_a_pair_is_turned(form: str, pair: str) -> None:
    assert turned(form) == pair
