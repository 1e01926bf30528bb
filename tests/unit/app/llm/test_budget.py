"""Trimming keeps what matters most."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.budget import CUT_MARK, tokens_of, trim
from app.records import History, Message
from tests.models import a_history


def shows_list(text: str) -> bool:
    return text.startswith("LIST")


def test_what_fits_is_kept_whole() -> None:
    history = a_history("need", "question?", "answer")
    assert trim(history, 100, shows_list) == history.messages


def test_first_need_standing_list_and_last_message_stay() -> None:
    texts = [
        "need " * 40,
        "LIST old " * 40,
        "other " * 40,
        "LIST standing " * 40,
        "talk " * 40,
        "ok " * 40,
        "last",
    ]
    kept = trim(a_history(*texts), 150, shows_list)
    assert [message.content.split()[0] for message in kept] == ["need", "LIST", "last"]
    assert "standing" in kept[1].content
    assert [message.role for message in kept] == ["user", "assistant", "user"]


def test_a_long_text_loses_its_middle() -> None:
    (kept,) = trim(a_history("begin " + "x" * 5_000 + " end"), 200, shows_list)
    assert kept.content.startswith("begin")
    assert kept.content.endswith("end")
    assert CUT_MARK in kept.content


@given(
    texts=st.lists(st.text(max_size=400), min_size=1, max_size=12),
    most=st.integers(min_value=200, max_value=600),
)
def test_never_more_than_the_budget_and_always_the_last(texts: list[str], most: int) -> None:
    history = History(tuple(Message("assistant" if n % 2 else "user", t) for n, t in enumerate(texts)))
    kept = trim(history, most, shows_list)
    assert sum(tokens_of(message.content) for message in kept) <= most
    assert kept[-1].role == history.messages[-1].role
    assert kept[0].role == "user"


@pytest.mark.parametrize(("text", "least"), [("", 1), ("four", 2), ("x" * 3_500, 1_000)])
def test_the_estimate_is_not_too_low(text: str, least: int) -> None:
    assert tokens_of(text) >= least
