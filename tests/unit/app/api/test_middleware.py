"""Around every request: id, body limit, deadline, count."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import httpx
import pytest

from app.api.middleware import RequestContextMiddleware
from app.observability import Metrics

LIMIT = 1_000


class BodyCounter:
    """An application that reads the whole body, and knows how much of it it saw."""

    def __init__(self, delay_s: float = 0) -> None:
        self.seen = 0
        self.delay_s = delay_s

    async def __call__(self, scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        more = True
        while more:
            message = await receive()
            self.seen += len(message.get("body", b""))
            more = message.get("more_body", False)
        await asyncio.sleep(self.delay_s)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def wrap(app: BodyCounter, deadline_s: float = 5) -> httpx.AsyncClient:
    wrapped = RequestContextMiddleware(app, metrics=Metrics(), max_body_bytes=LIMIT, deadline_s=deadline_s)
    return httpx.AsyncClient(transport=httpx.ASGITransport(wrapped), base_url="http://test")


async def chunks(count: int, size: int, pause_s: float = 0) -> AsyncIterator[bytes]:
    for _ in range(count):
        await asyncio.sleep(pause_s)
        yield b" " * size


async def test_declared_body_over_the_limit_is_refused_unread() -> None:
    app = BodyCounter()
    async with wrap(app) as client:
        answer = await client.post("/", content=b" " * (LIMIT + 1))
        exact = await client.post("/", content=b" " * LIMIT)
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["connection"] == "close"
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    assert exact.status_code == 204
    assert app.seen == LIMIT


async def test_undeclared_body_is_refused_as_soon_as_it_is_too_long(client: httpx.AsyncClient) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 50_000_000:
            sent += 60_000
            yield b" " * 60_000

    answer = await client.post("/chat", content=endless(), headers={"content-type": "application/json"})
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"
    assert "100000" in answer.json()["detail"]
    assert sent <= 180_000


async def test_a_body_that_never_comes_ends_in_time() -> None:
    async with wrap(BodyCounter(), deadline_s=0.1) as client:
        answer = await client.post("/", content=chunks(100, 1, pause_s=0.05))
    assert answer.status_code == 408
    assert answer.json()["title"] == "Request Timeout"


async def test_an_answer_that_never_comes_ends_in_time() -> None:
    async with wrap(BodyCounter(delay_s=5), deadline_s=0.1) as client:
        answer = await client.post("/", content=b"{}")
    assert answer.status_code == 503


@pytest.mark.parametrize("given", ["abc-123", "A.b_9", "x" * 64])
async def test_plain_request_id_is_taken_over(client: httpx.AsyncClient, given: str) -> None:
    answer = await client.get("/nowhere", headers={"x-request-id": given})
    assert answer.headers["x-request-id"] == given
    assert answer.json()["request_id"] == given


@pytest.mark.parametrize("given", ["", "x" * 65, 'a"b', "a b", "<script>", "naïve".encode()])
async def test_any_other_request_id_is_replaced(client: httpx.AsyncClient, given: str | bytes) -> None:
    answer = await client.get("/nowhere", headers={"x-request-id": given})
    assert re.fullmatch("[0-9a-f]{16}", answer.headers["x-request-id"])


async def test_requests_are_counted_by_route_template_never_by_path(client: httpx.AsyncClient) -> None:
    await client.get("/assessments/sql")
    await client.get("/assessments/java-core")
    await client.get("/secret-path")
    snapshot = client.app.state.runtime.metrics.snapshot()  # type: ignore[attr-defined]
    route = "/assessments/{assessment_id}"
    assert snapshot.counter("http_requests_total", route=route, method="GET", status="200") == 2
    assert snapshot.counter("http_requests_total", route="unmatched", method="any", status="404") == 1
    assert "secret" not in repr(snapshot)
    timing = snapshot.timing("http_request_seconds", route=route)
    assert timing is not None
    assert timing.count == 2
