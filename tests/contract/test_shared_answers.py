"""What one process was told by a language model, another one remembers through Redis; and both go on without it."""

from __future__ import annotations

import asyncio
import json

import pytest

from app.api.chat import take_turn
from app.api.dependencies import CatalogSide
from app.composition import load_catalog_side
from app.config import load_settings
from app.observability import Metrics
from app.records import History, Message, Routing
from app.shared_store import SharedStore
from tests.model_server import WIRES, serve
from tests.redis_server import RedisServer

ANSWER = json.dumps({"intent": "recommend", "skills": ["Java"]})


async def routing(side: CatalogSide, text: str) -> Routing:
    deadline = asyncio.get_running_loop().time() + 20
    response, trace = await take_turn(History((Message("user", text),)), side, deadline, asyncio.to_thread)
    assert response.recommendations
    return trace.routing


async def test_an_answer_is_paid_for_once_by_two_processes(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = WIRES["openai"]
    with serve(wire.answers(ANSWER)) as server:
        for name, value in {
            "LLM_PROVIDER": "openai",
            "OPENAI_BASE_URL": wire.address(server.url),
            "LLM_MODEL": "m",
            "LLM__CACHE_TTL_S": "60",
            "REDIS_URL": redis_server.url,
        }.items():
            monkeypatch.setenv(name, value)
        settings, metrics = load_settings(), Metrics()
        stores = [SharedStore(redis_server.url, metrics, timeout_s=5) for _ in range(2)]
        sides = [load_catalog_side(settings, lambda *_: None, store) for store in stores]
        text = "We need a developer for our billing team who knows Java well, mid level"

        first = await routing(sides[0], text)
        asked = len(server.requests)
        second = await routing(sides[1], text)
        assert (first.cached, second.cached) == (False, True)
        assert (asked, len(server.requests)) == (1, 1)

        redis_server.stop()
        third = await routing(sides[1], text)
        assert not third.cached
        assert not third.degraded
        assert len(server.requests) == 2
        assert metrics.snapshot().counter("shared_store_failures_total", use="answer_cache") == 1
        for side, store in zip(sides, stores, strict=True):
            assert side.routed is not None
            await side.routed.router.close()
            await store.close()
