"""Groq, through its own SDK."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from app.errors import Fault, ModelError
from app.llm.base import THINKING_TOKENS, Answer, ModelOptions, Prompt, ProviderSpec
from app.llm.faults import fault_of_finish, fault_of_status, safe_detail

if TYPE_CHECKING:
    from groq import APIStatusError, AsyncGroq

_WITH_SCHEMA = ("openai/gpt-oss", "meta-llama/llama-4", "moonshotai/kimi")
"""Models that take a JSON schema; the others promise some JSON object."""
_THINKS: Mapping[str, Mapping[str, Any]] = {
    "openai/gpt-oss": {"include_reasoning": False, "reasoning_effort": "low"},
    "qwen/qwen3": {"reasoning_format": "hidden"},
    "deepseek-r1": {"reasoning_format": "hidden"},
}
"""By the beginning of the name: models that think first, and how each is told to keep that to itself. The SDK
knows three parameters for it; no model takes all of them, and those that do not think refuse any."""


class GroqModel:
    """Chat completions with retries off: one turn stays one call."""

    def __init__(self, client: AsyncGroq, options: ModelOptions, key: str) -> None:
        self.model = options.model
        self._client = client
        self._with_schema = options.json_schema and options.model.startswith(_WITH_SCHEMA)
        self._key = key

    async def answer(self, prompt: Prompt, timeout_s: float) -> Answer:
        """One call."""
        import groq

        try:
            reply = await self._client.chat.completions.create(
                model=self.model,
                messages=[
                    {"role": "system", "content": prompt.system},
                    {"role": "user", "content": prompt.user},
                ],
                response_format=self._format(prompt),
                temperature=0,
                timeout=timeout_s,
                **self._limits(prompt.max_output_tokens),
            )
        except groq.APITimeoutError as exc:
            raise ModelError(Fault.TIMEOUT) from exc
        except groq.APIConnectionError as exc:
            raise ModelError(Fault.CONNECTION, type(exc.__cause__ or exc).__name__) from exc
        except groq.APIStatusError as exc:
            return self._salvage(exc)
        except (groq.GroqError, ValueError, RecursionError) as exc:
            raise ModelError(Fault.MALFORMED, safe_detail(type(exc).__name__)) from exc
        return _read(reply)

    def _format(self, prompt: Prompt) -> Any:
        if not self._with_schema:
            return {"type": "json_object"}
        return {"type": "json_schema", "json_schema": {"name": "reading", "schema": prompt.json_schema}}

    def _limits(self, most_tokens: int) -> dict[str, Any]:
        """The cap of the answer, with room to think where the model does."""
        hidden = next((how for name, how in _THINKS.items() if self.model.startswith(name)), None)
        if hidden is None:
            return {"max_completion_tokens": most_tokens}
        return {"max_completion_tokens": most_tokens + THINKING_TOKENS, **hidden}

    def _salvage(self, exc: APIStatusError) -> Answer:
        """A refused answer may come with its text, which is often good enough for our reader of JSON."""
        error = exc.body.get("error") if isinstance(exc.body, dict) else None
        if isinstance(error, dict) and error.get("code") == "json_validate_failed":
            text = error.get("failed_generation")
            if isinstance(text, str) and text.strip():
                return Answer(text, notes=("refused_by_validation",))
        body = json.dumps(exc.body) if exc.body is not None else exc.response.text
        raise fault_of_status(exc.status_code, body, exc.response.headers, self._key) from exc

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()


def _read(reply: Any) -> Answer:
    choices = getattr(reply, "choices", None) or []
    if not choices:
        raise ModelError(Fault.EMPTY, "no choices")
    text = choices[0].message.content or ""
    fault = fault_of_finish(str(choices[0].finish_reason or ""), text)
    if fault is not None:
        raise fault
    usage = reply.usage
    return Answer(text, getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None))


def build(options: ModelOptions) -> GroqModel:
    """A client with the key and the address of `options`."""
    from groq import AsyncGroq

    key = options.api_key.get_secret_value() if options.api_key else ""
    client = AsyncGroq(api_key=key, base_url=options.base_url, max_retries=0, timeout=options.timeout_s)
    return GroqModel(client, options, key)


PROVIDER = ProviderSpec(
    name="groq",
    default_model="llama-3.3-70b-versatile",
    build=build,
    settings="groq",
    module="groq",
    package="groq",
)
