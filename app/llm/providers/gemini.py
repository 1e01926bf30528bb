"""Gemini, through google-genai."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from app.errors import Fault, ModelError
from app.llm.base import THINKING_TOKENS, Answer, ModelOptions, Prompt, ProviderSpec
from app.llm.faults import fault_of_finish, fault_of_status, safe_detail

if TYPE_CHECKING:
    from google import genai
    from google.genai.types import GenerateContentConfig

_DOES_NOT_THINK = ("gemini-1", "gemini-2.0")


class GeminiModel:
    """`generate_content` with retries off and thinking off or bounded."""

    def __init__(self, client: genai.Client, options: ModelOptions, key: str) -> None:
        self.model = options.model
        self._client = client
        self._with_schema = options.json_schema
        self._key = key

    async def answer(self, prompt: Prompt, timeout_s: float) -> Answer:
        """One call. The SDK raises httpx2's exceptions for what happens below HTTP."""
        import httpx2
        from google.genai import errors

        try:
            reply = await self._client.aio.models.generate_content(
                model=self.model, contents=prompt.user, config=self._config(prompt, timeout_s)
            )
        except httpx2.TimeoutException as exc:
            raise ModelError(Fault.TIMEOUT, type(exc).__name__) from exc
        except httpx2.HTTPError as exc:
            raise ModelError(Fault.CONNECTION, type(exc).__name__) from exc
        except errors.APIError as exc:
            headers = getattr(exc.response, "headers", None) or {}
            raise fault_of_status(exc.code, json.dumps(exc.details, default=str), headers, self._key) from exc
        except (ValueError, TypeError, AttributeError, RecursionError) as exc:  # it parses the text too
            raise ModelError(Fault.MALFORMED, safe_detail(f"envelope: {type(exc).__name__}")) from exc
        return read_candidates(reply)

    def _config(self, prompt: Prompt, timeout_s: float) -> GenerateContentConfig:
        from google.genai import types

        room = 0 if "2.5-flash" in self.model else thinking_room(self.model)
        return types.GenerateContentConfig(
            system_instruction=prompt.system,
            temperature=0,
            max_output_tokens=prompt.max_output_tokens + room,
            thinking_config=types.ThinkingConfig(thinking_budget=room) if "2.5" in self.model else None,
            response_mime_type="application/json",
            response_json_schema=dict(prompt.json_schema) if self._with_schema else None,
            http_options=types.HttpOptions(timeout=max(1, int(timeout_s * 1000))),
        )

    async def close(self) -> None:
        """Close its connections."""
        await self._client.aio.aclose()


def thinking_room(model: str) -> int:
    """Tokens to add to an answer's cap, because `model` thinks unless it is told not to, and that counts."""
    name = model.removeprefix("models/")
    return THINKING_TOKENS if name.startswith("gemini") and not name.startswith(_DOES_NOT_THINK) else 0


def read_candidates(reply: Any) -> Answer:
    """The text of the first candidate of either Google library.

    Raises:
        ModelError: nothing was written, the answer was blocked, or it was cut off.
    """
    candidates = getattr(reply, "candidates", None) or []
    if not candidates:
        feedback = getattr(reply, "prompt_feedback", None)
        blocked = getattr(feedback, "block_reason", None)
        raise ModelError(Fault.BLOCKED if blocked else Fault.EMPTY, "no candidates")
    parts = getattr(candidates[0].content, "parts", None) or []
    text = "".join(part.text or "" for part in parts if not getattr(part, "thought", False))
    finish = getattr(candidates[0].finish_reason, "name", candidates[0].finish_reason)
    fault = fault_of_finish(str(finish or ""), text)
    if fault is not None:
        raise fault
    usage = getattr(reply, "usage_metadata", None)
    return Answer(
        text, getattr(usage, "prompt_token_count", None), getattr(usage, "candidates_token_count", None)
    )


def build(options: ModelOptions) -> GeminiModel:
    """A client with the key and the address of `options`."""
    from google import genai
    from google.genai import types

    for name in ("httpx", "httpx2", "google_genai"):  # they log each request
        logging.getLogger(name).setLevel(logging.WARNING)
    key = options.api_key.get_secret_value() if options.api_key else ""
    http = types.HttpOptions(
        base_url=options.base_url,
        api_version="v1beta",
        timeout=int(options.timeout_s * 1000),
        retry_options=types.HttpRetryOptions(attempts=1),
    )
    return GeminiModel(genai.Client(api_key=key, http_options=http, vertexai=False), options, key)


PROVIDER = ProviderSpec(
    name="gemini",
    default_model="gemini-2.5-flash",
    build=build,
    settings="gemini",
    module="google.genai",
    package="google-genai",
)
