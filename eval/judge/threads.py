"""A judge that can be asked from anywhere: plain code, threads, and code inside a running event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from eval.judge.base import Fingerprint, Judgement, JudgeQuestion
from eval.judge.cache import CacheCounts
from eval.judge.client import JudgeClient
from eval.judge.ledger import Ledger

_Result = TypeVar("_Result")


class ThreadedJudge:
    """Runs a `JudgeClient` on an event loop of its own, in a thread of its own."""

    def __init__(self, build: Callable[[], JudgeClient]) -> None:
        """Start the loop and build the client on it; `build` may raise."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="judge", daemon=True)
        self._thread.start()
        try:
            self._client = self._submit(_call(build)).result()
        except BaseException:
            self._stop()
            raise

    @property
    def fingerprint(self) -> Fingerprint:
        """Who judges."""
        return self._client.fingerprint

    @property
    def ledger(self) -> Ledger:
        """What it has cost."""
        return self._client.ledger

    @property
    def cache_counts(self) -> CacheCounts | None:
        """How the cache has served; None without one."""
        return self._client.cache.counts if self._client.cache is not None else None

    def judge(self, question: JudgeQuestion) -> Judgement:
        """One judgement; waits for it."""
        return self._submit(self._client.judge(question)).result()

    async def judge_async(self, question: JudgeQuestion) -> Judgement:
        """One judgement, without blocking the caller's loop."""
        return await asyncio.wrap_future(self._submit(self._client.judge(question)))

    def close(self) -> None:
        """Stop what is running and let go of everything."""
        if self._loop.is_closed():
            return
        self._submit(self._finish()).result()
        self._stop()

    async def _finish(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._client.close()

    def _submit(self, work: Coroutine[Any, Any, _Result]) -> Future[_Result]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _call(build: Callable[[], JudgeClient]) -> JudgeClient:
    return build()
