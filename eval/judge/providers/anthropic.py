"""Anthropic, which writes the verdict as the input of a tool that it has to call."""

from __future__ import annotations

import json
from typing import Any

from app.errors import Fault
from eval.judge.base import CallSettings, Usage
from eval.judge.models import JudgeOptions, JudgeSpec, Reply
from eval.judge.prompt import VERDICT_SCHEMA, Rendered
from eval.judge.wire import Wire, as_text, count, finish_fault

ANTHROPIC = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_TOOL = "verdict"


class AnthropicJudge:
    """Posts to `/v1/messages`."""

    def __init__(self, wire: Wire, model: str) -> None:
        self._wire = wire
        self._model = model

    async def reply(self, messages: Rendered, settings: CallSettings, timeout_s: float) -> Reply:
        """One call."""
        body = {
            "model": self._model,
            "system": messages.system,
            "messages": [{"role": "user", "content": messages.user}],
            "max_tokens": settings.max_output_tokens,
            "temperature": settings.temperature,
            "tools": [{"name": _TOOL, "description": "The verdict.", "input_schema": VERDICT_SCHEMA}],
            "tool_choice": {"type": "tool", "name": _TOOL},
        }
        return await self._wire.post("v1/messages", body, timeout_s, read_message)

    async def close(self) -> None:
        """Close its connections."""
        await self._wire.close()


def read_message(body: Any) -> Reply:
    """The reply in a body of `/v1/messages`: the tool's input, else the text."""
    usage = _usage(body.get("usage"))
    stop = str(body.get("stop_reason") or "")
    blocks = body["content"]
    calls = [block["input"] for block in blocks if block["type"] == "tool_use"]
    text = json.dumps(calls[-1], ensure_ascii=False) if calls else _text(blocks)
    if stop == "refusal":
        return Reply(text, usage, Fault.BLOCKED)
    if stop == "model_context_window_exceeded":
        return Reply(text, usage, Fault.CUT_OFF)
    return Reply(text, usage, finish_fault(stop, text))


def _text(blocks: Any) -> str:
    return "".join(as_text(block["text"]) for block in blocks if block["type"] == "text")


def _usage(usage: Any) -> Usage | None:
    if not usage:
        return None
    return Usage(
        count(usage, "input_tokens"),
        count(usage, "cache_read_input_tokens"),
        count(usage, "cache_creation_input_tokens"),
        count(usage, "output_tokens"),
    )


def build(options: JudgeOptions) -> AnthropicJudge:
    """A judge with the key and the address of `options`."""
    headers = {"x-api-key": options.key, "anthropic-version": _VERSION}
    return AnthropicJudge(Wire(options.base_url or ANTHROPIC, headers, options.key), options.model)


JUDGE = JudgeSpec("anthropic", "claude-haiku-4-5", build, "anthropic")
