"""Messages that accept the list, and near ones that do not."""

from __future__ import annotations

import pytest

from app.records import Act
from tests.unit.app.understanding.talk import LIST, Talk


@pytest.mark.parametrize(
    "message",
    [
        "Perfect, thank you.",
        "Let's lock it in.",
        "That works for us.",
        "Looks good, many thanks!",
        "We'll take these.",
        "Happy with this, cheers.",
        "Confirmed.",
        "Great, I'll send it to the team.",
        "Sounds good to me.",
        "We're all set.",
        "Keep everything as it is.",
        "Gracias, nos quedamos con eso.",
        "That'll do nicely.",
        "Good enough for us.",
        "Yeah that works",
        "We're set.",
        "No more questions.",
        "I'm taking the assessments you listed.",
        "that is everything, ta",
        "This is what I'll present to the board. We can stop here.",
    ],
)
def test_accepts(talk: Talk, message: str) -> None:
    found = talk.on_list(message)
    assert (found.accepts, found.act) == (True, Act.CONFIRM)


@pytest.mark.parametrize(
    "message",
    [
        "Perfect, but drop the OPQ32r.",
        "Good, which of these is adaptive?",
        "Is that the final list?",
        "We can't confirm yet.",
        "Before we lock it in, how long is the SQL test?",
        "That works for SQL, what about Docker?",
        "Hmm.",
        "None of these fit.",
        "Looks good, add Kubernetes too.",
        "They should be good with people.",
        "Once we confirm, who gets the results?",
        "Let's go through it one by one.",
        "That is all wrong.",
        "We're good with SQL, less so with Docker.",
        "I'm not happy with this.",
        "They have to be good with those tools.",
        "Fine. The plant opens in March and the hall is still being painted.",
    ],
)
def test_does_not_accept(talk: Talk, message: str) -> None:
    found = talk.on_list(message)
    assert not found.accepts
    assert found.act is not Act.CONFIRM


def test_nothing_is_accepted_while_nothing_stands(talk: Talk) -> None:
    assert talk.says("Perfect, thanks.").act is not Act.CONFIRM


@pytest.mark.parametrize(
    "closing",
    [" and that's final.", " and we're good.", ", happy with the rest.", "; the rest is perfect.", ". Go.",
     ", otherwise perfect.", " and then we're set."],
)  # fmt: skip
def test_an_edit_that_ends_in_a_closing_word_settles_the_list(talk: Talk, closing: str) -> None:
    found = talk.on_list(f"Drop the OPQ32r{closing}")
    assert found.accepts
    assert found.edits.drop == (LIST[-1],)
