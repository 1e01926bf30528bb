"""Ways to load a server: connections that wait for each answer, arrivals that do not, and probes beside them."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from eval.bench.server import Server
from eval.bench.workload import Script, vary
from scripts.load.client import Account, Connection, ask

PROBE_EVERY_S = 0.05
MEMORY_EVERY_S = 0.5
MOST_WAITING = 1_500
"""Requests of `arrivals` that may be open at once: the client's own limit of connections."""


async def conversations(
    port: int, scripts: Sequence[Script], connections: int, seed: int, goes_on: Callable[[int], bool]
) -> Account:
    """Play whole conversations on each of some connections, each turn after the answer to the one before.

    Args:
        port: of the server.
        scripts: what the users say; every conversation is another company's variant of one.
        connections: how many play at the same time.
        seed: decides which conversations, on which connection, in which order.
        goes_on: told how many conversations a connection has begun, whether it begins another.
    """
    account = Account()

    async def play(number: int) -> None:
        rng = random.Random(seed * 1_000 + number)  # noqa: S311 - a workload
        connection = Connection(port)
        begun = 0
        while goes_on(begun):
            begun += 1
            messages: list[dict[str, str]] = []
            for text in vary(rng.choice(scripts), rng):
                messages.append({"role": "user", "content": text})
                answer = await ask(connection, messages, account)
                if answer is None or answer["end_of_conversation"]:
                    break
                messages.append({"role": "assistant", "content": answer["reply"]})
        await connection.close()

    async with asyncio.TaskGroup() as group:
        for number in range(connections):
            group.create_task(play(number))
    return account


async def arrivals(port: int, scripts: Sequence[Script], per_s: float, count: int, seed: int) -> Account:
    """Send `count` first messages at a steady rate, whether or not the ones before are answered."""
    account = Account()
    rng = random.Random(seed)  # noqa: S311 - a workload
    free: list[Connection] = []
    start = time.perf_counter()

    async def one(text: str) -> None:
        connection = free.pop() if free else Connection(port)
        await ask(connection, [{"role": "user", "content": text}], account)
        free.append(connection)

    open_now: set[asyncio.Task[None]] = set()
    for number in range(count):
        await asyncio.sleep(max(0.0, start + number / per_s - time.perf_counter()))
        if len(open_now) >= MOST_WAITING:
            await asyncio.wait(open_now, return_when=asyncio.FIRST_COMPLETED)
        task = asyncio.create_task(one(vary(rng.choice(scripts), rng)[0]))
        open_now.add(task)
        task.add_done_callback(open_now.discard)
    if open_now:
        await asyncio.wait(open_now)
    for connection in free:
        await connection.close()
    return account


@dataclass(slots=True)
class Watch:
    """What was seen of the server from beside the load."""

    health_s: list[float] = field(default_factory=list)
    health_failed: int = 0
    memory_mb: list[tuple[float, float]] = field(default_factory=list)
    """Seconds since the watch began, and resident memory."""

    async def run(self, server: Server) -> None:
        """Look until cancelled."""
        connection = Connection(server.port)
        began = time.perf_counter()
        looked = -MEMORY_EVERY_S
        while True:
            start = time.perf_counter()
            try:
                answer = await connection.request("GET", "/health")
                self.health_s.append(time.perf_counter() - start)
                self.health_failed += answer.status != 200
            except (OSError, TimeoutError):
                self.health_failed += 1
            if start - began - looked >= MEMORY_EVERY_S:
                looked = start - began
                self.memory_mb.append((looked, server.resident_mb()))
            await asyncio.sleep(PROBE_EVERY_S)


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least `share` of all do not exceed; None of nothing."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


def second_half_growth(memory_mb: Sequence[tuple[float, float]]) -> float | None:
    """By which share memory grew over the second half: its last quarter against its third, by medians."""
    if len(memory_mb) < 8:
        return None
    end = memory_mb[-1][0]
    third = [mb for at, mb in memory_mb if end / 2 <= at < end * 3 / 4]
    last = [mb for at, mb in memory_mb if at >= end * 3 / 4]
    before, after = percentile(third, 0.5), percentile(last, 0.5)
    return None if not before or after is None else after / before - 1
