"""What a message does with each thing it names, and how much it matters."""

from __future__ import annotations

import pytest

from app.records import Weight
from app.understanding.mentions import Kind, Mode
from app.understanding.reading import Reader


def modes(reader: Reader, text: str) -> dict[str, Mode]:
    return {m.ids[0]: m.mode for m in reader.read(text).mentions if m.kind is Kind.SKILL}


def weights(reader: Reader, text: str) -> dict[str, Weight | None]:
    return {m.ids[0]: m.weight for m in reader.read(text).mentions if m.kind is Kind.SKILL}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The work is in Python", Mode.WANT),
        ("Add Python", Mode.ADD),
        ("Please include Python as well", Mode.ADD),
        ("Drop Python", Mode.DROP),
        ("Don't add Python", Mode.DROP),
        ("Don't drop Python", Mode.KEEP),
        ("Keep Python", Mode.KEEP),
        ("Leave Python out", Mode.DROP),
        ("Python definitely not", Mode.DROP),
        ("No Python", Mode.NOT),
        ("Without Python", Mode.DROP),
        ("Python? No.", Mode.DROP),
        ("Python? Yes.", Mode.ADD),
        ("How hard is Python?", Mode.ASK),
        ("Should we also add Python?", Mode.ADVICE),
        ("Can you add Python?", Mode.ADD),
        ("Add Python only if there is time", Mode.IGNORED),
        ("Just Python.", Mode.ONLY),
        ("Python, nothing else.", Mode.ONLY),
        ("Just Python is a bit short.", Mode.WANT),
        ("Add Python, nothing else.", Mode.ADD),
        ("Swap that for Python", Mode.ADD),
    ],
)
def test_one_thing_gets_the_mode_of_its_verb(reader: Reader, text: str, expected: Mode) -> None:
    assert modes(reader, text) == {"python": expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Python but not Docker", {"python": Mode.WANT, "docker": Mode.DROP}),
        ("No Docker, Python yes", {"docker": Mode.NOT, "python": Mode.ADD}),
        ("Add Python and drop Docker", {"python": Mode.ADD, "docker": Mode.DROP}),
        ("Drop Docker, Python stays", {"docker": Mode.DROP, "python": Mode.KEEP}),
        ("Add Python and Docker", {"python": Mode.ADD, "docker": Mode.ADD}),
        ("Add Python, or rather Docker", {"python": Mode.IGNORED, "docker": Mode.ADD}),
        ("Python instead of Docker", {"python": Mode.ADD, "docker": Mode.DROP}),
        ("I'd rather have Python than Docker", {"python": Mode.ADD, "docker": Mode.DROP}),
        ("Replace Docker with Python", {"docker": Mode.REPLACE, "python": Mode.ADD}),
        ("Drop Docker. They use Python daily.", {"docker": Mode.DROP, "python": Mode.WANT}),
    ],
)
def test_two_things_are_told_apart(reader: Reader, text: str, expected: dict[str, Mode]) -> None:
    assert modes(reader, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Python is essential, Docker is nice to have", {"python": Weight.MUST, "docker": Weight.NICE}),
        ("Nice to have: Python", {"python": Weight.NICE}),
        ("Must have:\nPython\nNice to have:\nDocker", {"python": Weight.MUST, "docker": Weight.NICE}),
        ("Python and Docker", {"python": None, "docker": None}),
        ("Python would be a plus", {"python": Weight.NICE}),
        ("Occasionally some Python", {"python": Weight.OCCASIONAL}),
    ],
)
def test_a_weight_word_reaches_its_own_clause(
    reader: Reader, text: str, expected: dict[str, Weight | None]
) -> None:
    assert weights(reader, text) == expected
