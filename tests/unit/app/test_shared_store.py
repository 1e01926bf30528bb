"""A real Redis that answers, is gone, is frozen, comes back, and holds what nobody expected."""

from __future__ import annotations

import asyncio
import logging
import time

import pytest

from app.config import Settings
from app.errors import ConfigError
from app.llm.redis_cache import RedisCache
from app.main import open_store
from app.observability import Metrics
from app.shared_store import SharedStore, StoreUnavailableError
from tests.redis_server import RedisServer


async def test_a_text_is_kept_for_its_time(redis_server: RedisServer) -> None:
    metrics = Metrics()
    store, other = (SharedStore(redis_server.url, metrics, timeout_s=5) for _ in range(2))
    cache = RedisCache(store)
    assert await cache.get("key") is None
    await cache.put("key", "an answer, ünïcode \x00", 60)
    await cache.put("brief", "gone soon", 0.001)
    await asyncio.sleep(0.02)
    assert await RedisCache(other).get("key") == "an answer, ünïcode \x00"
    assert await cache.get("brief") is None
    assert not metrics.snapshot().counters
    await store.close()
    await other.close()


async def test_gone_means_nothing_remembered_and_one_failure_counted(redis_server: RedisServer) -> None:
    metrics = Metrics()
    now = [0.0]
    store = SharedStore(redis_server.url, metrics, timeout_s=5, pause_s=5, clock=lambda: now[0])
    cache = RedisCache(store)
    await cache.put("key", "text", 60)
    redis_server.stop()
    for _ in range(10):
        assert await cache.get("key") is None
        await cache.put("key", "text", 60)
    counts = metrics.snapshot()
    assert counts.counter("shared_store_failures_total", use="answer_cache") == 1
    assert counts.counter("shared_store_skipped_total", use="answer_cache") == 19

    redis_server.start()
    assert await cache.get("key") is None  # still left alone
    now[0] = 6
    await cache.put("key", "again", 60)
    assert await cache.get("key") == "again"
    await store.close()


async def test_a_frozen_redis_costs_one_time_out(redis_server: RedisServer) -> None:
    metrics = Metrics()
    store = SharedStore(redis_server.url, metrics, timeout_s=0.2)
    await store.put("test", "key", "text", 60)
    redis_server.freeze()
    start = time.monotonic()
    for _ in range(50):
        with pytest.raises(StoreUnavailableError):
            await store.get("test", "key")
    assert time.monotonic() - start < 5  # 50 time-outs would be 10 s
    assert metrics.snapshot().counter("shared_store_failures_total", use="test") == 1
    redis_server.thaw()
    await store.close()


async def test_a_value_of_another_kind_is_a_failure_and_not_an_exception(redis_server: RedisServer) -> None:
    metrics = Metrics()
    store = SharedStore(redis_server.url, metrics, timeout_s=5)
    await store.eval("test", "redis.call('RPUSH', KEYS[1], 'x') return 1", "recommender:answer:key")
    assert await RedisCache(store).get("key") is None
    assert metrics.snapshot().counter("shared_store_failures_total", use="answer_cache") == 1
    await store.close()


async def test_the_password_of_the_address_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    store = SharedStore("redis://:hunter2@127.0.0.1:1/0", Metrics())
    with pytest.raises(StoreUnavailableError) as raised:
        await store.get("test", "key")
    assert "hunter2" not in caplog.text + str(raised.value)


def test_an_address_that_cannot_work_is_refused_without_repeating_it() -> None:
    with pytest.raises(ConfigError, match="REDIS_URL has to begin with") as raised:
        open_store(Settings(redis_url="http://:hunter2@host"), Metrics())  # type: ignore[arg-type]
    assert "hunter2" not in str(raised.value)
    for unset in (None, "", " "):
        assert open_store(Settings(redis_url=unset), Metrics()) is None  # type: ignore[arg-type]
