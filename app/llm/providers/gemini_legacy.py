"""Gemini, through google-generativeai: retired upstream in November 2025, here because it was asked for by name.

It cannot be awaited over REST, so it runs in threads of its own; `gemini` is the better choice.
"""

from __future__ import annotations

import asyncio
import json
import logging
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from app.errors import Fault, ModelError
from app.llm.base import Answer, ModelOptions, Prompt, ProviderSpec
from app.llm.faults import fault_of_status, safe_detail
from app.llm.providers.gemini import read_candidates, thinking_room

THREADS = 8
"""Calls at the same time; a call that waits for a thread longer than its limit is given up."""
_NO_ENVELOPE = (ValueError, TypeError, AttributeError, RecursionError)


class LegacyGeminiModel:
    """`GenerativeModel.generate_content` over REST, one thread a call."""

    def __init__(self, library: Any, client: Any, options: ModelOptions, key: str) -> None:
        self.model = options.model
        self._library = library
        self._client = client
        self._key = key
        self._threads = ThreadPoolExecutor(THREADS, "gemini-legacy")

    async def answer(self, prompt: Prompt, timeout_s: float) -> Answer:
        """One call, given up when its time is over even if its thread still waits."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._ask, prompt, timeout_s)

    def _ask(self, prompt: Prompt, timeout_s: float) -> Answer:
        from google.api_core import exceptions as google
        from google.protobuf import json_format
        from requests import exceptions as http  # noqa: TID251 - what this library raises

        try:
            model = self._library.GenerativeModel(self.model, system_instruction=prompt.system)
            model._client = self._client
            reply = model.generate_content(
                prompt.user,
                generation_config={
                    "temperature": 0,
                    "max_output_tokens": prompt.max_output_tokens + thinking_room(self.model),
                    "response_mime_type": "application/json",
                },
                request_options={"timeout": timeout_s, "retry": None},
            )
        except http.Timeout as exc:
            raise ModelError(Fault.TIMEOUT, type(exc).__name__) from exc
        except http.RequestException as exc:
            raise ModelError(Fault.CONNECTION, type(exc).__name__) from exc
        except google.GoogleAPICallError as exc:
            raise self._fault(exc) from exc
        except (google.GoogleAPIError, json_format.Error, *_NO_ENVELOPE) as exc:
            raise ModelError(Fault.MALFORMED, safe_detail(f"envelope: {type(exc).__name__}")) from exc
        return read_candidates(reply)

    def _fault(self, exc: Any) -> ModelError:
        headers = getattr(exc.response, "headers", None) or {}
        body = json.dumps([exc.message, [str(detail) for detail in exc.details or ()]])
        return fault_of_status(int(exc.code or 0), body, headers, self._key)

    async def close(self) -> None:
        """Let go of the threads; a call that still waits ends by its own time limit."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def build(options: ModelOptions) -> LegacyGeminiModel:
    """The library, configured for REST with the key and the address of `options`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says at each import that it is retired
        import google.generativeai as library
        from google.generativeai.client import _ClientManager

    logging.getLogger("urllib3").setLevel(logging.WARNING)
    key = options.api_key.get_secret_value() if options.api_key else ""
    where = {"api_endpoint": options.base_url} if options.base_url else None
    # `library.configure` would set one key for the whole process, and there may be several.
    manager = cast(Any, _ClientManager())
    manager.configure(api_key=key, transport="rest", client_options=where)
    client = manager.get_default_client("generative")
    # After a 401 it would refresh credentials that a key does not have, and send the request twice more.
    client.transport._session._max_refresh_attempts = 0
    return LegacyGeminiModel(library, client, options, key)


PROVIDER = ProviderSpec(
    name="gemini_legacy",
    default_model="gemini-2.5-flash",
    build=build,
    settings="gemini",
    module="google.generativeai",
    package="google-generativeai",
)
