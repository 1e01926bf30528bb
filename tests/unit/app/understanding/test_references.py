"""Which item of the list a number, a pronoun or a piece of a name means."""

from __future__ import annotations

import pytest

from app.understanding.references import positions
from tests.unit.app.understanding.talk import DOCKER, JAVA, LIST, REASONING, SQL, TRAITS, Talk


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1", [JAVA]),
        ("5", [TRAITS]),
        ("6", []),
        ("last", [TRAITS]),
        ("first_two", [JAVA, SQL]),
        ("first_three", [JAVA, SQL, DOCKER]),
        ("last_two", [REASONING, TRAITS]),
        ("last_three", [DOCKER, REASONING, TRAITS]),
        ("all", list(LIST)),
        ("rest", []),
    ],
)
def test_positions_count_from_one(value: str, expected: list[str]) -> None:
    assert positions(value, LIST) == expected


@pytest.mark.parametrize(
    ("message", "dropped"),
    [
        ("Drop the second one.", {SQL}),
        ("Remove the last one.", {TRAITS}),
        ("Please take out the first two.", {JAVA, SQL}),
        ("The last two can go.", {REASONING, TRAITS}),
        ("Drop the ninth one.", set()),
        ("What is the second one?", set()),
    ],
)
def test_an_item_is_named_by_its_place(talk: Talk, message: str, dropped: set[str]) -> None:
    assert set(talk.on_list(message).edits.drop) == dropped


@pytest.mark.parametrize(
    ("message", "dropped"),
    [
        ("Remove the OPQ.", {TRAITS}),
        ("Remove the Docker one.", {DOCKER}),
        ("Remove the personality questionnaire.", {TRAITS}),
        ("Remove the reasoning test.", {REASONING}),
        ("Remove Core Java.", {JAVA}),
        ("No more SQL, please.", {SQL}),
        ("Remove Kubernetes.", set()),
        ("Remove the welding test.", set()),
    ],
)
def test_an_item_is_named_by_a_piece_of_its_name_or_its_kind(
    talk: Talk, message: str, dropped: set[str]
) -> None:
    assert set(talk.on_list(message).edits.drop) == dropped


NEED = "A Java developer who knows SQL and Docker."


@pytest.mark.parametrize(
    ("asked", "message", "dropped"),
    [
        ("What does the Docker test cover?", "Drop it.", {DOCKER}),
        ("What is the OPQ32r like?", "Then take it out.", {TRAITS}),
        ("What does the Docker test cover?", "Drop the SQL one.", {SQL}),
        ("What does the Docker test cover?", "Leave that test out.", {DOCKER}),
        ("What does the Docker test cover?", "Leave that test in.", set()),
        ("What does the Docker test cover?", "Interesting.", set()),
    ],
)
def test_a_pronoun_means_what_was_asked_about(
    talk: Talk, asked: str, message: str, dropped: set[str]
) -> None:
    found = talk.says(NEED, LIST, asked, "It is a short quiz about containers.", message)
    assert set(found.edits.drop) == dropped


def test_a_pronoun_means_what_the_message_named_before(talk: Talk) -> None:
    assert talk.on_list("The OPQ32r is too much. Drop it.").edits.drop == (TRAITS,)


@pytest.mark.parametrize(
    ("message", "adds"), [("Yes please.", True), ("Yes, add it.", True), ("No, leave it.", False)]
)
def test_yes_after_advice_adds_what_was_advised(talk: Talk, message: str, adds: bool) -> None:
    found = talk.says(NEED, LIST, "Should I also add Kubernetes?", "It would fit.", message)
    assert (found.edits.add_skills == ("kubernetes",) or found.edits.add == ("kubernetes-new",)) is adds
