"""What a message does to the list that stands."""

from __future__ import annotations

import pytest

from app.records import Act, Edits
from tests.unit.app.understanding.talk import DOCKER, JAVA, LIST, REASONING, SQL, TRAITS, Talk

REQUEST = "A Java developer who knows SQL and Docker."


def edits(talk: Talk, message: str) -> Edits:
    return talk.on_list(message).edits


@pytest.mark.parametrize(
    ("message", "skills"),
    [
        ("Add Kubernetes.", ("kubernetes",)),
        ("Please also include Python and Kubernetes.", ("python", "kubernetes")),
        ("Can you add Python?", ("python",)),
        ("Add SQL.", ()),
        ("Don't add Kubernetes.", ()),
        ("Should we add Kubernetes?", ()),
        ("Is there a Kubernetes test?", ()),
    ],
)
def test_skills_are_added_when_told_and_not_there_yet(
    talk: Talk, message: str, skills: tuple[str, ...]
) -> None:
    assert edits(talk, message).add_skills == skills


@pytest.mark.parametrize(
    ("message", "ids"),
    [
        ("Add the Motivation Questionnaire MQM5.", ("motivation-questionnaire-mqm5",)),
        ("Add the OPQ32r.", ()),
        ("What is the Motivation Questionnaire MQM5?", ()),
    ],
)
def test_assessments_are_added_by_name(talk: Talk, message: str, ids: tuple[str, ...]) -> None:
    assert edits(talk, message).add == ids


@pytest.mark.parametrize(
    ("message", "ids"),
    [
        ("Drop the OPQ32r.", {TRAITS}),
        ("Leave out SQL and Docker.", {SQL, DOCKER}),
        ("SQL can go.", {SQL}),
        ("We don't need Docker any more.", {DOCKER}),
        ("Drop Docker but keep SQL.", {DOCKER}),
        ("Don't drop Docker.", set()),
        ("Would it hurt to drop Docker?", set()),
        ("Drop Python.", set()),
    ],
)
def test_items_are_dropped_when_told(talk: Talk, message: str, ids: set[str]) -> None:
    assert set(edits(talk, message).drop) == ids


def test_the_last_word_on_an_item_wins(talk: Talk) -> None:
    assert edits(talk, "Drop Docker. No wait, keep Docker.").drop == ()


@pytest.mark.parametrize(
    ("message", "replaced", "dropped", "added"),
    [
        ("Replace Docker with Kubernetes.", (), (DOCKER,), ("kubernetes",)),
        ("Swap Docker for Kubernetes.", (), (DOCKER,), ("kubernetes",)),
        ("Replace the OPQ32r.", (TRAITS,), (), ()),
        ("Swap the OPQ32r for something shorter.", (TRAITS,), (), ()),
        ("Kubernetes instead of Docker.", (), (DOCKER,), ("kubernetes",)),
    ],
)
def test_a_replacement_with_a_substitute_is_a_drop_and_an_addition(
    talk: Talk, message: str, replaced: tuple[str, ...], dropped: tuple[str, ...], added: tuple[str, ...]
) -> None:
    found = edits(talk, message)
    assert (found.replace, found.drop, found.add_skills) == (replaced, dropped, added)


@pytest.mark.parametrize(
    ("message", "shorter"),
    [("Replace the OPQ32r with something shorter.", True), ("Replace the OPQ32r.", False)],
)
def test_a_substitute_may_have_to_be_shorter(talk: Talk, message: str, shorter: bool) -> None:
    assert edits(talk, message).shorter is shorter


@pytest.mark.parametrize(
    ("message", "ids"),
    [
        ("Keep only SQL and Docker.", {SQL, DOCKER}),
        ("Keep only the OPQ32r.", {TRAITS}),
        ("Core Java and SQL, the rest can go.", {JAVA, SQL}),
        ("Let's go with SQL and the OPQ32r.", {SQL, TRAITS}),
        ("Keep SQL.", set()),
    ],
)
def test_the_list_becomes_what_is_kept_alone(talk: Talk, message: str, ids: set[str]) -> None:
    assert set(edits(talk, message).only) == ids


@pytest.mark.parametrize(
    ("message", "undo"),
    [("Undo that.", True), ("Go back to the previous list.", True), ("Nothing to add.", False)],
)
def test_undo_goes_to_the_list_before(talk: Talk, message: str, undo: bool) -> None:
    found = talk.says(REQUEST, LIST, "Drop the OPQ32r.", LIST[:-1], message)
    assert found.edits.undo is undo
    assert found.undo_to == (LIST if undo else ())


def test_what_was_dropped_stays_known_until_it_is_asked_back(talk: Talk) -> None:
    dropped = [REQUEST, LIST, "Drop the OPQ32r.", LIST[:-1]]
    assert TRAITS in talk.says(*dropped, "Add Kubernetes.").dropped
    assert TRAITS not in talk.says(*dropped, "Put the OPQ32r back in.").dropped


@pytest.mark.parametrize(
    ("message", "restart"), [("Start over, please.", True), ("The shift starts early.", False)]
)
def test_starting_over_forgets_the_list(talk: Talk, message: str, restart: bool) -> None:
    found = talk.on_list(message)
    assert found.edits.restart is restart
    assert bool(found.standing) is not restart


@pytest.mark.parametrize(
    ("message", "rejects"),
    [
        ("None of these fit.", True),
        ("This is not what I wanted.", True),
        ("The SQL test is fine.", False),
        ("Remove SQL.", False),
    ],
)
def test_a_list_is_turned_down_as_a_whole(talk: Talk, message: str, rejects: bool) -> None:
    assert talk.on_list(message).rejects is rejects


@pytest.mark.parametrize(
    ("message", "compared"),
    [
        ("What is the difference between SQL and Docker?", (SQL, DOCKER)),
        ("Can you compare the OPQ32r with Verify Interactive G+?", (TRAITS, REASONING)),
        ("How long is the SQL test?", (SQL,)),
    ],
)
def test_questions_leave_the_list_alone(talk: Talk, message: str, compared: tuple[str, ...]) -> None:
    found = talk.on_list(message)
    assert found.act is Act.COMPARE
    assert found.compared == compared
    assert not found.edits


def test_choosing_one_of_two_compared_drops_the_other(talk: Talk) -> None:
    standing = (SQL, "shl-verify-interactive-g", "verify-g")
    question = "SHL Verify Interactive G+ or Verify G+, what is the difference?"
    found = talk.says(
        "A data clerk with SQL", standing, question, "One is newer.", "Go with the interactive one."
    )
    assert found.edits.drop == ("verify-g",)


def test_another_job_joins_the_list(talk: Talk) -> None:
    assert talk.on_list("Please also add tests for two electricians.").edits.add_families == ("electrician",)
