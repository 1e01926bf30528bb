"""How many requests one client may send: a token bucket for each, in memory or shared.

Own code (GCRA, "generic cell rate algorithm", ITU-T I.371) because of what the `limits` library lacks: its memory
store reads the wall clock, so a clock set back locks clients out, and it keeps a row for every address that ever
came.
"""

from __future__ import annotations

import ipaddress
import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.problems import problem_response
from app.observability import Metrics
from app.shared_store import SharedStore, StoreUnavailableError

FREE_PATHS = frozenset({"/health", "/ready", "/metrics"})
"""Probes and scrapes are never limited: a limit that hides the service's state is worse than none."""
MOST_CLIENTS = 20_000
"""Clients remembered in a process; beyond it the one unseen for longest starts afresh."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A steady rate, and how much of it may come at once."""

    per_minute: int
    burst: int

    @property
    def interval_s(self) -> float:
        """Seconds until the next token."""
        return 60 / self.per_minute

    @property
    def depth_s(self) -> float:
        """Seconds in which an empty bucket fills."""
        return self.interval_s * self.burst


class Buckets(Protocol):
    """A bucket for each client."""

    async def take(self, client: str) -> float:
        """Take a token: 0 when there was one, else the seconds until there is one."""
        ...


class MemoryBuckets:
    """In this process, on a clock that nobody sets."""

    def __init__(self, rate: Rate, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._clock = clock
        self._full_at: OrderedDict[str, float] = OrderedDict()

    async def take(self, client: str) -> float:
        """Take a token: 0 when there was one, else the seconds until there is one."""
        now = self._clock()
        full_at = max(self._full_at.get(client, now), now) + self._rate.interval_s
        wait_s = full_at - now - self._rate.depth_s
        if wait_s > 1e-9:
            return wait_s
        self._full_at[client] = full_at
        self._full_at.move_to_end(client)
        if len(self._full_at) > MOST_CLIENTS:
            self._full_at.popitem(last=False)
        return 0.0


_TAKE = """
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
local interval, depth = tonumber(ARGV[1]), tonumber(ARGV[2])
local full_at = tonumber(redis.call('GET', KEYS[1]) or now)
full_at = math.min(math.max(full_at, now), now + depth) + interval
local wait = full_at - now - depth
if wait > 0.000001 then return tostring(wait) end
redis.call('SET', KEYS[1], string.format('%.6f', full_at), 'PX', math.ceil((full_at - now) * 1000) + 1000)
return '0'
"""
"""The same in one step inside Redis. Its clock may be set: a bucket is never emptier than empty."""


class SharedBuckets:
    """In Redis for all processes; in this process alone while Redis does not answer."""

    def __init__(self, rate: Rate, store: SharedStore, behind: Buckets) -> None:
        self._rate = rate
        self._store = store
        self._behind = behind

    async def take(self, client: str) -> float:
        """Take a token: 0 when there was one, else the seconds until there is one."""
        try:
            wait = await self._store.eval(
                "rate_limit",
                _TAKE,
                f"recommender:rate:{client}",
                repr(self._rate.interval_s),
                repr(self._rate.depth_s),
            )
            return float(wait)
        except (StoreUnavailableError, TypeError, ValueError):
            return await self._behind.take(client)


def client_of(scope: Scope) -> str:
    """Whom a request is counted for: the address; of IPv6 the /64, since a household has all of one."""
    host = str(scope["client"][0]) if scope.get("client") else "local"
    if ":" not in host:
        return host[:64]
    try:
        address = ipaddress.IPv6Address(host.partition("%")[0])
    except ValueError:
        return host[:64]
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))


class RateLimitMiddleware:
    """Answers 429 with Retry-After to a client whose bucket is empty. Pure ASGI."""

    def __init__(self, app: ASGIApp, *, buckets: Buckets, metrics: Metrics) -> None:
        self.app = app
        self.buckets = buckets
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and scope["path"] not in FREE_PATHS:
            wait_s = await self.buckets.take(client_of(scope))
            if wait_s > 0:
                self.metrics.count("refused_total", why="rate")
                await problem_response(
                    scope,
                    429,
                    "More requests than one client may send. Retry-After says when to come back.",
                    headers={"retry-after": str(math.ceil(wait_s)), "connection": "close"},
                )(scope, receive, send)
                return
        await self.app(scope, receive, send)
