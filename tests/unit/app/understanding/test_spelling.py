"""Typos are mended towards the vocabulary; real words are left alone."""

from __future__ import annotations

import pytest

from app.understanding.reading import Reader
from app.understanding.spelling import Speller
from app.understanding.text import prepare


def swapped(word: str, place: int) -> str:
    """`word` with two neighbouring letters in the wrong order."""
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


ANGULAR = swapped("angular", 4)
POSTGRES = "postgresql".replace("e", "")


@pytest.mark.parametrize(
    ("typo", "right"),
    [
        (ANGULAR, "angular"),
        (swapped("docker", 2), "docker"),
        (swapped("electrician", 8), "electrician"),
        (POSTGRES, "postgresql"),
        ("accountant".replace("cc", "c"), "accountant"),
        ("bookkeeper".replace("kk", "k"), "bookkeeper"),
    ],
)
def test_a_slip_is_mended(speller: Speller, typo: str, right: str) -> None:
    assert speller.correct(typo) == right


@pytest.mark.parametrize(
    ("typo", "skill"),
    [
        ("kuberntes", "kubernetes"),
        ("javascirpt", "javascript"),
        ("javascrpt", "javascript"),
        ("pythno", "python"),
    ],
)
def test_common_misspellings_of_one_word_do_not_make_a_typo_ambiguous(
    reader: Reader, typo: str, skill: str
) -> None:
    assert [m.ids for m in reader.read(f"The work is in {typo}").mentions] == [(skill,)]


@pytest.mark.parametrize(
    "word",
    ["python", "pythons", "locker", "spring", "account", "canteen", "stall", "xqzvkw", "later", "rusty"],
)
def test_a_real_word_or_a_far_one_is_left_alone(speller: Speller, word: str) -> None:
    assert speller.correct(word) is None


@pytest.mark.parametrize("text", [f"A1b2{ANGULAR}", f"{ANGULAR}3", f"mail.{ANGULAR}", f"{ANGULAR}++"])
def test_a_part_of_a_longer_token_is_left_alone(speller: Speller, text: str) -> None:
    prepared = prepare(text)
    assert speller.repair(prepared) is prepared


def test_the_same_object_comes_back_when_nothing_is_wrong(speller: Speller) -> None:
    prepared = prepare("A welder who knows Python")
    assert speller.repair(prepared) is prepared


def test_the_rest_of_the_text_keeps_its_letters(speller: Speller) -> None:
    assert speller.repair(prepare(f"Anna needs {ANGULAR.title()}, Now")).plain == "Anna needs Angular, Now"


def test_a_split_word_is_joined(speller: Speller) -> None:
    assert "angular" in speller.repair(prepare("we use ang ular here")).folded


def test_a_phrase_of_two_words_is_not_joined(speller: Speller) -> None:
    prepared = prepare("Add MS Excel (New) again")
    assert speller.repair(prepared) is prepared


def test_a_mended_mention_says_so(reader: Reader) -> None:
    typos = {
        mention.ids[0]: mention.typo for mention in reader.read(f"She knows {POSTGRES} and Python").mentions
    }
    assert typos == {"postgresql": True, "python": False}


def test_other_languages_are_not_mended(reader: Reader) -> None:
    raw = f"Wir suchen eine Kollegin für die Werkstatt und wir brauchen das {ANGULAR} nicht"
    assert ANGULAR in reader.read(raw).text.plain
