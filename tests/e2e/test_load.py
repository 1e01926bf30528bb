"""The short form of the soak and of some faults: real processes, counts only, nothing timed."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from eval.bench.server import Server, serving
from eval.bench.workload import Script, load_scripts
from scripts.faults import FAULTS, ImpossibleError, children, ready_server
from scripts.load.client import Account, Connection, Outcome, judge
from scripts.load.phases import arrivals, conversations

PYTHON = Path(sys.executable)
PLACES = 4


@pytest.fixture(scope="module")
def scripts() -> list[Script]:
    return load_scripts()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """With few places, so that a small crowd is too large."""
    with serving(PYTHON, {"HTTP__MAX_TURNS": str(PLACES)}) as running:
        running.wait_for_health()
        running.wait_for_dense()
        yield running


def outcomes(account: Account) -> dict[str, int]:
    assert not account.broken
    return dict(account.outcomes)


def test_conversations_on_as_many_connections_as_places_are_all_answered(
    server: Server, scripts: list[Script]
) -> None:
    account = asyncio.run(conversations(server.port, scripts, PLACES, 7, lambda begun: begun < 6))
    assert outcomes(account) == {Outcome.ANSWERED: account.sent}
    assert account.sent >= PLACES * 6


def test_above_capacity_each_is_answered_well_or_turned_away_and_then_all_are_answered(
    server: Server, scripts: list[Script]
) -> None:
    crowd = asyncio.run(arrivals(server.port, scripts, per_s=10_000, count=200, seed=3))
    assert crowd.sent == 200
    assert outcomes(crowd).keys() == {Outcome.ANSWERED, Outcome.BUSY}
    after = asyncio.run(conversations(server.port, scripts, 2, 5, lambda begun: begun < 3))
    assert outcomes(after) == {Outcome.ANSWERED: after.sent}

    async def still_healthy() -> int:
        connection = Connection(server.port)
        answer = await connection.request("GET", "/health")
        await connection.close()
        return answer.status

    assert asyncio.run(still_healthy()) == 200


def test_sigterm_finishes_what_was_begun(scripts: list[Script]) -> None:
    with ready_server() as server:
        end = threading.Event()
        timer = threading.Timer(0.5, lambda: (server.process.send_signal(signal.SIGTERM), end.set()))
        timer.start()
        account = asyncio.run(conversations(server.port, scripts, 8, 1, lambda _: not end.is_set()))
        timer.join()
        status = server.process.wait(40)
        log = server.log.read_text(encoding="utf-8")
    assert status in (0, -signal.SIGTERM)
    assert outcomes(account).keys() <= {Outcome.ANSWERED, Outcome.NOT_CONNECTED}
    assert account.outcomes[Outcome.ANSWERED] > 0
    assert "Traceback" not in log


def test_several_workers_serve_and_end_together(scripts: list[Script]) -> None:
    with ready_server({"WORKERS": "2"}) as server:
        workers = children(server.process.pid)
        assert len(workers) == 2
        account = asyncio.run(conversations(server.port, scripts, 4, 2, lambda begun: begun < 3))
        server.process.terminate()
        server.process.wait(40)
    assert outcomes(account) == {Outcome.ANSWERED: account.sent}
    assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]


@pytest.mark.parametrize(
    "name",
    [
        "worker-killed",
        "disk-full",
        "data-missing",
        "data-corrupt",
        "embeddings-stale",
        "clock-jump",
        "redis-gone",
    ],
)
def test_a_fault_loses_nothing_that_was_acknowledged(name: str) -> None:
    try:
        report = FAULTS[name](1.0)
    except ImpossibleError as exc:
        pytest.skip(str(exc))
    assert report.held, report


def test_an_answer_that_breaks_the_contract_is_seen() -> None:
    from scripts.load.client import Answer

    fine = b'{"reply": "Whom?", "recommendations": [], "end_of_conversation": false}'
    assert judge(Answer(200, {}, fine))[0] is Outcome.ANSWERED
    for status, headers, body in (
        (200, {}, fine.replace(b"[]", b"null")),
        (200, {}, fine.replace(b'"Whom?"', b'""')),
        (200, {}, fine[:-1]),
        (500, {}, fine),
        (503, {}, b"{}"),
        (200, {}, fine.replace(b"[]", b'[{"name": "x", "url": "", "test_type": "K"}]')),
    ):
        assert judge(Answer(status, headers, body))[0] is Outcome.WRONG
    assert judge(Answer(503, {"retry-after": "1"}, b""))[0] is Outcome.BUSY
    assert judge(Answer(429, {"retry-after": "7"}, b""))[0] is Outcome.LIMITED
