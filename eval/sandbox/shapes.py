"""The shapes in which a stream can speak. Each turns events into text frames."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

EventKind = Literal["start", "delta", "heartbeat", "final", "error"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens while an answer is given; `text` is a piece, the whole answer or what went wrong."""

    kind: EventKind
    message_id: str
    text: str = ""
    trace_id: str = ""


Shape = Callable[[Event], list[str]]


def _json(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False)


def _message_chunk(event: Event) -> list[str]:
    ids = {"message_id": event.message_id}
    if event.kind == "start":
        return [_json(type="message_start", **ids)]
    if event.kind == "delta":
        return [_json(type="message_chunk", content=event.text, **ids)]
    if event.kind == "heartbeat":
        return [_json(type="heartbeat")]
    if event.kind == "error":
        return [_json(type="error", error=event.text, **ids)]
    return [_json(type="full_response", content=event.text, trace_id=event.trace_id, **ids)]


def _full_response(event: Event) -> list[str]:
    return _message_chunk(event) if event.kind in {"final", "heartbeat", "error"} else []


def _openai(event: Event) -> list[str]:
    head = {"id": event.message_id, "object": "chat.completion.chunk", "model": "retail-analyst"}
    if event.kind == "heartbeat":
        return [": keep-alive"]
    if event.kind == "error":
        return [_json(error={"message": event.text, "type": "server_error"})]
    delta: dict[str, str] = {"role": "assistant"} if event.kind == "start" else {"content": event.text}
    if event.kind == "final":
        closing = {"index": 0, "delta": {}, "finish_reason": "stop"}
        return [_json(**head, choices=[closing], trace_id=event.trace_id), "[DONE]"]
    return [_json(**head, choices=[{"index": 0, "delta": delta, "finish_reason": None}])]


def _anthropic(event: Event) -> list[str]:
    if event.kind == "start":
        message = {"id": event.message_id, "type": "message", "role": "assistant", "content": []}
        block = {"type": "text", "text": ""}
        return [
            _json(type="message_start", message=message),
            _json(type="content_block_start", index=0, content_block=block),
        ]
    if event.kind == "delta":
        return [_json(type="content_block_delta", index=0, delta={"type": "text_delta", "text": event.text})]
    if event.kind == "heartbeat":
        return [_json(type="ping")]
    if event.kind == "error":
        return [_json(type="error", error={"type": "api_error", "message": event.text})]
    stop = {"stop_reason": "end_turn"}
    return [
        _json(type="content_block_stop", index=0),
        _json(type="message_delta", delta=stop, trace_id=event.trace_id),
        _json(type="message_stop"),
    ]


def _sse(event: Event) -> list[str]:
    if event.kind == "heartbeat":
        return [": heartbeat\n\n"]
    names = {"start": "start", "delta": "delta", "final": "done", "error": "error"}
    fields = {"message_id": event.message_id}
    if event.kind != "start":
        fields["content"] = event.text
    if event.kind == "final":
        fields["trace_id"] = event.trace_id
    return [f"event: {names[event.kind]}\ndata: {_json(**fields)}\n\n"]


SHAPES: Final[Mapping[str, Shape]] = {
    "message_chunk": _message_chunk,
    "full_response": _full_response,
    "openai": _openai,
    "anthropic": _anthropic,
    "sse": _sse,
}
