"""Events of a message as Anthropic streams them, with or without the SSE names around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eval.otp_ws.signals import Kind, ShapeSpec, Signal, Unit, complaint, count, maybe, part, words

_CUT = {"max_tokens": "cut at the limit of tokens", "refusal": "cut by a filter"}
_SIGNS = ("content_block_start", "content_block_stop", "ping")


def read(unit: Unit) -> tuple[Signal, ...] | None:
    """Events by their type; start and error only with the object that sets them apart from other shapes."""
    data = unit.data
    if not isinstance(data, Mapping):
        return None
    kind = words(data.get("type"))
    if unit.event not in ("", kind):
        return None
    trace = maybe(data.get("trace_id"))
    if kind == "message_start" and isinstance(data.get("message"), Mapping):
        message = data["message"]
        tokens = count(part(message, "usage").get("input_tokens"))
        return (Signal(Kind.START, "", maybe(message.get("id")), None, trace, tokens),)
    if kind == "error" and isinstance(data.get("error"), Mapping):
        return (Signal(Kind.ERROR, complaint(data["error"])),)
    if kind == "content_block_delta":
        text = words(part(data, "delta").get("text"))
        return (Signal(Kind.PIECE, text) if text else Signal(Kind.LIFE),)
    if kind == "message_delta":
        return _message_delta(data, trace)
    if kind == "message_stop":
        return (Signal(Kind.END, trace_id=trace),)
    return (Signal(Kind.LIFE),) if kind in _SIGNS else None


def _message_delta(data: Mapping[str, Any], trace: str | None) -> tuple[Signal, ...]:
    tokens = count(part(data, "usage").get("output_tokens"))
    figures = Signal(Kind.LIFE, trace_id=trace, output_tokens=tokens)
    cut = _CUT.get(words(part(data, "delta").get("stop_reason")))
    return (figures, Signal(Kind.END, cut)) if cut else (figures,)


SHAPE = ShapeSpec(
    "anthropic",
    "message_start, content_block_delta, message_delta, message_stop",
    read,
    (
        Unit({"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 1}}}),
        Unit({"type": "content_block_start", "index": 0}),
        Unit({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "a"}}),
        Unit({"type": "content_block_delta", "delta": {"text": "a"}}, "content_block_delta"),
        Unit({"type": "ping"}),
        Unit({"type": "content_block_stop", "index": 0}),
        Unit({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
        Unit({"type": "message_stop"}),
        Unit({"type": "error", "error": {"type": "api_error", "message": "no"}}),
    ),
)
