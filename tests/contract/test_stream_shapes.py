"""Each frame has one shape, and each shape can tell an answer."""

from __future__ import annotations

import json

import pytest

from eval.otp_ws.answer import Answer
from eval.otp_ws.frames import Unframer
from eval.otp_ws.shapes import known_shapes, read
from eval.otp_ws.signals import Kind, ShapeSpec, Signal, Unit

SHAPES = known_shapes()
SAMPLES = [(name, unit) for name, shape in SHAPES.items() for unit in shape.samples]


@pytest.mark.parametrize(("name", "unit"), SAMPLES, ids=lambda value: str(getattr(value, "data", value))[:40])
def test_a_unit_is_of_one_shape(name: str, unit: Unit) -> None:
    assert [shape.name for shape in SHAPES.values() if shape.read(unit) is not None] == [name]


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_shape_shows_all_that_an_answer_needs(shape: ShapeSpec) -> None:
    kinds = {signal.kind for unit in shape.samples for signal in shape.read(unit) or ()}
    assert kinds >= {Kind.PIECE, Kind.ERROR}
    assert kinds & {Kind.WHOLE, Kind.END}
    assert shape.summary


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize(
    "data", [None, 3, "words", [], {}, {"type": 5}, {"choices": 1}, {"type": "typing"}, {"delta": "a"}]
)
def test_no_shape_claims_what_it_does_not_know(shape: ShapeSpec, data: object) -> None:
    assert shape.read(Unit(data)) is None


def test_odd_insides_break_nothing() -> None:
    for odd in (
        {"choices": [None, {"delta": 4}, {"index": 1, "delta": {"content": "b"}}], "usage": []},
        {"type": "content_block_delta", "delta": []},
        {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "a"}},
        {"type": "message_delta", "usage": {"output_tokens": True}},
        {"type": "message_chunk", "content": {"a": 1}, "message_id": 4},
        {"type": "error"},
    ):
        assert read(Unit(odd), SHAPES) is not None


CONVERSATIONS = {
    "message_chunk": [
        {"type": "message_start", "message_id": "m"},
        {"type": "message_chunk", "content": "Hello ", "message_id": "m"},
        {"type": "heartbeat"},
        {"type": "message_chunk", "content": "you", "message_id": "m"},
        {"type": "full_response", "content": "Hello you", "message_id": "m", "trace_id": "r"},
    ],
    "full_response": [{"type": "full_response", "content": "Hello you", "message_id": "m", "trace_id": "r"}],
    "openai": [
        {"id": "m", "choices": [{"index": 0, "delta": {"role": "assistant"}}], "trace_id": "r"},
        {"id": "m", "choices": [{"index": 0, "delta": {"content": "Hello "}}]},
        ": keep-alive",
        {"id": "m", "choices": [{"index": 0, "delta": {"content": "you"}}]},
        {"id": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"id": "m", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
        "[DONE]",
    ],
    "anthropic": [
        {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 3}}},
        {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hello "}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "you"}},
        {"type": "content_block_stop"},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}, "trace_id": "r"},
        {"type": "message_stop"},
    ],
    "sse": [
        'event: start\ndata: {"message_id": "m"}\n\n',
        'event: delta\ndata: {"content": "Hello "}\n\n',
        ": heartbeat\n\n",
        'event: delta\ndata: {"content": "you"}\n\n',
        'event: done\ndata: {"content": "Hello you", "trace_id": "r"}\n\n',
    ],
}  # fmt: skip


@pytest.mark.parametrize("dressed", [False, True], ids=["bare", "as SSE"])
@pytest.mark.parametrize("frames", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_each_shape_tells_the_same_answer(frames: list[object], dressed: bool) -> None:
    unframer, answer = Unframer(), Answer("t")
    for number, frame in enumerate(frames):
        text = frame if isinstance(frame, str) else json.dumps(frame)
        if dressed and isinstance(frame, dict):
            name = f"event: {frame['type']}\n" if "type" in frame else ""
            text = f"{name}data: {text}\n\n"
        for unit in unframer.feed(text):
            signals = read(unit, SHAPES)
            assert signals is not None, unit
            for signal in signals:
                answer.take(signal, float(number))
    got = answer.result(99.0)
    assert (got.text, got.complete, got.trace_id, got.faults) == ("Hello you", True, "r", ())
    if frames in (CONVERSATIONS["openai"], CONVERSATIONS["anthropic"]):
        assert (got.input_tokens, got.output_tokens) == (3, 2)


@pytest.mark.parametrize(
    "unit",
    [
        Unit({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}),
        Unit({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}),
    ],
)
def test_a_cut_is_told_from_an_end(unit: Unit) -> None:
    signals = read(unit, SHAPES) or ()
    assert Signal(Kind.END, "cut at the limit of tokens") in signals


def test_an_error_keeps_its_words() -> None:
    for unit in (
        Unit({"type": "error", "error": "overloaded"}),
        Unit({"type": "error", "message": "overloaded"}),
        Unit({"type": "error", "error": {"message": "overloaded"}}),
        Unit({"error": {"message": "overloaded"}}),
        Unit({"message": "overloaded"}, "error"),
        Unit("overloaded", "error"),
    ):
        (signal,) = read(unit, SHAPES) or ()
        assert signal.kind is Kind.ERROR
        assert "overloaded" in signal.text
