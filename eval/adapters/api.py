"""POST /chat over HTTP, against a service that runs somewhere."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

import httpx

from eval.adapters.base import AdapterOptions, AdapterSpec
from eval.adapters.wire import read_body
from eval.errors import AdapterError
from eval.records import ChatMessage, Payload

NAME = "api"
_OK = 200


class ApiAdapter:
    """Asks over HTTP; one connection, no retries: a lost answer is a finding."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self.notes: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """Address of the service."""
        return str(self._client.base_url)

    def ask(self, messages: Sequence[ChatMessage]) -> Payload:
        """One call. Not reached, too late, not 200 and not JSON are four different outcomes."""
        question = messages[-1].content if messages else ""
        content = {"messages": [{"role": m.role, "content": m.content} for m in messages]}
        start = time.perf_counter()
        try:
            response = self._client.post("/chat", json=content)
        except httpx.ConnectTimeout as exc:
            return Payload(question, status="unreachable", source=NAME, error=repr(exc))
        except httpx.TimeoutException as exc:
            elapsed_ms = (time.perf_counter() - start) * 1000
            return Payload(question, status="timeout", source=NAME, error=repr(exc), latency_ms=elapsed_ms)
        except httpx.HTTPError as exc:
            return Payload(question, status="unreachable", source=NAME, error=repr(exc))
        latency_ms = round((time.perf_counter() - start) * 1000, 3)
        if response.status_code != _OK:
            fault = f"status {response.status_code}"
            error = f"{fault}: {response.text[:300]}"
            return Payload(
                question, status="failed", source=NAME, latency_ms=latency_ms, faults=(fault,), error=error
            )
        try:
            body = response.json()
        except (json.JSONDecodeError, UnicodeDecodeError) as exc:
            fault = "the body is not JSON"
            return Payload(
                question,
                status="malformed",
                source=NAME,
                latency_ms=latency_ms,
                faults=(fault,),
                error=str(exc),
            )
        return Payload(question=question, source=NAME, latency_ms=latency_ms, **read_body(body))

    def close(self) -> None:
        """Close the connection."""
        self._client.close()


def build(options: AdapterOptions) -> ApiAdapter:
    """Point a client at `options.url`.

    Raises:
        AdapterError: there is no address.
    """
    if not options.url:
        raise AdapterError("the api channel needs --url, such as --url http://127.0.0.1:8000")
    timeout = httpx.Timeout(options.timeout_s, connect=min(5.0, options.timeout_s))
    return ApiAdapter(httpx.Client(base_url=options.url, timeout=timeout, trust_env=False))


ADAPTER = AdapterSpec(NAME, "POST /chat over HTTP", build)
