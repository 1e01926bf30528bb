"""Five minutes of real conversations on 32 connections, then four times what the service can do, then none.

Run: python -m scripts.soak [--seconds 300] [--connections 32] [--workers 1] [--seed 1]

Prints one line for each figure with its target and exits with 1 when one is missed. Beside another load on the same
machine the figures mean nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from app.config import Settings
from eval.bench.server import Server, serving
from eval.bench.workload import Script, load_scripts
from scripts.load.client import Account, Connection, Outcome, ask
from scripts.load.phases import Watch, arrivals, conversations, percentile, second_half_growth

OVERLOAD = 4
OVERLOAD_S = 15
RECOVERY_S = 5.0
MEMORY_GROWTH = 0.02
HEALTH_P99_S = 0.05
BROKEN = (Outcome.CUT, Outcome.WRONG)


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. `met` is None where there is no target or nothing was measured."""

    what: str
    value: float | None
    unit: str
    n: int
    target: str = ""
    met: bool | None = None


def at_most(what: str, value: float | None, unit: str, n: int, limit: float) -> Figure:
    """A figure that has to stay below a limit; not measured is not met."""
    return Figure(what, value, unit, n, f"≤ {limit:g}", value is not None and value <= limit)


def none_of(what: str, account: Account, outcomes: Sequence[Outcome]) -> Figure:
    """How many requests ended in a way that none may."""
    return at_most(what, sum(account.outcomes[each] for each in outcomes), "requests", account.sent, 0)


@asynccontextmanager
async def watching(server: Server) -> AsyncIterator[Watch]:
    """Probe the server for the length of the block."""
    watch = Watch()
    task = asyncio.create_task(watch.run(server))
    try:
        yield watch
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def steady(
    server: Server, scripts: Sequence[Script], connections: int, seconds: float, seed: int
) -> tuple[list[Figure], float]:
    """The long part: figures, and turns per second."""
    start = time.perf_counter()
    async with watching(server) as watch:
        account = await conversations(
            server.port, scripts, connections, seed, lambda _: time.perf_counter() - start < seconds
        )
    per_s = account.outcomes[Outcome.ANSWERED] / (time.perf_counter() - start)
    growth = second_half_growth(watch.memory_mb)
    everything_else = [outcome for outcome in Outcome if outcome is not Outcome.ANSWERED]
    for line in account.broken:
        print(line, file=sys.stderr)
    return [
        Figure("steady: turns answered", per_s, "turns/s", account.sent),
        none_of("steady: anything but an answer", account, everything_else),
        Figure("steady: a turn, p95", _ms(percentile(account.answered_s, 0.95)), "ms", account.sent),
        at_most(
            "steady: /health, p99",
            _ms(percentile(watch.health_s, 0.99)),
            "ms",
            len(watch.health_s),
            HEALTH_P99_S * 1_000,
        ),
        at_most("steady: /health that failed", watch.health_failed, "requests", len(watch.health_s), 0),
        Figure("steady: memory at the end", watch.memory_mb[-1][1], "MB", len(watch.memory_mb)),
        at_most(
            "steady: memory, growth over the second half",
            None if growth is None else growth * 100,
            "%",
            len(watch.memory_mb),
            MEMORY_GROWTH * 100,
        ),
    ], per_s


async def overload(
    server: Server, scripts: Sequence[Script], per_s: float, seconds: float, seed: int, most_turns: int
) -> list[Figure]:
    """Four times as many arrivals as were answered, and the way back."""
    start = time.perf_counter()
    async with watching(server) as watch:
        account = await arrivals(
            server.port, scripts, OVERLOAD * per_s, max(1, round(OVERLOAD * per_s * seconds)), seed
        )
    for line in account.broken:
        print(line, file=sys.stderr)
    answered = account.outcomes[Outcome.ANSWERED]
    # Whoever is let in waits behind at most `most_turns` others; twice that, since the pace is not even.
    bound_s = 2 * (most_turns + 1) * (time.perf_counter() - start) / max(1, answered)
    refused = account.outcomes[Outcome.BUSY] / max(1, account.sent)
    return [
        Figure("overload: turns answered", answered, "turns", account.sent),
        Figure("overload: turned away (503, Retry-After)", refused * 100, "%", account.sent),
        none_of("overload: cut or wrong", account, BROKEN),
        at_most(
            "overload: an answered turn, slowest",
            max(account.answered_s, default=None),
            "s",
            len(account.answered_s),
            bound_s,
        ),
        Figure("overload: /health, p99", _ms(percentile(watch.health_s, 0.99)), "ms", len(watch.health_s)),
        at_most("recovery: until three turns in a row are fast", await recovery(server), "s", 1, RECOVERY_S),
    ]


async def recovery(server: Server) -> float | None:
    """Seconds until three turns in a row take less than a tenth of a second; None when that never comes."""
    connection, account = Connection(server.port), Account()
    start = time.perf_counter()
    fast = 0
    while fast < 3 and time.perf_counter() - start < 4 * RECOVERY_S:
        before = time.perf_counter()
        answer = await ask(connection, [{"role": "user", "content": "Java developer, mid level"}], account)
        fast = fast + 1 if answer and time.perf_counter() - before < 0.1 else 0
        await asyncio.sleep(0.02)
    await connection.close()
    return time.perf_counter() - start if fast == 3 else None


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1_000


def show(figures: Sequence[Figure]) -> None:
    """The table."""
    for figure in figures:
        value = "not measured" if figure.value is None else f"{figure.value:,.4g} {figure.unit}"
        verdict = {True: "met", False: "MISSED", None: ""}[figure.met]
        print(f"{figure.what:<48} {value:>18}  n={figure.n:<8} {figure.target:<8} {verdict}")


def main() -> int:
    """Run both parts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=300, help="of the steady part (default: 300)")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    scripts = load_scripts()
    with serving(Path(sys.executable), {"WORKERS": str(options.workers)}) as server:
        server.wait_for_health()
        server.wait_for_dense()
        figures, per_s = asyncio.run(
            steady(server, scripts, options.connections, options.seconds, options.seed)
        )
        most_turns = Settings(_env_file=None).http.max_turns * options.workers
        seconds = min(OVERLOAD_S, options.seconds)
        figures += asyncio.run(overload(server, scripts, per_s, seconds, options.seed, most_turns))
    show(figures)
    return 1 if any(figure.met is False for figure in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
