"""Fetches a trace from Langfuse. Traces arrive late: it is asked again, with growing pauses, up to a limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

import httpx

from eval.sql.traces import ExecutedStatement, Json, NoStatement, executed_statement

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 8.0
_NOT_YET = {HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS, *range(500, 600)}


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a trace is waited for. `wait` and `clock` are seconds."""

    limit_s: float = 30.0
    wait: Callable[[float], object] = threading.Event().wait
    clock: Callable[[], float] = time.monotonic


class LangfuseTraces:
    """Reads traces over Langfuse's public API; `client` carries address and keys."""

    def __init__(self, client: httpx.Client, patience: Patience | None = None) -> None:
        self._client = client
        self._patience = patience or Patience()

    def statement(self, trace_id: str) -> ExecutedStatement | NoStatement:
        """The executed statement of a trace, or why there is none. Never raises for what the server does.

        Asked again while the trace is not there, the server is busy, or no step holds a statement yet.
        """
        deadline = self._patience.clock() + self._patience.limit_s
        pause = FIRST_PAUSE_S
        while True:
            found = self._once(trace_id)
            final = isinstance(found, ExecutedStatement) or found.kind == "refused"
            left = deadline - self._patience.clock()
            if final or left <= 0:
                return found
            self._patience.wait(min(pause, left))
            pause = min(pause * 2, LONGEST_PAUSE_S)

    def _once(self, trace_id: str) -> ExecutedStatement | NoStatement:
        trace = self._get(f"/api/public/traces/{trace_id}")
        if isinstance(trace, NoStatement):
            return trace
        steps = trace.get("observations")
        full: list[Json] = []
        for step in steps if isinstance(steps, list) else []:
            found = self._get(f"/api/public/observations/{step}") if isinstance(step, str) else step
            if isinstance(found, NoStatement):
                return found
            full.append(found)
        return executed_statement({**trace, "observations": full})

    def _get(self, path: str) -> Json | NoStatement:
        try:
            response = self._client.get(path)
        except httpx.HTTPError as exc:
            return NoStatement("unreachable", f"{type(exc).__name__}: {exc}")
        if response.status_code in _NOT_YET:
            return NoStatement("late", f"{path} answered {response.status_code}")
        if response.status_code != HTTPStatus.OK:
            return NoStatement("refused", f"{path} answered {response.status_code}")
        try:
            body = response.json()
        except ValueError:
            return NoStatement("refused", f"{path} did not answer with JSON")
        return body if isinstance(body, dict) else NoStatement("refused", f"{path} holds no object")
