"""Proxies, web pages of others, security headers, and places for turns."""

from __future__ import annotations

import asyncio
import threading

import httpx
import pytest

from app.config import HttpSettings, Settings
from app.records import History
from tests.conftest import ClientMaker
from tests.doubles import CannedResponder, StubLoader

MESSAGE = {"messages": [{"role": "user", "content": "Java"}]}


def http_settings(**http: object) -> Settings:
    return Settings(http=HttpSettings(**http))  # type: ignore[arg-type]


async def statuses(client: httpx.AsyncClient, *forwarded: str) -> list[int]:
    return [
        (await client.get("/assessments", headers={"x-forwarded-for": value})).status_code
        for value in forwarded
    ]


async def test_a_forwarded_address_counts_only_from_a_trusted_proxy(make_client: ClientMaker) -> None:
    rate = {"rate_per_minute": 1, "rate_burst": 1}
    async with make_client(chosen=http_settings(**rate)) as client:  # the caller is 127.0.0.1
        assert await statuses(client, "203.0.113.1", "203.0.113.2") == [200, 429]
    async with make_client(chosen=http_settings(**rate, trusted_proxies="10.0.0.0/8")) as client:
        assert await statuses(client, "203.0.113.1", "203.0.113.2") == [200, 429]
    async with make_client(chosen=http_settings(**rate, trusted_proxies="10.0.0.0/8, 127.0.0.1")) as client:
        assert await statuses(client, "203.0.113.1", "203.0.113.2", "203.0.113.1") == [200, 200, 429]


async def test_what_the_client_wrote_before_the_proxy_is_not_believed(make_client: ClientMaker) -> None:
    chosen = http_settings(rate_per_minute=1, rate_burst=1, trusted_proxies="127.0.0.1,10.0.0.0/8")
    async with make_client(chosen=chosen) as client:
        invented = [f"198.51.100.{n}, 203.0.113.1, 10.1.1.1" for n in range(3)]
        assert await statuses(client, *invented) == [200, 429, 429]


async def test_a_page_of_a_listed_origin_may_read_answers_and_no_other(make_client: ClientMaker) -> None:
    chosen = http_settings(
        cors_origins="https://a.example, http://localhost:3000", rate_per_minute=1, rate_burst=1
    )
    async with make_client(chosen=chosen) as client:
        asked = {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
        for _ in range(3):  # asking for permission is not counted
            allowed = await client.options("/chat", headers={"origin": "https://a.example", **asked})
        denied = await client.options("/chat", headers={"origin": "https://b.example", **asked})
        answer = await client.post("/chat", json=MESSAGE, headers={"origin": "http://localhost:3000"})
        limited = await client.post("/chat", json=MESSAGE, headers={"origin": "https://a.example"})
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, "https://a.example")
    assert denied.status_code == 400
    assert "access-control-allow-origin" not in denied.headers
    assert answer.headers["access-control-allow-origin"] == "http://localhost:3000"
    assert "access-control-allow-credentials" not in answer.headers
    assert limited.status_code == 429
    assert limited.headers["access-control-allow-origin"] == "https://a.example"
    assert "retry-after" in limited.headers["access-control-expose-headers"].lower()


async def test_no_page_may_read_answers_by_default(client: httpx.AsyncClient) -> None:
    answer = await client.post("/chat", json=MESSAGE, headers={"origin": "https://a.example"})
    assert answer.status_code == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/health"), ("POST", "/chat"), ("GET", "/nowhere"), ("GET", "/metrics")]
)
async def test_every_answer_has_the_security_headers(
    client: httpx.AsyncClient, method: str, path: str
) -> None:
    answer = await client.request(method, path, json=MESSAGE)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert "server" not in answer.headers


async def test_a_header_that_a_route_sets_is_not_sent_twice(client: httpx.AsyncClient) -> None:
    page = await client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    names = [name.lower() for name, _ in page.headers.raw]
    assert len(names) == len(set(names))
    assert b"x-frame-options" in names
    assert "script-src 'self'" in page.headers["content-security-policy"]


async def test_a_page_keeps_its_scripts(client: httpx.AsyncClient) -> None:
    page = await client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "content-security-policy" not in page.headers
    assert page.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    "wrong", ["a.example", "https://a.example/path", "ftp://a.example", "https://*.a.example"]
)
def test_an_origin_that_no_browser_sends_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="an origin is"):
        HttpSettings(cors_origins=f"https://fine.example,{wrong}")


@pytest.mark.parametrize("wrong", ["*", "proxy.example", "10.0.0.1/8", "10.0.0"])
def test_a_proxy_that_is_not_an_address_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="trusted_proxies"):
        HttpSettings(trusted_proxies=wrong)


async def test_above_the_most_turns_the_next_is_refused_at_once_and_the_others_are_answered(
    make_client: ClientMaker,
) -> None:
    release = threading.Event()

    def wait(_: History) -> None:
        assert release.wait(20)

    loader = StubLoader(CannedResponder(wait))
    async with make_client(loader, http_settings(max_turns=3, worker_threads=1)) as client:
        accepted = [asyncio.create_task(client.post("/chat", json=MESSAGE)) for _ in range(3)]
        admission = client.app.state.runtime.admission  # type: ignore[attr-defined]
        while admission.inside < 3:
            await asyncio.sleep(0.001)
        refused = [await client.post(path, json=MESSAGE) for path in ("/chat", "/chat/explain")]
        refused.append(await client.get("/assessments", params={"q": "java"}))
        unbothered = [await client.get(path) for path in ("/health", "/ready", "/assessments/sql")]
        metrics = (await client.get("/metrics")).text
        release.set()
        answered = await asyncio.gather(*accepted)
        again = await client.post("/chat", json=MESSAGE)
    assert [answer.status_code for answer in refused] == [503, 503, 503]
    assert {answer.headers["retry-after"] for answer in refused} == {"1"}
    assert refused[0].headers["content-type"] == "application/problem+json"
    assert {answer.status_code for answer in unbothered} == {200}
    assert {answer.status_code for answer in answered} == {200}
    assert all(answer.json()["recommendations"] for answer in answered)
    assert again.status_code == 200
    assert "recommender_turns_in_progress 3" in metrics
    assert 'recommender_refused_total{why="busy"} 3' in metrics
    assert admission.inside == 0


async def test_a_failing_or_unreadable_turn_gives_its_place_back(make_client: ClientMaker) -> None:
    def fail(_: History) -> None:
        raise RuntimeError("on purpose")

    async with make_client(StubLoader(CannedResponder(fail)), http_settings(max_turns=1)) as client:
        for _ in range(3):
            assert (await client.post("/chat", json=MESSAGE)).status_code == 200
            assert (await client.post("/chat", json={"messages": []})).status_code == 422
        assert client.app.state.runtime.admission.inside == 0  # type: ignore[attr-defined]
