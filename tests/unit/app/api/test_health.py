"""GET /health and GET /ready."""

from __future__ import annotations

import httpx

from app.errors import IndexMismatchError
from tests.conftest import ClientMaker
from tests.doubles import StubLoader


async def test_health_is_exactly_ok(client: httpx.AsyncClient) -> None:
    answer = await client.get("/health")
    assert answer.status_code == 200
    assert answer.content == b'{"status":"ok"}'


async def test_ready_says_what_is_loaded(client: httpx.AsyncClient) -> None:
    answer = await client.get("/ready")
    assert answer.status_code == 200
    assert answer.json()["ready"] is True
    assert {part["state"] for part in answer.json()["parts"].values()} == {"loaded"}


async def test_a_dense_side_that_could_not_load_is_said_and_turns_are_served(
    make_client: ClientMaker,
) -> None:
    stale = IndexMismatchError("embeddings.npy is stale: run scripts/build_index.py")
    async with make_client(StubLoader(dense_failure=stale)) as client:
        ready = await client.get("/ready")
        answer = await client.post("/chat", json={"messages": [{"role": "user", "content": "SQL"}]})
    assert ready.status_code == 200
    assert ready.json()["parts"]["dense"] == {"state": "failed", "detail": str(stale)}
    assert len(answer.json()["recommendations"]) == 2


async def test_reasons_hold_no_keys(make_client: ClientMaker) -> None:
    failure = OSError("401 for https://api.example/v1?key=AIzaFAKE000000000000000000000000000000")
    async with make_client(StubLoader(failure=failure)) as client:
        ready = await client.get("/ready")
    assert "AIza" not in ready.text
    assert "OSError" in ready.text
