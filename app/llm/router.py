"""Fills a turn's understanding: what the rules saw, and what one call to a language model adds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

from app.errors import Fault, ModelError
from app.llm.call import Called, Caller
from app.llm.prompt import PromptBuilder
from app.llm.reconcile import Merged, Reconciler
from app.observability import failure_fields
from app.records import Act, History, Routing, Understanding

if TYPE_CHECKING:
    from app.llm.schema import RouterAnswer

Run = Callable[..., Awaitable[Any]]
_log = structlog.get_logger(__name__)


class ModelRouter:
    """Asks the model where it can add something; the rules' record is the answer to every failure."""

    def __init__(
        self, prompts: PromptBuilder, caller: Caller, reconciler: Reconciler, reserve_s: float
    ) -> None:
        """`reserve_s`: seconds kept back from a turn's deadline for everything after the call."""
        self.prompts = prompts
        self._caller = caller
        self._reconciler = reconciler
        self._reserve_s = reserve_s

    async def route(
        self, history: History, seen: Understanding, deadline: float | None, run: Run
    ) -> tuple[Understanding, Routing]:
        """The record to go on with, and how it came about. Never raises for what a provider does.

        Args:
            history: the conversation.
            seen: what the rules read in it.
            deadline: of the whole turn, on the running loop's clock; None: only the call's own limits count.
            run: runs a function in a thread: reading and writing long texts is computing.
        """
        needless = _needless(seen)
        if needless:
            return seen, Routing(why=needless)
        start = time.perf_counter()
        called = Called()
        try:
            merged = await self._ask(history, seen, deadline, run, called)
        except ModelError as exc:
            return seen, _routing(called, start, exc.fault, None)
        except Exception as exc:  # noqa: BLE001 - one of two places that catch everything
            _log.error("model_router_failed", failure=failure_fields(exc, with_text=False))
            return seen, _routing(called, start, Fault.INTERNAL, None)
        return merged.understanding, _routing(called, start, None, merged)

    async def _ask(
        self, history: History, seen: Understanding, deadline: float | None, run: Run, called: Called
    ) -> Merged:
        build = self.prompts.build
        prompt = await run(build, history, seen)
        budget_s = float("inf")
        if deadline is not None:
            budget_s = deadline - self._reserve_s - asyncio.get_running_loop().time()
        smaller = partial(run, partial(build, history, seen, smaller=True))
        answer = await self._caller.call(prompt, smaller, budget_s, called)
        merged: Merged = await run(self.merge, seen, answer, history)
        return merged

    def merge(self, seen: Understanding, answer: RouterAnswer, history: History) -> Merged:
        """The record from the rules' and a model's reading."""
        return self._reconciler.merge(seen, answer, history, self.prompts.facts(seen))

    async def close(self) -> None:
        """Let go of connections."""
        await self._caller.close()


def _needless(seen: Understanding) -> str:
    """Why no call is needed; empty when one is."""
    if not seen.has_content:
        return "the message holds no words"
    if seen.act is Act.REFUSE:
        return "the rules declined it"
    return ""


def _routing(called: Called, start: float, fault: Fault | None, merged: Merged | None) -> Routing:
    why = fault.value if fault else "answer remembered" if called.cached else "answered"
    return Routing(
        router="offline" if fault else called.provider,
        why=why,
        model=called.model,
        cached=called.cached,
        degraded=fault is not None,
        attempts=tuple(called.attempts),
        input_tokens=called.input_tokens,
        output_tokens=called.output_tokens,
        ms=round((time.perf_counter() - start) * 1000, 3),
        kept=merged.kept if merged else (),
        notes=tuple(dict.fromkeys(called.notes)),
    )
