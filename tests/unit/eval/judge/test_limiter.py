from __future__ import annotations

import asyncio

import pytest

from eval.judge.limiter import RateLimiter


class Time:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
        self.now += seconds


def limiter(time: Time, requests: float | None = None, tokens: float | None = None) -> RateLimiter:
    return RateLimiter(requests, tokens, clock=time, sleep=time.sleep)


async def test_without_limits_nobody_waits() -> None:
    time = Time()
    for _ in range(1_000):
        await limiter(time).wait(10_000)
    assert time.now == 1_000.0


@pytest.mark.parametrize(("requests", "tokens", "each"), [(60, None, 500), (None, 6_000, 100)])
async def test_a_minute_lets_through_what_it_may(
    requests: float | None, tokens: float | None, each: int
) -> None:
    time = Time()
    paced = limiter(time, requests, tokens)
    for _ in range(60):
        await paced.wait(each)
    assert 50 <= time.now - 1_000 <= 60, "60 calls take a minute, less the first burst"


async def test_the_tighter_of_two_limits_holds() -> None:
    time = Time()
    paced = limiter(time, requests=6_000, tokens=600)
    for _ in range(10):
        await paced.wait(100)
    assert time.now - 1_000 >= 80


async def test_a_call_larger_than_a_minute_is_let_through_at_last() -> None:
    time = Time()
    paced = limiter(time, tokens=100)
    await paced.wait(1_000)
    await paced.wait(1)
    assert 590 <= time.now - 1_000 <= 600


async def test_a_pause_holds_for_all_and_the_longer_one_stands() -> None:
    time = Time()
    paced = limiter(time)
    paced.pause(30)
    paced.pause(5)
    await paced.wait(1)
    assert time.now == 1_030.0


async def test_a_pause_set_while_somebody_waits_holds_for_them_too() -> None:
    time = Time()
    paced = limiter(time)
    paced.pause(1)
    waiting = asyncio.create_task(paced.wait(1))
    await asyncio.sleep(0)
    paced.pause(20)
    await waiting
    assert time.now >= 1_020.0


async def test_waiting_never_blocks_the_loop() -> None:
    paced = RateLimiter()
    paced.pause(0.2)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.005)

    ticker = asyncio.create_task(tick())
    await paced.wait(1)
    ticker.cancel()
    assert ticks >= 3
