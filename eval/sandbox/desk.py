"""What the service holds while it runs, and how it gives an answer piece by piece."""

from __future__ import annotations

import asyncio
import json
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from fastapi import HTTPException
from fastapi.concurrency import run_in_threadpool

from eval.sandbox.engine import Engine, Reply
from eval.sandbox.login import Login
from eval.sandbox.shapes import Event
from eval.sandbox.threads import StoredMessage, Thread
from eval.sandbox.traces import Traces

DEFAULT_OTP: Final = "246810"
_HEARTBEATS: Final = 400


@dataclass(frozen=True, slots=True)
class Options:
    """How the service behaves."""

    shape: str = "message_chunk"
    otp: str = DEFAULT_OTP
    token_ttl_s: float = 3600.0
    piece_delay_s: float = 0.005
    """Pause between the pieces of a stream."""
    slow_s: float = 8.0
    """Wait before the first piece with the fault slow-first-token."""
    trace_delay_s: float = 0.0
    trace_file: Path | None = None
    ledger: Path | None = None
    """Where the faults that fired are noted, a line an answer."""


@dataclass(slots=True)
class Desk:
    """What the service holds while it runs."""

    engine: Engine
    options: Options
    login: Login
    traces: Traces
    threads: dict[str, Thread] = field(default_factory=dict)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def thread(self, tenant_id: int, thread_id: str) -> Thread:
        """A thread of the company.

        Raises:
            HTTPException: 404, also for another company's thread.
        """
        thread = self.threads.get(thread_id)
        if thread is None or thread.tenant_id != tenant_id:
            raise HTTPException(404, "no such thread")
        return thread

    def start(self, thread: Thread) -> str:
        """Begin to answer the last question of the thread; gives the number of the message to come.

        Raises:
            HTTPException: 409 while an answer is running or when there is no question.
        """
        if thread.busy:
            raise HTTPException(409, "an answer is running")
        if not thread.messages or thread.messages[-1].role != "user":
            raise HTTPException(409, "there is no question to answer")
        thread.busy = True
        question = thread.messages[-1]
        task = asyncio.create_task(self._answer(thread, question))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return f"answer-{question.id}"

    async def _answer(self, thread: Thread, question: StoredMessage) -> None:
        message_id, started_s = f"answer-{question.id}", time.time()
        try:
            await thread.publish(Event("start", message_id))
            reply = await run_in_threadpool(self.engine.answer, question.content, thread.tenant_id)
            trace_id = await run_in_threadpool(
                self.traces.record, thread.tenant_id, thread.id, question.content, reply, started_s
            )
            await self._stream(thread, question, reply, trace_id)
        except Exception:
            await thread.publish(Event("error", message_id, "the answer could not be given"))
            raise
        finally:
            thread.busy = False

    async def _stream(self, thread: Thread, question: StoredMessage, reply: Reply, trace_id: str) -> None:
        message_id, asked = f"answer-{question.id}", question.content
        faults = [name for name in _STREAM_FAULTS if self.engine.fires(name, asked)]
        self._note(thread, question, [*reply.fired, *faults])
        if "slow-first-token" in faults:
            await asyncio.sleep(self.options.slow_s)
        pieces = re.findall(r"\s*\S+\s{0,3}", reply.text)
        if "stalled-stream" in faults or "closed-stream" in faults:
            pieces = pieces[: max(1, len(pieces) // 2)]
        if "doubled-final" in faults:
            pieces = [*pieces, "\n\n", *pieces]
        for n, piece in enumerate(pieces):
            await thread.publish(Event("delta", message_id, piece))
            if n == 0 and "heartbeat-storm" in faults:
                for _ in range(_HEARTBEATS):
                    await thread.publish(Event("heartbeat", message_id))
            await asyncio.sleep(self.options.piece_delay_s)
        if "stalled-stream" in faults:
            return
        if "closed-stream" in faults:
            await thread.publish(None)
            return
        thread.messages.append(StoredMessage(message_id, "assistant", reply.text, trace_id))
        thread.busy = False
        for _ in range(2 if "doubled-final" in faults else 1):
            await thread.publish(Event("final", message_id, reply.text, trace_id))

    def _note(self, thread: Thread, question: StoredMessage, fired: list[str]) -> None:
        if self.options.ledger:
            line = {
                "thread_id": thread.id,
                "message_id": f"answer-{question.id}",
                "question": question.content,
            }
            with self.options.ledger.open("a", encoding="utf-8") as out:
                out.write(json.dumps({**line, "fired": fired}, ensure_ascii=False) + "\n")


_STREAM_FAULTS: Final = (
    "stalled-stream", "closed-stream", "doubled-final", "heartbeat-storm", "slow-first-token",
)  # fmt: skip
