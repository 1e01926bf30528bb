"""The channel behind a one-time password, against a real server that fails on command."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from eval.adapters.base import Adapter, AdapterOptions
from eval.adapters.otp_ws import build
from eval.errors import AdapterError
from eval.otp_ws.answer import MISMATCH, REPEATED
from eval.otp_ws.lazy import Lazy
from eval.records import ChatMessage, Payload
from tests.chat_stream_server import (
    HEARTBEAT,
    LOGIN,
    OTP,
    Chat,
    Close,
    Drop,
    Pause,
    Send,
    Silence,
    Step,
    chunk,
    serve,
    whole,
)

ASK = (ChatMessage("user", "What did Pune sell?"),)
Build = Callable[..., Adapter]


@pytest.fixture(scope="module")
def server() -> Iterator[Chat]:
    with serve() as chat:
        yield chat


@pytest.fixture
def chat(server: Chat) -> Chat:
    fresh = Chat()
    for name in ("script", "answer", "refuse", "stream_close", "answers_before_trigger_returns", "says_message_id",
                 "tokens", "requests", "threads", "deleted", "shapes", "most_sockets", "waiting"):  # fmt: skip
        setattr(server, name, getattr(fresh, name))
    return server


@pytest.fixture
def channel(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    built: list[Adapter] = []

    def make(timeout_s: float = 10.0, **settings: object) -> Adapter:
        for name, value in {"LOGIN": LOGIN, "OTP": OTP, **settings}.items():
            monkeypatch.setenv(f"OTP_WS_{name}", str(value))
        built.append(build(AdapterOptions(url=chat.url, timeout_s=timeout_s)))
        return built[-1]

    yield make
    for adapter in built:
        adapter.close()


def test_an_answer_is_heard_measured_and_whole(chat: Chat, channel: Build) -> None:
    chat.script = (
        chunk("Pune sold "), HEARTBEAT, Pause(0.05), chunk("45 units."), whole("Pune sold 45 units.", trace_id="r"),
    )  # fmt: skip
    got = channel().ask(ASK)
    assert (got.ai_response, got.status, got.error, got.faults) == ("Pune sold 45 units.", "ok", None, ())
    assert (got.chunk_count, got.stream_intact, got.trace_id, got.tokens_per_sec) == (2, True, "r", None)
    assert got.ttft_ms is not None
    assert got.stream_duration_ms is not None
    assert got.latency_ms is not None
    assert got.stream_duration_ms >= 50
    assert 0 < got.ttft_ms <= got.ttft_ms + got.stream_duration_ms <= got.latency_ms


def test_the_service_is_asked_in_order(chat: Chat, channel: Build) -> None:
    channel(SHAPE="openai").ask(ASK)
    assert [request.rsplit("/", 1)[-1] for request in chat.requests] == [
        "request-otp", "verify-otp", "threads", "messages", "trigger",
    ]  # fmt: skip
    assert chat.shapes == ["openai"]


BROKEN: dict[str, tuple[tuple[Step, ...], str]] = {
    "closed": ((chunk("Pune "), Close(1001, "restart")), "closed midway (1001, restart)"),
    "closed as if well": ((chunk("Pune "), Close(1000)), "closed midway (1000)"),
    "cut": ((chunk("Pune "), Drop()), "closed midway (1006)"),
    "an error": ((chunk("Pune "), Send('{"type": "error", "error": "overloaded"}')), "overloaded"),
    "cut at a limit": (
        (Send('{"choices": [{"delta": {"content": "Pune "}, "finish_reason": "length"}]}'),), "limit of tokens",
    ),
    "silent": ((chunk("Pune "), Silence()), "silent for 0.3 s"),
}  # fmt: skip


@pytest.mark.parametrize(("script", "why"), BROKEN.values(), ids=BROKEN)
def test_what_came_of_a_broken_answer_is_kept_and_marked(
    chat: Chat, channel: Build, script: tuple[Step, ...], why: str
) -> None:
    chat.script = script
    got = channel(INACTIVITY_S=0.3).ask(ASK)
    assert (got.status, got.ai_response, got.answered) == ("partial", "Pune ", True)
    assert why in str(got.error)
    assert got.latency_ms is not None
    assert got.ttft_ms is not None


@pytest.mark.parametrize(
    ("script", "status"),
    [((Close(1011),), "failed"), ((Drop(),), "failed"), ((Silence(),), "timeout"),
     ((Send('{"type": "error", "error": "no"}'),), "failed")],
)  # fmt: skip
def test_nothing_at_all_is_not_a_partial_answer(
    chat: Chat, channel: Build, script: tuple[Step, ...], status: str
) -> None:
    chat.script = script
    got = channel(INACTIVITY_S=0.3).ask(ASK)
    assert (got.status, got.ai_response, got.ttft_ms) == (status, "", None)
    assert got.error


def test_a_long_answer_that_keeps_coming_is_not_silent(chat: Chat, channel: Build) -> None:
    chat.script = (
        *(step for n in range(8) for step in (chunk(f"{n} "), Pause(0.15))),
        whole("0 1 2 3 4 5 6 7 "),
    )
    got = channel(INACTIVITY_S=0.9).ask(ASK)
    assert (got.status, got.chunk_count) == ("ok", 8)


def test_heartbeats_keep_alive_but_not_for_ever(chat: Chat, channel: Build) -> None:
    chat.script = (chunk("Pune "), *(step for _ in range(100) for step in (HEARTBEAT, Pause(0.05))))
    got = channel(timeout_s=0.8, INACTIVITY_S=0.4).ask(ASK)
    assert (got.status, got.ai_response) == ("partial", "Pune ")
    assert "not complete after 0.8 s" in str(got.error)


def test_hundreds_of_heartbeats_change_nothing(chat: Chat, channel: Build) -> None:
    chat.script = (chunk("Pune "), *[HEARTBEAT] * 400, chunk("45"), whole("Pune 45"))
    got = channel().ask(ASK)
    assert (got.status, got.ai_response, got.chunk_count, got.faults) == ("ok", "Pune 45", 2, ())


def test_a_final_text_that_is_sent_twice_is_not_doubled(chat: Chat, channel: Build) -> None:
    chat.script = (chunk("Pune "), chunk("45"), whole("Pune 45"), whole("Pune 45"))
    got = channel().ask(ASK)
    assert (got.ai_response, got.stream_intact, got.faults) == ("Pune 45", False, (REPEATED,))


def test_pieces_of_another_text_are_a_fault(chat: Chat, channel: Build) -> None:
    chat.script = (chunk("Pune 54"), whole("Pune 45"))
    assert channel().ask(ASK).faults == (MISMATCH,)


def test_frames_of_other_threads_and_messages_are_not_heard(chat: Chat, channel: Build) -> None:
    chat.script = (
        chunk("stolen ", thread_id="another"),
        Send(json.dumps({"type": "full_response", "content": "the answer before", "message_id": "before"})),
        chunk("mine", thread_id="{thread}"),
        whole("mine", thread_id="{thread}"),
    )
    got = channel().ask(ASK)
    assert (got.ai_response, got.status, got.chunk_count) == ("mine", "ok", 1)


def test_frames_before_the_trigger_returns_are_heard_when_they_came(chat: Chat, channel: Build) -> None:
    chat.answers_before_trigger_returns = True
    got = channel().ask(ASK)
    assert (got.status, got.chunk_count) == ("ok", 2)
    assert got.latency_ms is not None
    assert got.latency_ms < 150


def test_a_service_that_does_not_name_the_message(chat: Chat, channel: Build) -> None:
    chat.says_message_id = False
    assert channel().ask(ASK).status == "ok"


def test_an_object_in_two_frames(chat: Chat, channel: Build) -> None:
    chat.script = (Send('{"type": "message_chunk", "content": "₹12'), Send(' lakh"}'), whole("₹12 lakh"))
    got = channel().ask(ASK)
    assert (got.ai_response, got.chunk_count, got.stream_intact) == ("₹12 lakh", 1, True)


def test_a_frame_that_nobody_knows_is_named(chat: Chat, channel: Build) -> None:
    chat.script = (Send('{"type": "typing"}'), Send(b"\xff{"), whole("45"))
    got = channel().ask(ASK)
    assert got.status in ("ok", "partial")
    assert any("typing" in fault for fault in got.faults)


# --- threads --------------------------------------------------------------------------------------


def goes_on(messages: tuple[ChatMessage, ...], got: Payload, text: str) -> tuple[ChatMessage, ...]:
    return (*messages, ChatMessage("assistant", got.ai_response), ChatMessage("user", text))


def test_a_conversation_goes_on_in_its_thread_and_a_new_one_gets_its_own(chat: Chat, channel: Build) -> None:
    adapter = channel()
    second = goes_on(ASK, adapter.ask(ASK), "And Delhi?")
    adapter.ask(second)
    adapter.ask(ASK)
    assert [*chat.threads.values()] == [["What did Pune sell?", "And Delhi?"], ["What did Pune sell?"]]
    assert chat.count("request-otp") == 1


def test_a_history_of_somebody_else_is_told_to_a_new_thread(chat: Chat, channel: Build) -> None:
    got = channel().ask((*ASK, ChatMessage("assistant", "45"), ChatMessage("user", "And Delhi?")))
    assert [*chat.threads.values()] == [["What did Pune sell?", "And Delhi?"]]
    assert got.ai_response == "2 asked, the last: And Delhi?"


def test_a_thread_whose_answer_broke_off_is_not_used_again(chat: Chat, channel: Build) -> None:
    adapter = channel()
    chat.script = (chunk("Pune "), Close())
    broken = adapter.ask(ASK)
    chat.script = ()
    got = adapter.ask(goes_on(ASK, broken, "And Delhi?"))
    assert (got.status, len(chat.threads)) == ("ok", 2)


def test_an_earlier_message_that_gets_no_answer_fails_the_question(chat: Chat, channel: Build) -> None:
    chat.script = (Close(),)
    got = channel().ask((*ASK, ChatMessage("assistant", "45"), ChatMessage("user", "And Delhi?")))
    assert got.status == "failed"
    assert "earlier" in str(got.error)


def test_many_at_once_log_in_once_and_get_their_own_answers(chat: Chat, channel: Build) -> None:
    adapter = channel()
    asked = [(ChatMessage("user", f"question {number}"),) for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        payloads = list(pool.map(adapter.ask, asked))
    assert [p.ai_response for p in payloads] == [
        f"1 asked, the last: question {number}" for number in range(12)
    ]
    assert (chat.count("request-otp"), len(chat.threads)) == (1, 12)


def test_sockets_threads_and_readers_are_gone_in_the_end(chat: Chat, channel: Build) -> None:
    chat.script = ()
    adapter = channel(INACTIVITY_S=0.2)
    before = {thread.name for thread in threading.enumerate()}
    adapter.ask(ASK)
    for script in ((chunk("Pune "), Silence()), (chunk("Pune "), Close()), (chunk("Pune "), Drop())):
        chat.script = script
        adapter.ask(ASK)
    adapter.close()
    left = {thread.name for thread in threading.enumerate()} - before
    assert not any("stream" in name for name in left), left
    assert (chat.sockets, chat.most_sockets) == (0, 1)
    assert sorted(chat.deleted) == sorted(chat.threads)


def test_threads_stay_when_that_is_wanted(chat: Chat, channel: Build) -> None:
    adapter = channel(DELETE_THREADS="false")
    adapter.ask(ASK)
    adapter.close()
    assert chat.deleted == []


# --- logging in -----------------------------------------------------------------------------------


def test_an_expired_token_is_renewed_once(chat: Chat, channel: Build) -> None:
    adapter = channel()
    adapter.ask(ASK)
    chat.tokens.clear()
    assert adapter.ask(ASK).status == "ok"
    assert chat.count("verify-otp") == 2


def test_many_who_notice_an_expired_token_renew_it_once(chat: Chat, channel: Build) -> None:
    adapter = channel()
    adapter.ask(ASK)
    chat.tokens.clear()
    with ThreadPoolExecutor(6) as pool:
        payloads = list(pool.map(adapter.ask, [ASK] * 6))
    assert {p.status for p in payloads} == {"ok"}
    assert chat.count("verify-otp") == 2


@pytest.mark.parametrize("code", [401, 4401])
def test_a_stream_that_refuses_the_token_gets_a_new_one(chat: Chat, channel: Build, code: int) -> None:
    chat.stream_close = [code]
    assert channel().ask(ASK).status == "ok"
    assert (chat.count("verify-otp"), chat.count("trigger")) == (2, 1)


@pytest.mark.parametrize("code", [401, 4401])
def test_a_stream_that_keeps_refusing_is_a_failure(chat: Chat, channel: Build, code: int) -> None:
    chat.stream_close = [code, code, code]
    got = channel().ask(ASK)
    assert (got.status, got.faults, chat.count("verify-otp")) == ("failed", ("status 401",), 2)


@pytest.mark.parametrize(
    ("where", "refusal", "status", "fault"),
    [
        ("request-otp", (404, "nobody"), "failed", "status 404"),
        ("verify-otp", (429, "locked"), "failed", "status 429"),
        ("verify-otp", (200, "{}"), "malformed", "access_token is missing"),
        ("threads", (500, "oops"), "failed", "status 500"),
        ("threads", (200, "<html>"), "malformed", "the body is not JSON"),
        ("threads", (200, "[]"), "malformed", "the body is not an object"),
        ("messages", (422, "{}"), "failed", "status 422"),
        ("messages", (401, "{}"), "failed", "status 401"),
        ("trigger", (409, "running"), "failed", "status 409"),
        ("stream", (403, ""), "failed", "status 401"),
    ],
)
def test_each_refusal_is_a_record_that_names_it(
    chat: Chat, channel: Build, where: str, refusal: tuple[int, str], status: str, fault: str
) -> None:
    chat.refuse = {where: refusal}
    if where == "stream":
        chat.refuse, chat.stream_close = {}, [401, 401]
    got = channel().ask(ASK)
    assert (got.status, got.faults, got.ai_response, got.latency_ms) == (status, (fault,), "", None)
    assert OTP not in str(got)


def test_a_wrong_password_is_said_without_the_password(chat: Chat, channel: Build) -> None:
    got = channel(OTP="000111").ask(ASK)
    assert got.faults == ("status 401",)
    assert "000111" not in str(got)


def test_nobody_there(chat: Chat, channel: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    channel()
    adapter = build(AdapterOptions(url="http://127.0.0.1:9"))
    got = adapter.ask(ASK)
    adapter.close()
    assert (got.status, got.answered) == ("unreachable", False)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "OTP_WS_LOGIN and OTP_WS_OTP"),
        ({"LOGIN": LOGIN}, "OTP_WS_LOGIN and OTP_WS_OTP"),
        ({"LOGIN": LOGIN, "OTP": OTP, "INACTIVITY_S": "0"}, "OTP_WS_INACTIVITY_S"),
        ({"LOGIN": LOGIN, "OTP": OTP, "SHAPE": "xml"}, "no shape 'xml'"),
    ],
)
def test_what_is_missing_is_said_before_anything_is_asked(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], words: str
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(f"OTP_WS_{name}", value)
    with pytest.raises(AdapterError, match=words):
        build(AdapterOptions(url="http://127.0.0.1:9"))
    with pytest.raises(AdapterError, match="--url"):
        build(AdapterOptions())


# --- lazy values ----------------------------------------------------------------------------------


def test_who_fails_to_make_it_leaves_it_to_the_next() -> None:
    attempts: list[int] = []

    def make() -> str:
        attempts.append(1)
        if len(attempts) == 1:
            raise OSError
        return "made"

    lazy = Lazy(make)
    with pytest.raises(OSError):  # noqa: PT011
        lazy.get()
    assert (lazy.get(), lazy.get(), len(attempts)) == ("made", "made", 2)


def test_all_who_come_at_once_get_the_one_that_was_made() -> None:
    made: list[int] = []
    gate = threading.Barrier(8)

    def make() -> int:
        threading.Event().wait(0.02)
        made.append(1)
        return len(made)

    lazy = Lazy(make)

    def get(_: int) -> int:
        gate.wait()
        return lazy.get()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(get, range(8))) == {1}
    assert lazy.renew(1) == 2
    assert lazy.renew(1) == 2
