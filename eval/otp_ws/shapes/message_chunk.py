"""Typed messages of a chat service: pieces as message_chunk, the whole as full_response."""

from __future__ import annotations

from collections.abc import Mapping

from eval.otp_ws.signals import Kind, ShapeSpec, Signal, Unit, complaint, count, maybe, part, words

_KINDS = {
    "message_start": Kind.START,
    "message_chunk": Kind.PIECE,
    "full_response": Kind.WHOLE,
    "message_end": Kind.END,
    "heartbeat": Kind.LIFE,
    "ready": Kind.LIFE,
    "error": Kind.ERROR,
}


def read(unit: Unit) -> tuple[Signal, ...] | None:
    """Units with one of the known types; not Anthropic's message_start and error, which hold an object."""
    data = unit.data
    if not isinstance(data, Mapping):
        return None
    sort = words(data.get("type"))
    kind = _KINDS.get(sort) if unit.event in ("", sort) else None
    if kind is None or isinstance(data.get("message"), Mapping) or isinstance(data.get("error"), Mapping):
        return None
    said = complaint(data.get("error") or data.get("message")) if kind is Kind.ERROR else ""
    usage = part(data, "usage")
    return (
        Signal(
            kind,
            said or words(data.get("content")),
            maybe(data.get("message_id")),
            maybe(data.get("thread_id")),
            maybe(data.get("trace_id")),
            count(usage.get("input_tokens")),
            count(usage.get("output_tokens")),
        ),
    )


SHAPE = ShapeSpec(
    "message_chunk",
    "`type` message_chunk with a piece, full_response with the whole",
    read,
    (
        Unit({"type": "message_start", "message_id": "m"}),
        Unit({"type": "message_chunk", "content": "a", "message_id": "m", "thread_id": "t"}),
        Unit({"type": "full_response", "content": "a", "message_id": "m", "trace_id": "t"}),
        Unit({"type": "message_end"}),
        Unit({"type": "heartbeat"}),
        Unit({"type": "ready"}),
        Unit({"type": "error", "error": "no"}),
    ),
)
