"""Chunks of a chat completion as OpenAI and servers like it stream them."""

from __future__ import annotations

from collections.abc import Mapping

from eval.otp_ws.frames import DONE
from eval.otp_ws.signals import Kind, ShapeSpec, Signal, Unit, complaint, count, maybe, part, words

_CUT = {"length": "cut at the limit of tokens", "content_filter": "cut by a filter"}


def read(unit: Unit) -> tuple[Signal, ...] | None:
    """Chunks with `choices`, the end mark, and errors without a type."""
    data = unit.data
    if data == DONE and unit.event == "":
        return (Signal(Kind.END),)
    if not isinstance(data, Mapping) or "type" in data or unit.event:
        return None
    if isinstance(data.get("error"), Mapping):
        return (Signal(Kind.ERROR, complaint(data["error"])),)
    choices = data.get("choices")
    if not isinstance(choices, list):
        return None
    usage = part(data, "usage")
    tokens = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    ids = (maybe(data.get("id")), maybe(data.get("thread_id")), maybe(data.get("trace_id")))
    signals = [Signal(Kind.LIFE, "", *ids, *tokens)]
    for choice in choices:
        if not isinstance(choice, Mapping) or choice.get("index", 0) != 0:
            continue
        if text := words(part(choice, "delta").get("content")):
            signals.append(Signal(Kind.PIECE, text, *ids))
        if reason := maybe(choice.get("finish_reason")):
            signals.append(Signal(Kind.END, _CUT.get(reason, ""), *ids))
    return tuple(signals)


def _chunk(**delta: object) -> Unit:
    return Unit({"id": "m", "object": "chat.completion.chunk", "choices": [{"index": 0, **delta}]})


SHAPE = ShapeSpec(
    "openai",
    "`choices` with a delta each, `finish_reason`, [DONE]",
    read,
    (
        _chunk(delta={"role": "assistant"}),
        _chunk(delta={"content": "a"}, finish_reason=None),
        _chunk(delta={}, finish_reason="stop"),
        Unit({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}}),
        Unit({"error": {"message": "no"}}),
        Unit(DONE),
    ),
)
