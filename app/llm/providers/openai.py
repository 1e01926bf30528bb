"""OpenAI and every server that speaks like it (Ollama, vLLM, llama.cpp), through httpx."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from app.errors import Fault, ModelError
from app.llm.base import THINKING_TOKENS, Answer, ModelOptions, Prompt, ProviderSpec
from app.llm.faults import fault_of_finish, fault_of_status, safe_detail

if TYPE_CHECKING:
    import httpx

OPENAI = "https://api.openai.com/v1"
_REASONS = ("o1", "o3", "o4", "gpt-5")
_OK = 200


class OpenAiModel:
    """Posts to `/chat/completions`."""

    def __init__(self, client: httpx.AsyncClient, options: ModelOptions, key: str) -> None:
        self.model = options.model
        self._client = client
        self._with_schema = options.json_schema
        self._at_openai = options.base_url is None or options.base_url.startswith(OPENAI)
        self._key = key

    async def answer(self, prompt: Prompt, timeout_s: float) -> Answer:
        """One call."""
        import httpx

        try:
            response = await self._client.post("chat/completions", json=self._body(prompt), timeout=timeout_s)
        except httpx.TimeoutException as exc:
            raise ModelError(Fault.TIMEOUT, type(exc).__name__) from exc
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            raise ModelError(Fault.CONNECTION, type(exc).__name__) from exc
        if response.status_code != _OK:
            raise fault_of_status(response.status_code, response.text, response.headers, self._key)
        try:
            return _read(response.json())
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as exc:
            raise ModelError(Fault.MALFORMED, safe_detail(f"envelope: {exc!r}", self._key)) from exc

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        shape = {"name": "reading", "schema": prompt.json_schema}
        return {
            "model": self.model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
            "response_format": (
                {"type": "json_schema", "json_schema": shape}
                if self._with_schema
                else {"type": "json_object"}
            ),
            **self._limits(prompt.max_output_tokens),
        }

    def _limits(self, most_tokens: int) -> dict[str, Any]:
        """OpenAI's reasoning models refuse `max_tokens` and a temperature; other servers know only the former."""
        if not self._at_openai:
            return {"max_tokens": most_tokens, "temperature": 0}
        if self.model.startswith(_REASONS):
            return {"max_completion_tokens": most_tokens + THINKING_TOKENS, "reasoning_effort": "low"}
        return {"max_completion_tokens": most_tokens, "temperature": 0}

    async def close(self) -> None:
        """Close its connections."""
        await self._client.aclose()


def _read(body: Any) -> Answer:
    choices = body["choices"]
    if not choices:
        raise ModelError(Fault.EMPTY, "no choices")
    text = choices[0]["message"].get("content") or ""
    fault = fault_of_finish(str(choices[0].get("finish_reason") or ""), text)
    if fault is not None:
        raise fault
    usage = body.get("usage") or {}
    return Answer(text, usage.get("prompt_tokens"), usage.get("completion_tokens"))


def build(options: ModelOptions) -> OpenAiModel:
    """A client with the key and the address of `options`."""
    import httpx

    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs each request with its address
    key = options.api_key.get_secret_value() if options.api_key else ""
    client = httpx.AsyncClient(
        base_url=(options.base_url or OPENAI).rstrip("/") + "/",
        headers={"authorization": f"Bearer {key}"} if key else {},
        limits=httpx.Limits(max_connections=None),  # each turn has its own deadline; none waits for a place
    )
    return OpenAiModel(client, options, key)


PROVIDER = ProviderSpec(
    name="openai",
    default_model="gpt-4o-mini",
    build=build,
    settings="openai",
    local_without_key=True,
    module="httpx",
    package="httpx",
)
