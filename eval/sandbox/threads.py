"""Threads, their messages, and the events of their running answers, in memory."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Literal

from eval.sandbox.shapes import Event


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message of a thread."""

    id: str
    role: Literal["user", "assistant"]
    content: str
    trace_id: str | None = None


@dataclass(slots=True)
class Thread:
    """A conversation of one company. Streams that join while an answer runs get that answer from its beginning."""

    tenant_id: int
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    messages: list[StoredMessage] = field(default_factory=list)
    busy: bool = False
    closed: bool = False
    _events: list[Event | None] = field(default_factory=list)
    """None: the stream is to be closed."""
    _run_start: int = 0
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    def add(
        self, role: Literal["user", "assistant"], content: str, trace_id: str | None = None
    ) -> StoredMessage:
        """Append a message."""
        message = StoredMessage(uuid.uuid4().hex, role, content, trace_id)
        self.messages.append(message)
        return message

    async def publish(self, event: Event | None) -> None:
        """Tell all streams; None closes them."""
        async with self._news:
            if event is not None and event.kind == "start":
                self._run_start = len(self._events)
            self._events.append(event)
            self._news.notify_all()

    async def close(self) -> None:
        """Let all streams end."""
        async with self._news:
            self.closed = True
            self._news.notify_all()

    def position(self) -> int:
        """Where a stream that joins now begins: at the running answer's start, else at what comes next."""
        return self._run_start if self.busy else len(self._events)

    async def follow(self, at: int) -> AsyncIterator[Event]:
        """Events from `at` on, until the stream or the thread is closed."""
        while True:
            async with self._news:
                while at >= len(self._events) and not self.closed:
                    await self._news.wait()
                if at >= len(self._events):
                    return
                event = self._events[at]
            at += 1
            if event is None:
                return
            yield event
