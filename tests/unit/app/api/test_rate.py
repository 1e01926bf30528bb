"""Rates: one client's bucket, in memory and in a real Redis, and the answer when it is empty."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api import rate as rates
from app.api.rate import MemoryBuckets, Rate, SharedBuckets, client_of
from app.config import HttpSettings, Settings
from app.observability import Metrics
from app.shared_store import SharedStore
from tests.conftest import ClientMaker
from tests.redis_server import RedisServer

MESSAGE = {"messages": [{"role": "user", "content": "Java"}]}


@dataclass
class Clock:
    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


async def test_a_burst_passes_then_one_for_each_interval() -> None:
    clock = Clock()
    buckets = MemoryBuckets(Rate(per_minute=60, burst=3), clock)
    assert [await buckets.take("a") for _ in range(4)] == [0, 0, 0, pytest.approx(1)]
    clock.now += 0.9
    assert await buckets.take("a") == pytest.approx(0.1)
    clock.now += 0.2
    assert await buckets.take("a") == 0
    assert await buckets.take("a") > 0
    clock.now += 100
    assert [await buckets.take("a") > 0 for _ in range(4)] == [False, False, False, True]


async def test_clients_do_not_share_a_bucket() -> None:
    buckets = MemoryBuckets(Rate(1, 1), Clock())
    assert await buckets.take("a") == 0
    assert await buckets.take("a") > 0
    assert await buckets.take("b") == 0


async def test_memory_is_bounded_by_the_number_of_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "MOST_CLIENTS", 5)
    buckets = MemoryBuckets(Rate(1, 1), Clock())
    for number in range(50):
        await buckets.take(str(number))
    assert len(buckets._full_at) == 5
    assert await buckets.take("49") > 0
    assert await buckets.take("0") == 0


@given(
    st.integers(1, 600),
    st.integers(1, 20),
    st.lists(st.floats(0, 30, allow_nan=False), min_size=1, max_size=60),
)
def test_no_window_ever_lets_more_through_than_burst_and_rate(
    per_minute: int, burst: int, pauses: list[float]
) -> None:
    async def run() -> None:
        clock = Clock()
        buckets = MemoryBuckets(Rate(per_minute, burst), clock)
        passed: list[float] = []
        for pause in pauses:
            clock.now += pause
            if await buckets.take("a") == 0:
                passed.append(clock.now)
        for first, start in enumerate(passed):
            for last in range(first, len(passed)):
                allowed = burst + (passed[last] - start) * per_minute / 60
                assert last - first + 1 <= allowed + 1e-6

    asyncio.run(run())


@pytest.mark.parametrize(
    ("host", "client"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::9", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("fe80::1%eth0", "fe80::/64"),
        (":" * 500, ":" * 64),
        ("x" * 500, "x" * 64),
    ],
)
def test_whom_a_request_is_counted_for(host: str, client: str) -> None:
    assert client_of({"client": (host, 1)}) == client


def test_a_socket_without_an_address_is_one_client() -> None:
    assert client_of({"client": None}) == "local"


def limited(per_minute: int = 1, burst: int = 2, **http: object) -> Settings:
    return Settings(
        http=HttpSettings(rate_per_minute=per_minute, rate_burst=burst, **http)  # type: ignore[arg-type]
    )


async def test_too_many_are_429_with_a_time_and_probes_are_free(make_client: ClientMaker) -> None:
    async with make_client(chosen=limited()) as client:
        answers = [await client.post("/chat", json=MESSAGE) for _ in range(3)]
        probes = [await client.get(path) for path in ("/health", "/ready", "/metrics") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    refused = answers[-1]
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["request_id"] == refused.headers["x-request-id"]
    assert {probe.status_code for probe in probes} == {200}
    assert 'recommender_refused_total{why="rate"} 1' in probes[-1].text
    assert 'route="refused",status="429"} 1' in probes[-1].text


async def test_nobody_is_limited_by_default(client: httpx.AsyncClient) -> None:
    answers = [await client.post("/chat", json=MESSAGE) for _ in range(200)]
    assert {answer.status_code for answer in answers} == {200}


async def test_every_path_counts_also_one_that_is_not_there(make_client: ClientMaker) -> None:
    async with make_client(chosen=limited()) as client:
        statuses = [
            (await client.get(path)).status_code for path in ("/nowhere", "/assessments", "/health/x")
        ]
    assert statuses == [404, 200, 429]


async def test_two_processes_share_a_bucket_in_redis(redis_server: RedisServer) -> None:
    rate = Rate(per_minute=1, burst=30)
    metrics = Metrics()
    stores = [SharedStore(redis_server.url, metrics, timeout_s=5) for _ in range(2)]
    buckets = [SharedBuckets(rate, store, MemoryBuckets(rate, Clock())) for store in stores]
    waits = await asyncio.gather(*(buckets[number % 2].take("a") for number in range(60)))
    assert sum(wait == 0 for wait in waits) == 30
    assert all(0 < wait <= 60 for wait in waits if wait)
    assert await buckets[0].take("b") == 0
    assert not metrics.snapshot().counters
    for store in stores:
        await store.close()


async def test_a_clock_of_redis_set_back_locks_nobody_out_for_longer(redis_server: RedisServer) -> None:
    rate = Rate(per_minute=60, burst=2)
    store = SharedStore(redis_server.url, Metrics(), timeout_s=5)
    await store.put("test", "recommender:rate:a", "99999999999", 1_000)
    assert 0 < await SharedBuckets(rate, store, MemoryBuckets(rate, Clock())).take("a") <= 1
    await store.close()


@pytest.mark.parametrize("how", ["gone", "frozen"])
async def test_without_redis_the_limit_goes_on_in_the_process(redis_server: RedisServer, how: str) -> None:
    rate = Rate(per_minute=1, burst=1)
    metrics = Metrics()
    store = SharedStore(redis_server.url, metrics)
    buckets = SharedBuckets(rate, store, MemoryBuckets(rate, Clock()))
    redis_server.stop() if how == "gone" else redis_server.freeze()
    assert await buckets.take("a") == 0
    assert await buckets.take("a") > 0
    assert await buckets.take("b") == 0
    snapshot = metrics.snapshot()
    assert snapshot.counter("shared_store_failures_total", use="rate_limit") == 1
    assert snapshot.counter("shared_store_skipped_total", use="rate_limit") == 2
    await store.close()
