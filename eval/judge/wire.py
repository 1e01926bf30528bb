"""HTTP as the providers have it in common, and the wire format that most of them share."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from app.errors import Fault, ModelError
from app.llm.faults import fault_of_finish, fault_of_status, safe_detail
from eval.judge.base import CallSettings, Usage
from eval.judge.models import Reply
from eval.judge.prompt import VERDICT_SCHEMA, Rendered

REASONING_TOKENS = 2_000
"""Room for what a model writes to itself: it counts against the cap of the reply."""
_REASONS = ("o1", "o3", "o4", "gpt-5")
_OK = 200
_FILTERED = ("content_filter", "content_policy", "responsible_ai")


class Wire:
    """Posts JSON to one address and reads JSON back."""

    def __init__(self, base_url: str, headers: Mapping[str, str], key: str) -> None:
        logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs each request with its address
        self._key = key
        self._client = httpx.AsyncClient(
            base_url=base_url.rstrip("/") + "/",
            headers=dict(headers),
            limits=httpx.Limits(max_connections=None),  # the caller bounds what runs at the same time
        )

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        timeout_s: float,
        read: Callable[[Any], Reply],
    ) -> Reply:
        """One call.

        Args:
            path: below the base URL.
            body: as it is sent.
            timeout_s: for each step of the exchange.
            read: the provider's envelope; may raise LookupError, TypeError, ValueError or AttributeError.

        Raises:
            ModelError: no reply, or one that is none of the provider's shape.
        """
        try:
            response = await self._client.post(path, json=body, timeout=timeout_s)
        except httpx.TimeoutException as exc:
            raise ModelError(Fault.TIMEOUT, type(exc).__name__) from exc
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            raise ModelError(Fault.CONNECTION, type(exc).__name__) from exc
        if response.status_code != _OK:
            raise self._refused(response)
        try:
            return read(response.json())
        except (LookupError, TypeError, ValueError, AttributeError) as exc:
            raise ModelError(Fault.MALFORMED, safe_detail(f"envelope: {type(exc).__name__}")) from exc

    def _refused(self, response: httpx.Response) -> ModelError:
        if response.status_code == 400 and any(word in response.text for word in _FILTERED):
            return ModelError(Fault.BLOCKED, "a filter of the provider kept the request back")
        headers = _in_seconds(response.headers)
        return fault_of_status(response.status_code, response.text, headers, self._key)

    async def close(self) -> None:
        """Close its connections."""
        await self._client.aclose()


def _in_seconds(headers: Mapping[str, str]) -> dict[str, str]:
    """`headers` (lower-case names) with the finer `retry-after-ms`, where it is stated, as `retry-after`."""
    try:
        wait_s = float(headers.get("retry-after-ms", "")) / 1000
    except ValueError:
        return dict(headers)
    return {**headers, "retry-after": f"{wait_s:.3f}"}


class ChatJudge:
    """Speaks `/chat/completions`, as OpenAI, Azure, Groq and many servers do."""

    def __init__(
        self, wire: Wire, model: str, *, path: str = "chat/completions", new_limits: bool, schema: bool
    ) -> None:
        """Judge with `model`.

        Args:
            wire: with address and key.
            model: as the provider calls it.
            path: below the address.
            new_limits: whether `max_completion_tokens` is known there.
            schema: whether a JSON schema may be sent; else any JSON object is asked for.
        """
        self._wire = wire
        self._model = model
        self._path = path
        self._new_limits = new_limits
        self._schema = schema

    async def reply(self, messages: Rendered, settings: CallSettings, timeout_s: float) -> Reply:
        """One call."""
        shape = {"name": "verdict", "strict": True, "schema": VERDICT_SCHEMA}
        body = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": messages.system},
                {"role": "user", "content": messages.user},
            ],
            "response_format": (
                {"type": "json_schema", "json_schema": shape} if self._schema else {"type": "json_object"}
            ),
            **self._limits(settings),
        }
        return await self._wire.post(self._path, body, timeout_s, read_chat)

    def _limits(self, settings: CallSettings) -> dict[str, Any]:
        if not self._new_limits:
            return {"max_tokens": settings.max_output_tokens, "temperature": settings.temperature}
        if self._model.startswith(_REASONS):
            room = settings.max_output_tokens + REASONING_TOKENS
            return {"max_completion_tokens": room, "reasoning_effort": "low"}
        return {"max_completion_tokens": settings.max_output_tokens, "temperature": settings.temperature}

    async def close(self) -> None:
        """Close its connections."""
        await self._wire.close()


def read_chat(body: Any) -> Reply:
    """The reply in a body of `/chat/completions`."""
    usage = _chat_usage(body.get("usage"))
    choices = body["choices"]
    if not choices:
        return Reply("", usage, Fault.EMPTY)
    message = choices[0]["message"]
    if message.get("refusal"):
        return Reply("", usage, Fault.BLOCKED)
    text = as_text(message.get("content"))
    return Reply(text, usage, finish_fault(choices[0].get("finish_reason"), text))


def as_text(content: Any) -> str:
    """`content` when it is text, empty when it is null.

    Raises:
        TypeError: it is something else.
    """
    if content is not None and not isinstance(content, str):
        raise TypeError(type(content).__name__)
    return content or ""


def finish_fault(reason: Any, text: str) -> Fault | None:
    """Why `text` may not be read, from the reason for its end; None when it may."""
    error = fault_of_finish(str(reason or ""), text)
    return error.fault if error else None


def count(usage: Mapping[str, Any], key: str) -> int:
    """A number of tokens; 0 when it is not stated.

    Raises:
        TypeError: it is no number.
    """
    found = usage.get(key) or 0
    if not isinstance(found, int) or isinstance(found, bool):
        raise TypeError(json.dumps(key))
    return max(0, found)


def _chat_usage(usage: Any) -> Usage | None:
    if not usage:
        return None
    cached = count(usage.get("prompt_tokens_details") or {}, "cached_tokens")
    read = count(usage, "prompt_tokens")
    return Usage(max(0, read - cached), cached, 0, count(usage, "completion_tokens"))
