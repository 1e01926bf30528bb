"""Events with a name of their own: delta, done, error; what they carry is an object or bare words."""

from __future__ import annotations

from collections.abc import Mapping

from eval.otp_ws.signals import Kind, ShapeSpec, Signal, Unit, complaint, maybe, words

_KINDS = {
    "start": Kind.START,
    "delta": Kind.PIECE,
    "done": Kind.WHOLE,
    "error": Kind.ERROR,
    "heartbeat": Kind.LIFE,
    "ping": Kind.LIFE,
    "comment": Kind.LIFE,
}


def read(unit: Unit) -> tuple[Signal, ...] | None:
    """Units with one of the known names, unless their object has a type: then it is another shape in SSE clothes."""
    kind = _KINDS.get(unit.event)
    if kind is None or (isinstance(unit.data, Mapping) and "type" in unit.data):
        return None
    data = unit.data if isinstance(unit.data, Mapping) else {}
    text = words(data.get("content")) or words(data.get("text")) or words(unit.data)
    if kind is Kind.ERROR:
        text = text or complaint(data.get("error", unit.data))
    if kind is Kind.WHOLE and not text:
        kind = Kind.END
    ids = (maybe(data.get("message_id")), maybe(data.get("thread_id")), maybe(data.get("trace_id")))
    return (Signal(kind, text, *ids),)


SHAPE = ShapeSpec(
    "sse",
    "`event:` start, delta, done or error, with `content` in `data:`",
    read,
    (
        Unit({"message_id": "m"}, "start"),
        Unit({"message_id": "m", "content": "a"}, "delta"),
        Unit("a", "delta"),
        Unit({"message_id": "m", "content": "a", "trace_id": "t"}, "done"),
        Unit({}, "done"),
        Unit({"error": "no"}, "error"),
        Unit(None, "heartbeat"),
        Unit(None, "comment"),
    ),
)
