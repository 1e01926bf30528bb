"""One pace for all calls to a provider: requests and tokens per minute, and a pause when it asks for one.

Waiting is awaiting: nothing here blocks the event loop. All callers share one limiter on one loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

_MINUTE_S = 60.0


class RateLimiter:
    """Lets calls through evenly, after a first burst of a tenth of a minute's share."""

    def __init__(
        self,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Limits that are None do not limit."""
        self._requests = _Pace(requests_per_minute)
        self._tokens = _Pace(tokens_per_minute)
        self._paused_until = 0.0
        self._clock = clock
        self._sleep = sleep

    async def wait(self, tokens: int) -> None:
        """Wait for the turn of one call that reads and writes about `tokens`."""
        now = self._clock()
        turn = max(self._requests.book(1, now), self._tokens.book(tokens, now))
        while (left_s := max(turn, self._paused_until) - self._clock()) > 0:
            await self._sleep(left_s)

    def pause(self, seconds: float) -> None:
        """Let nobody through for a while; a longer pause stands."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)


class _Pace:
    """Evenly spaced turns: each call moves the next one back by its share of a minute."""

    def __init__(self, per_minute: float | None) -> None:
        self._unit_s = _MINUTE_S / per_minute if per_minute else 0.0
        self._burst_s = _MINUTE_S / 10
        self._next = 0.0

    def book(self, units: float, now: float) -> float:
        """The moment at which a call of `units` may begin."""
        if not self._unit_s:
            return now
        begin = max(self._next, now - self._burst_s)
        self._next = begin + units * self._unit_s
        return max(begin, now)
