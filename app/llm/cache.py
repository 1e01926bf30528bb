"""Remembers answers, so that the same conversation is not paid for twice. Off by default."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from app.llm.base import Prompt


class AnswerCache(Protocol):
    """A store of texts with a lifetime; one that several machines share may stand behind it.

    It never raises: a store that cannot be reached holds nothing.
    """

    async def get(self, key: str) -> str | None:
        """The text, None when it is not there or its time is over."""
        ...

    async def put(self, key: str, text: str, ttl_s: float) -> None:
        """Keep `text` for `ttl_s` seconds."""
        ...


def cache_key(prompt: Prompt, provider: str, model: str) -> str:
    """One key for the prompt with its settings, the exact messages and who answers."""
    whole = "\n".join((prompt.prompt_key, prompt.conversation_key, provider, model))
    return hashlib.sha256(whole.encode()).hexdigest()


class MemoryCache:
    """In this process; the one used longest ago goes first."""

    def __init__(self, most: int, clock: Callable[[], float]) -> None:
        self._most = most
        self._clock = clock
        self._rows: OrderedDict[str, tuple[float, str]] = OrderedDict()

    async def get(self, key: str) -> str | None:
        """The text, None when it is not there or its time is over."""
        expires, text = self._rows.get(key, (0.0, ""))
        if self._clock() >= expires:
            self._rows.pop(key, None)
            return None
        self._rows.move_to_end(key)
        return text

    async def put(self, key: str, text: str, ttl_s: float) -> None:
        """Keep `text` for `ttl_s` seconds."""
        self._rows[key] = (self._clock() + ttl_s, text)
        self._rows.move_to_end(key)
        while len(self._rows) > self._most:
            self._rows.popitem(last=False)
