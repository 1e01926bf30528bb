"""Redis, where several processes share something; the service answers without it.

Every use is short, bounded in time and counted. After a failure nothing is asked for a while, so that a Redis
that is gone or slow costs one time-out and not one for each request.
"""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import structlog

from app.errors import ConfigError, RecommenderError
from app.observability import Metrics

if TYPE_CHECKING:
    from redis.asyncio import Redis

TIMEOUT_S = 0.1
"""Longest wait for one answer. On one network Redis takes a fifth of a millisecond."""
PAUSE_S = 5.0
MOST_CONNECTIONS = 16
SCHEMES = ("redis://", "rediss://", "unix://")

_log = structlog.get_logger(__name__)


class StoreUnavailableError(RecommenderError):
    """Redis did not answer in time, refused, or is being left alone after it did."""


def check_store_url(url: str) -> None:
    """Refuse an address that cannot work; its text, which may hold a password, is not repeated.

    Raises:
        ConfigError: the scheme is unknown or the library is missing.
    """
    if not url.startswith(SCHEMES):
        raise ConfigError(f"REDIS_URL has to begin with {', '.join(SCHEMES)}")
    if importlib.util.find_spec("redis") is None:
        raise ConfigError("REDIS_URL needs a package: pip install 'redis>=8.1'")


class SharedStore:
    """One Redis for all uses in a process. Connects with the first use. Used from one event loop."""

    def __init__(
        self,
        url: str,
        metrics: Metrics,
        *,
        timeout_s: float = TIMEOUT_S,
        pause_s: float = PAUSE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = url
        self._metrics = metrics
        self._timeout_s = timeout_s
        self._pause_s = pause_s
        self._clock = clock
        self._paused_until = 0.0
        self._client: Redis | None = None

    async def get(self, use: str, key: str) -> str | None:
        """The text under `key`.

        Raises:
            StoreUnavailableError: see `_guarded`.
        """
        value = await self._guarded(use, lambda redis: redis.get(key))
        return value if isinstance(value, str) else None

    async def put(self, use: str, key: str, text: str, ttl_s: float) -> None:
        """Keep `text` under `key` for `ttl_s` seconds.

        Raises:
            StoreUnavailableError: see `_guarded`.
        """
        milliseconds = max(1, round(ttl_s * 1000))
        await self._guarded(use, lambda redis: redis.set(key, text, px=milliseconds))

    async def eval(self, use: str, script: str, key: str, *arguments: str) -> Any:
        """What a script says of one key.

        Raises:
            StoreUnavailableError: see `_guarded`.
        """
        return await self._guarded(use, lambda redis: redis.eval(script, 1, key, *arguments))

    async def close(self) -> None:
        """Hang up."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    async def _guarded(self, use: str, command: Callable[[Redis], Awaitable[Any]]) -> Any:
        """The answer to one command.

        Raises:
            StoreUnavailableError: no answer in time, an error of any kind, or the pause after one.
        """
        if self._clock() < self._paused_until:
            self._metrics.count("shared_store_skipped_total", use=use)
            raise StoreUnavailableError("Redis is left alone after a failure")
        try:
            async with asyncio.timeout(self._timeout_s):
                return await command(self._connected())
        except Exception as exc:
            self._paused_until = self._clock() + self._pause_s
            self._metrics.count("shared_store_failures_total", use=use)
            _log.warning("shared_store_failed", use=use, error=type(exc).__name__, pause_s=self._pause_s)
            raise StoreUnavailableError(type(exc).__name__) from exc

    def _connected(self) -> Redis:
        if self._client is None:
            from redis.asyncio import BlockingConnectionPool, Redis
            from redis.asyncio.retry import Retry
            from redis.backoff import NoBackoff

            self._client = Redis.from_pool(
                BlockingConnectionPool.from_url(
                    self._url,
                    max_connections=MOST_CONNECTIONS,
                    timeout=self._timeout_s,
                    socket_timeout=self._timeout_s,
                    socket_connect_timeout=self._timeout_s,
                    retry=Retry(NoBackoff(), 0),
                    decode_responses=True,
                )
            )
        return self._client
