"""Gemini, through its REST interface."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from app.errors import Fault
from app.llm.providers.gemini import thinking_room
from eval.judge.base import CallSettings, Usage
from eval.judge.models import JudgeOptions, JudgeSpec, Reply
from eval.judge.prompt import VERDICT_SCHEMA, Rendered
from eval.judge.wire import Wire, as_text, count, finish_fault

GEMINI = "https://generativelanguage.googleapis.com"


class GeminiJudge:
    """Posts to `:generateContent`."""

    def __init__(self, wire: Wire, model: str) -> None:
        self._wire = wire
        self._model = model.removeprefix("models/")

    async def reply(self, messages: Rendered, settings: CallSettings, timeout_s: float) -> Reply:
        """One call."""
        body = {
            "systemInstruction": {"parts": [{"text": messages.system}]},
            "contents": [{"role": "user", "parts": [{"text": messages.user}]}],
            "generationConfig": {
                "temperature": settings.temperature,
                "maxOutputTokens": settings.max_output_tokens + thinking_room(self._model),
                "responseMimeType": "application/json",
                "responseJsonSchema": VERDICT_SCHEMA,
            },
        }
        path = f"v1beta/models/{quote(self._model, safe='')}:generateContent"
        return await self._wire.post(path, body, timeout_s, read_candidates)

    async def close(self) -> None:
        """Close its connections."""
        await self._wire.close()


def read_candidates(body: Any) -> Reply:
    """The reply in a body of `:generateContent`."""
    usage = _usage(body.get("usageMetadata"))
    candidates = body.get("candidates") or []
    if not candidates:
        blocked = (body.get("promptFeedback") or {}).get("blockReason")
        return Reply("", usage, Fault.BLOCKED if blocked else Fault.EMPTY)
    parts = (candidates[0].get("content") or {}).get("parts") or []
    text = "".join(as_text(part.get("text")) for part in parts if not part.get("thought"))
    return Reply(text, usage, finish_fault(candidates[0].get("finishReason"), text))


def _usage(usage: Any) -> Usage | None:
    if not usage:
        return None
    cached = count(usage, "cachedContentTokenCount")
    written = count(usage, "candidatesTokenCount") + count(usage, "thoughtsTokenCount")
    return Usage(max(0, count(usage, "promptTokenCount") - cached), cached, 0, written)


def build(options: JudgeOptions) -> GeminiJudge:
    """A judge with the key and the address of `options`."""
    wire = Wire(options.base_url or GEMINI, {"x-goog-api-key": options.key}, options.key)
    return GeminiJudge(wire, options.model)


JUDGE = JudgeSpec("gemini", "gemini-2.5-flash", build, "gemini")
