"""Percentiles and growth of memory."""

from __future__ import annotations

import asyncio
import json

import pytest

from scripts.load.client import Outcome
from scripts.load.phases import arrivals, conversations, percentile, second_half_growth
from scripts.soak import at_most


@pytest.mark.parametrize(("share", "value"), [(0.0, 1), (0.25, 1), (0.26, 2), (0.5, 2), (0.99, 4), (1.0, 4)])
def test_a_percentile_is_one_of_the_values(share: float, value: int) -> None:
    assert percentile([4, 1, 3, 2], share) == value


def test_of_nothing_there_is_no_percentile_and_no_growth() -> None:
    assert percentile([], 0.5) is None
    assert second_half_growth([(0, 100), (1, 100)]) is None


def test_growth_is_of_the_second_half_and_start_up_does_not_count() -> None:
    flat = [(float(at), 100.0 if at < 4 else 200.0) for at in range(17)]
    leak = [(float(at), 200.0 + at) for at in range(17)]
    assert second_half_growth(flat) == 0
    growth = second_half_growth(leak)
    assert growth is not None
    assert growth > 0.015


def test_what_was_not_measured_does_not_meet_a_target() -> None:
    assert at_most("x", None, "ms", 0, 50).met is False
    assert at_most("x", 50, "ms", 1, 50).met is True
    assert at_most("x", 51, "ms", 1, 50).met is False


SCRIPTS = [("Java, SQL and Go developers", "yes"), ("a nurse", "for nights", "fine"), ("a driver",)]
FINE = json.dumps({"reply": "And then?", "recommendations": [], "end_of_conversation": False}).encode()


class Recorder:
    """A server that remembers what it was sent, and answers all of it alike."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b"":
            length = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
            self.sent.append(await reader.readexactly(length))
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(FINE) + FINE)
            if len(self.sent) % 5 == 0:  # some connections end after an answer
                break
        writer.close()


async def record(seed: int) -> list[bytes]:
    recorder = Recorder()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await recorder.serve(reader, writer)
        except asyncio.IncompleteReadError:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    account = await conversations(port, SCRIPTS, 1, seed, lambda begun: begun < 6)
    assert account.sent >= len(recorder.sent)
    assert account.outcomes.keys() <= {Outcome.ANSWERED, Outcome.NOT_CONNECTED}
    assert account.outcomes[Outcome.ANSWERED] == len(recorder.sent)
    server.close()
    await asyncio.sleep(0.01)
    return recorder.sent


async def test_the_same_seed_sends_the_same_and_another_one_does_not() -> None:
    first, again, other = await record(1), await record(1), await record(2)
    assert first == again
    assert first != other
    assert any(len(json.loads(body)["messages"]) > 1 for body in first)


async def test_nobody_listening_is_counted_and_is_no_exception(unused_tcp_port: int) -> None:
    account = await arrivals(unused_tcp_port, SCRIPTS, per_s=1_000, count=5, seed=1)
    assert dict(account.outcomes) == {Outcome.NOT_CONNECTED: 5}
