"""Traces of the answers, in the shape of Langfuse's public API: a trace with nested observations."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval.sandbox.engine import Reply, Step, trimmed

Json = dict[str, Any]


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _observation(
    kind: str, name: str, trace_id: str, parent: str | None, start_s: float, end_s: float
) -> Json:
    return {
        "id": uuid.uuid4().hex[:16],
        "traceId": trace_id,
        "type": kind,
        "name": name,
        "parentObservationId": parent,
        "startTime": _when(start_s),
        "endTime": _when(end_s),
        "level": "DEFAULT",
        "statusMessage": None,
        "metadata": {},
        "input": None,
        "output": None,
    }


def _statement(trace_id: str, parent: str, step: Step) -> list[Json]:
    """A tool call with the statement, and within it the run with its rows."""
    call = _observation("SPAN", "run_sql", trace_id, parent, step.started_s, step.ended_s)
    call["input"] = {"tool": "run_sql", "arguments": {"query": step.sql, "dialect": "sqlite"}}
    run = _observation("EVENT", "sqlite", trace_id, call["id"], step.started_s, step.ended_s)
    run["input"] = step.sql
    rows = [list(row) for row in trimmed(step).rows]
    run["output"] = (
        {"row_count": step.row_count, "rows": rows} if step.error is None else {"error": step.error}
    )
    call["output"] = run["output"]
    if step.error is not None:
        call["level"] = run["level"] = "ERROR"
        call["statusMessage"] = run["statusMessage"] = step.error
    return [call, run]


@dataclass(slots=True)
class Traces:
    """The traces of a server; each is seen by its own company only, and only some time after the answer.

    Args:
        now: Unix time in seconds.
        delay_s: How long a trace takes to show up.
        file: Where each trace is also written, a line each.
    """

    now: Callable[[], float]
    delay_s: float = 0.0
    file: Path | None = None
    _kept: dict[str, tuple[int, float, Json]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def record(self, tenant_id: int, thread_id: str, question: str, reply: Reply, started_s: float) -> str:
        """Keep the trace of an answer and give its id."""
        trace_id, now = uuid.uuid4().hex, self.now()
        root = _observation("SPAN", "answer", trace_id, None, started_s, now)
        root["input"], root["output"] = question, reply.text
        plan = _observation("GENERATION", "write_sql", trace_id, root["id"], started_s, now)
        plan["input"] = question
        plan["output"] = reply.steps[-1].sql if reply.steps else None
        observations = [root, plan]
        for step in reply.steps:
            observations += _statement(trace_id, root["id"], step)
        trace = {
            "id": trace_id,
            "name": "retail-analyst",
            "timestamp": _when(started_s),
            "sessionId": thread_id,
            "userId": f"tenant-{tenant_id}",
            "input": question,
            "output": reply.text,
            "metadata": {},
            "tags": [],
            "observations": observations,
        }
        with self._lock:
            self._kept[trace_id] = (tenant_id, now + self.delay_s, trace)
            if self.file:
                with self.file.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(trace, ensure_ascii=False) + "\n")
        return trace_id

    def get(self, tenant_id: int, trace_id: str) -> Json | None:
        """The trace with all its observations; None while it is late, unknown or another company's."""
        owner, ready_s, trace = self._kept.get(trace_id, (0, 0.0, {}))
        return trace if owner == tenant_id and self.now() >= ready_s else None

    def observation(self, tenant_id: int, observation_id: str) -> Json | None:
        """One observation by its id."""
        for trace in self.of_thread(tenant_id, None):
            for one in trace["observations"]:
                if one["id"] == observation_id:
                    found: Json = one
                    return found
        return None

    def of_thread(self, tenant_id: int, thread_id: str | None) -> list[Json]:
        """The traces of a thread, or all of the company, newest first."""
        ready = [
            trace
            for owner, ready_s, trace in list(self._kept.values())
            if owner == tenant_id and self.now() >= ready_s and thread_id in {None, trace["sessionId"]}
        ]
        return ready[::-1]
