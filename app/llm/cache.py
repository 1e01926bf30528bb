"""Remembers answers, so that the same conversation is not paid for twice. Off by default."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Protocol

from app.errors import ModelError
from app.llm.base import Prompt
from app.llm.parsing import parse_answer
from app.llm.schema import RouterAnswer
from app.records import Act

WAIT_S = 0.25
"""A turn waits this long for all its look-ups together, and again for keeping its answer."""
SLOW = "cache_slow"
UNREADABLE = "cache_unreadable"
Who = tuple[str, str]
"""Provider and model."""


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


class Memory:
    """Readings out of a store, and into it, in a bounded time: a store that is slow holds nothing."""

    def __init__(self, store: AnswerCache, ttl_s: float) -> None:
        self._store = store
        self._ttl_s = ttl_s

    async def find(
        self, prompt: Prompt, readers: Iterable[Who], budget_s: float, notes: list[str]
    ) -> tuple[Who, RouterAnswer] | None:
        """The first reading that one of `readers` gave, and which; what goes wrong is added to `notes`."""
        try:
            async with asyncio.timeout(min(WAIT_S, budget_s)):
                for who in readers:
                    text = await self._store.get(cache_key(prompt, *who))
                    if text is not None:
                        return who, parse_answer(text).answer
        except TimeoutError:
            notes.append(SLOW)
        except ModelError:
            notes.append(UNREADABLE)
        return None

    async def keep(
        self, prompt: Prompt, who: Who, text: str, reading: RouterAnswer, budget_s: float, notes: list[str]
    ) -> None:
        """Keep an answer. Not a refusal: what is declined today by mistake should not stay declined."""
        if reading.intent is Act.REFUSE:
            return
        try:
            async with asyncio.timeout(min(WAIT_S, budget_s)):
                await self._store.put(cache_key(prompt, *who), text, self._ttl_s)
        except TimeoutError:
            notes.append(SLOW)
