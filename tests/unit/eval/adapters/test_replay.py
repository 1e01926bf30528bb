"""A recording gives what was recorded for the very same messages, and says so when it has nothing."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from eval.adapters.base import Adapter, AdapterOptions
from eval.adapters.replay import build, exchanges_of
from eval.errors import AdapterError
from eval.golden import GoldenCase
from eval.records import CaseResult, ChatMessage, ConversationResult, Payload, Run, RunInfo, Turn
from eval.replay import NO_REPLY, play
from eval.store import RunWriter

INFO = RunInfo("r", "", "", "api", "t", "f", 1)


def user(text: str) -> ChatMessage:
    return ChatMessage("user", text)


def assistant(text: str) -> ChatMessage:
    return ChatMessage("assistant", text)


def answer(question: str, text: str) -> Payload:
    return Payload(
        question, text, source="otp_ws", latency_ms=812.0, ui_latency_ms=900.0, ttft_ms=1.0, chunk_count=3,
        stream_duration_ms=5.0, tokens_per_sec=9.0, stream_intact=True, ends=False,
    )  # fmt: skip


def recording(path: Path, *exchanges: tuple[tuple[ChatMessage, ...], Payload]) -> Adapter:
    rows = [{"messages": [asdict(m) for m in messages], "payload": asdict(p)} for messages, p in exchanges]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return build(AdapterOptions(recording=path))


def test_an_answer_comes_back_without_the_times_of_its_day(tmp_path: Path) -> None:
    got = recording(tmp_path / "a", ((user("a"),), answer("a", "₹ हिन्दी 😀"))).ask([user("a")])
    assert (got.ai_response, got.source, got.chunk_count, got.stream_intact) == (
        "₹ हिन्दी 😀",
        "replay",
        3,
        True,
    )
    assert (got.latency_ms, got.ui_latency_ms, got.ttft_ms, got.stream_duration_ms, got.tokens_per_sec) == (
        None,
    ) * 5


@pytest.mark.parametrize(
    "messages", [[user("b")], [user("a"), assistant("x"), user("a")], [user("a "),], [assistant("a")], []]
)  # fmt: skip
def test_what_was_not_recorded_is_lost_and_said(tmp_path: Path, messages: list[ChatMessage]) -> None:
    got = recording(tmp_path / "a", ((user("a"),), answer("a", "x"))).ask(messages)
    assert (got.status, got.answered, got.source) == ("unreachable", False, "replay")
    assert "not in the recording" in str(got.error)


def test_several_answers_to_the_same_messages_come_in_their_order(tmp_path: Path) -> None:
    adapter = recording(tmp_path / "a", ((user("a"),), answer("a", "1")), ((user("a"),), answer("a", "2")))
    assert [adapter.ask([user("a")]).ai_response for _ in range(4)] == ["1", "2", "1", "2"]


def conversation(*payloads: Payload) -> ConversationResult:
    turns = tuple(Turn(number, payload) for number, payload in enumerate(payloads, 1))
    return ConversationResult("c", "f", "dev", "api", "scripted", "grader", turns, "ended", ())


def test_a_stored_run_is_a_recording(tmp_path: Path) -> None:
    with RunWriter.open(tmp_path / "r.jsonl", INFO) as writer:
        writer.add(
            conversation(answer("a", "x"), replace(answer("b", ""), status="failed"), answer("c", "z"))
        )
    adapter = build(AdapterOptions(recording=tmp_path / "r.jsonl"))
    history = [user("a"), assistant("x"), user("b"), assistant(NO_REPLY), user("c")]
    assert [adapter.ask(history[:end]).ai_response for end in (1, 3, 5)] == ["x", "", "z"]
    assert adapter.ask(history[:3]).status == "failed"
    assert "r.jsonl" in adapter.target


CASE = GoldenCase("g", "f", (user("earlier"), assistant("put in"), user("a"), user("b")))


def result(case_id: str, *payloads: Payload) -> CaseResult:
    return CaseResult(case_id, "f", "recommender", "api", "standard", "pass", 1.0, 1.0, (), payloads, "")


def test_golden_cases_are_found_under_the_history_they_were_asked_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("eval.adapters.replay.load_golden", lambda _: (CASE, replace(CASE, id="changed")))
    run = Run(INFO, cases=(
        result("g", answer("a", "x"), answer("b", "y")), result("gone", answer("a", "never")),
        result("changed", answer("other words", "never")),
    ))  # fmt: skip
    begin = (user("earlier"), assistant("put in"), user("a"))
    assert [(history, payload.ai_response) for history, payload in exchanges_of(run)] == [
        (begin, "x"), ((*begin, assistant("x"), user("b")), "y"),
    ]  # fmt: skip


def test_a_case_plays_the_same_from_its_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval.adapters.replay.load_golden", lambda _: (CASE,))
    with RunWriter.open(tmp_path / "r.jsonl", INFO) as writer:
        writer.add(result("g", answer("a", "x"), answer("b", "y")))
    again = play(CASE.messages, build(AdapterOptions(recording=tmp_path / "r.jsonl")))
    assert [(payload.question, payload.ai_response) for payload in again] == [("a", "x"), ("b", "y")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "holds no answer"),
        ("not JSON\n", "line 1"),
        ('{"messages": [], "payload": {}}\n', r"line 1, payload.question"),
        (
            '{"messages": [{"role": "system", "content": "a"}], "payload": {"question": "a"}}\n',
            r"messages.0.role",
        ),
        ('{"kind": "info", "row": {}}\n', "cannot be used"),
        ("\udcff", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_used_is_said_in_a_line(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "a").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(AdapterError, match=words) as caught:
        build(AdapterOptions(recording=tmp_path / "a"))
    assert "\n" not in str(caught.value)


def test_no_file_is_said_too(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="--recording"):
        build(AdapterOptions())
    with pytest.raises(AdapterError, match="cannot be read"):
        build(AdapterOptions(recording=tmp_path / "none"))
