"""The channel of the page, in a real browser: on a page that misbehaves on command, and on the recruiter's."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from eval.adapters.api import build as build_api
from eval.adapters.base import Adapter, AdapterOptions
from eval.adapters.ui import OTHER_CONVERSATION, build
from eval.errors import AdapterError
from eval.records import ChatMessage
from tests.chat_page_server import ITEMS, REPLY, app_of
from tests.loopback import run_app


def build_or_skip(url: str, timeout_s: float) -> Adapter:
    try:
        return build(AdapterOptions(url=url, timeout_s=timeout_s))
    except AdapterError as exc:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(exc))


@pytest.fixture(scope="module")
def seen() -> list[Any]:
    return []


@pytest.fixture(scope="module")
def url(seen: list[Any]) -> Iterator[str]:
    with run_app(app_of(seen)) as address:
        yield address


@pytest.fixture(scope="module")
def channel(url: str) -> Iterator[Adapter]:
    adapter = build_or_skip(url, 4.0)
    yield adapter
    adapter.close()


def user(text: str) -> ChatMessage:
    return ChatMessage("user", text)


def test_what_is_drawn_and_received_alike_is_the_answer(channel: Adapter) -> None:
    got = channel.ask([user("How many?")])
    assert (got.status, got.faults, got.error, got.ai_response, got.ends) == ("ok", (), None, REPLY, False)
    assert [item.name for item in got.recommendations] == [item["name"] for item in ITEMS]
    assert got.latency_ms is not None
    assert got.ui_latency_ms is not None
    assert 0 < got.latency_ms < got.ui_latency_ms


def test_an_answer_that_is_drawn_bit_by_bit_is_read_when_it_is_whole(channel: Adapter) -> None:
    first = channel.ask([user("How many?")])
    got = channel.ask([user("How many?"), ChatMessage("assistant", first.ai_response), user("And slowly?")])
    assert (got.status, got.ai_response) == ("ok", REPLY)
    assert got.ui_latency_ms is not None
    assert got.ui_latency_ms >= 25 * (len(REPLY) // 4)


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        ("wrong text", "52"),
        ("hidden", "drawn text ''"),
        ("fewer", "OPQ32r"),
        ("older list", "0 entries drawn, 2 received"),
        ("wrong end", "drawn as settled"),
    ],
)
def test_what_is_drawn_otherwise_is_a_finding(channel: Adapter, question: str, fault: str) -> None:
    got = channel.ask([user(f"Draw it: {question}")])
    assert (got.status, got.answered) == ("misdrawn", True)
    assert any(fault in found for found in got.faults), got.faults
    assert got.error


def test_a_page_that_sends_another_conversation_is_a_finding(channel: Adapter) -> None:
    first = channel.ask([user("How many?")])
    got = channel.ask([user("How many?"), ChatMessage("assistant", first.ai_response), user("It forgets")])
    assert (got.status, got.faults) == ("misdrawn", (OTHER_CONVERSATION,))


def test_a_conversation_that_went_on_elsewhere_is_given_to_the_page(
    channel: Adapter, seen: list[Any]
) -> None:
    asked = [user("a"), ChatMessage("assistant", "b"), user("c")]
    got = channel.ask(asked)
    assert (got.status, got.faults) == ("ok", ())
    assert [message["content"] for message in seen[-1]["messages"]] == ["a", "b", "c"]


def test_each_conversation_begins_on_a_fresh_page(channel: Adapter, seen: list[Any]) -> None:
    channel.ask([user("one")])
    channel.ask([user("two")])
    assert seen[-1]["messages"] == [{"role": "user", "content": "two"}]


@pytest.mark.parametrize(
    ("question", "status", "fault"),
    [("it fails", "failed", "status 500"), ("garbled", "malformed", "the body is not JSON")],
)
def test_what_the_network_does_wrong(channel: Adapter, question: str, status: str, fault: str) -> None:
    got = channel.ask([user(question)])
    assert (got.status, got.faults, got.ai_response, got.ui_latency_ms) == (status, (fault,), "", None)
    assert got.error


def test_a_page_that_stays_busy_is_too_late(url: str) -> None:
    adapter = build_or_skip(url, 0.8)
    got = adapter.ask([user("never")])
    again = adapter.ask([user("How many?")])
    adapter.close()
    assert (got.status, got.ai_response) == ("timeout", "")
    assert "busy" in str(got.error)
    assert again.status == "ok"


@pytest.mark.parametrize("messages", [[], [user("   ")], [user("a"), ChatMessage("assistant", "b")]])
def test_what_cannot_be_said_is_a_failure(channel: Adapter, messages: list[ChatMessage]) -> None:
    got = channel.ask(messages)
    assert (got.status, got.latency_ms) == ("failed", None)
    assert got.error


def test_a_page_that_nobody_can_drive_is_named(url: str) -> None:
    adapter = build_or_skip(f"{url}/other", 5.0)
    with pytest.raises(AdapterError, match="'elsewhere', page objects are there for recommender"):
        adapter.ask([user("a")])
    adapter.close()


def test_nobody_there() -> None:
    adapter = build_or_skip("http://127.0.0.1:9", 5.0)
    got = adapter.ask([user("a")])
    adapter.close()
    assert (got.status, got.answered) == ("unreachable", False)


async def test_it_can_be_asked_from_within_a_running_loop(channel: Adapter) -> None:
    assert channel.ask([user("How many?")]).status == "ok"
    assert (await asyncio.to_thread(channel.ask, [user("How many?")])).status == "ok"


def test_no_thread_of_it_is_left(url: str) -> None:
    before = threading.active_count()
    adapter = build_or_skip(url, 5.0)
    adapter.ask([user("a")])
    adapter.close()
    assert threading.active_count() <= before


def test_on_the_recruiters_page_a_conversation_is_what_the_service_says(service: str) -> None:
    page = build_or_skip(service, 30.0)
    wire = build_api(AdapterOptions(url=service))
    messages = [user("Mid-level Java developer with SQL, for selection. ₹ हिन्दी 😀")]
    for following in ("Drop the longest one.", "Perfect, that's it.", None):
        drawn, told = page.ask(messages), wire.ask(messages)
        assert (drawn.status, drawn.faults) == ("ok", ())
        assert (drawn.ai_response, drawn.recommendations, drawn.ends) == (
            told.ai_response, told.recommendations, told.ends,
        )  # fmt: skip
        messages += [ChatMessage("assistant", drawn.ai_response), user(str(following))]
    assert drawn.ends
    page.close()
    wire.close()
