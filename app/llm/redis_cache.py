"""Remembered answers in Redis, for all processes and machines that share it."""

from __future__ import annotations

from app.shared_store import SharedStore, StoreUnavailableError

_USE = "answer_cache"


class RedisCache:
    """An AnswerCache. Redis being gone is the same as nothing being remembered; the store counts it."""

    def __init__(self, store: SharedStore) -> None:
        self._store = store

    async def get(self, key: str) -> str | None:
        """The text, None when it is not there, its time is over or Redis does not answer."""
        try:
            return await self._store.get(_USE, _name(key))
        except StoreUnavailableError:
            return None

    async def put(self, key: str, text: str, ttl_s: float) -> None:
        """Keep `text` for `ttl_s` seconds, if Redis answers."""
        try:
            await self._store.put(_USE, _name(key), text, ttl_s)
        except StoreUnavailableError:
            return


def _name(key: str) -> str:
    return f"recommender:answer:{key}"
