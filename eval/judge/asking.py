"""Asks a provider until there are whole words, a reason to stop, or no time left, and keeps the bill."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import structlog

from app.errors import Fault, ModelError
from eval.judge.base import CallSettings, JudgeFailure, Unscored, Usage
from eval.judge.faults import WAYS, Way
from eval.judge.ledger import Ledger
from eval.judge.limiter import RateLimiter
from eval.judge.models import JudgeModel, Reply
from eval.judge.prices import Price, estimate_tokens
from eval.judge.prompt import Rendered

FIRST_WAIT_S = 1.0
"""Before the second attempt when the provider names no time; doubled for each further one."""
MOST_LOST_IN_A_ROW = 20
"""Judgements in a row without any answer after which the provider counts as gone for the rest of the run."""
_GONE = (Unscored.TIMEOUT, Unscored.UNREACHABLE, Unscored.SERVER)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often one judgement is tried."""

    timeout_s: float = 30.0
    deadline_s: float = 180.0
    attempts: int = 3
    concurrency: int = 8


@dataclass(frozen=True, slots=True)
class Words:
    """What a judge wrote, whole."""

    text: str
    usage: Usage
    """Of all attempts."""
    cost_usd_micro: int | None
    latency_ms: float
    """Of the call that gave it."""
    attempts: int


@dataclass(slots=True)
class _Bill:
    """What one judgement has cost so far."""

    attempts: int = 0
    usage: Usage = Usage()
    cost_usd_micro: int = 0
    last: Unscored = Unscored.TIMEOUT
    """Why the last attempt failed."""


class Asker:
    """Makes the calls of one judge, on one event loop."""

    def __init__(
        self,
        model: JudgeModel,
        settings: CallSettings,
        ledger: Ledger,
        price: Price | None,
        limiter: RateLimiter,
        patience: Patience,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._model = model
        self._settings = settings
        self._ledger = ledger
        self._price = price
        self._limiter = limiter
        self._patience = patience
        self._sleep = sleep
        self._places = asyncio.Semaphore(patience.concurrency)
        self._stopped: JudgeFailure | None = None
        self._lost_in_a_row = 0

    async def ask(self, messages: Rendered) -> Words | JudgeFailure:
        """The words for one judgement.

        The deadline runs from the first call: waiting for a place and for our own pace is nobody's failure.
        """
        bill = _Bill()
        async with self._places:
            await self._limiter.wait(_guess(messages, self._settings).total)
            try:
                async with asyncio.timeout(self._patience.deadline_s):
                    found = await self._attempts(messages, bill)
            except TimeoutError:
                reason = bill.last if bill.last is Unscored.RATE_LIMITED else Unscored.TIMEOUT
                found = self._failure(reason, f"no judgement within {self._patience.deadline_s:g} s", bill)
        self._watch(found)
        return found

    async def close(self) -> None:
        """Let go of connections."""
        await self._model.close()

    def _watch(self, found: Words | JudgeFailure) -> None:
        """Give the provider up once it has been silent for long."""
        if isinstance(found, Words) or found.reason not in _GONE or not found.attempts:
            self._lost_in_a_row = 0
            return
        self._lost_in_a_row += 1
        if self._lost_in_a_row >= MOST_LOST_IN_A_ROW:
            self._stopped = found

    async def _attempts(self, messages: Rendered, bill: _Bill) -> Words | JudgeFailure:
        settings = self._settings
        for number in range(1, self._patience.attempts + 1):
            try:
                reply, latency_ms = await self._call(messages, settings, bill)
            except ModelError as exc:
                fault, detail, after_s = exc.fault, str(exc), exc.retry_after_s
            except _OverBudgetError:
                return self._failure(Unscored.BUDGET, "the call might pass the most that may be spent", bill)
            except _StoppedError as exc:
                return self._failure(exc.failure.reason, exc.failure.detail, bill)
            else:
                if reply.fault is None:
                    return Words(reply.text, bill.usage, self._cost(bill), latency_ms, bill.attempts)
                fault, detail, after_s = reply.fault, "", None
            way = WAYS.get(fault, Way(Unscored.REQUEST))
            bill.last = way.reason
            failure = self._failure(way.reason, detail, bill)
            _log.warning("judge_call_failed", fault=fault.value, detail=detail)
            if way.lasting:
                self._stopped = failure
            if not way.again or number == self._patience.attempts:
                return failure
            settings = await self._prepare(fault, number, after_s, settings)
            await self._limiter.wait(_guess(messages, settings).total)
        raise AssertionError("at least one attempt is made")

    async def _prepare(
        self, fault: Fault, number: int, after_s: float | None, settings: CallSettings
    ) -> CallSettings:
        """Wait as long as the fault asks for; more room for a reply that was cut off."""
        if fault is Fault.CUT_OFF:
            return replace(settings, max_output_tokens=settings.max_output_tokens * 2)
        wait_s = after_s if after_s is not None else FIRST_WAIT_S * 2 ** (number - 1)
        if fault is Fault.RATE:
            self._limiter.pause(wait_s)  # for all; whoever comes next waits in the limiter
        else:
            await self._sleep(wait_s)
        return settings

    async def _call(self, messages: Rendered, settings: CallSettings, bill: _Bill) -> tuple[Reply, float]:
        """One call, paid for whether or not it can be used."""
        if self._stopped is not None:
            raise _StoppedError(self._stopped)
        guess = _guess(messages, settings)
        held = self._price.cost(guess) if self._price else 0
        if not self._ledger.hold(held):
            raise _OverBudgetError
        spent = 0
        begin = time.perf_counter()
        bill.attempts += 1
        try:
            async with asyncio.timeout(self._patience.timeout_s):
                reply = await self._model.reply(messages, settings, self._patience.timeout_s)
            usage = reply.usage or replace(guess, output_tokens=estimate_tokens(reply.text))
            spent = self._price.cost(usage) if self._price else 0
            bill.usage += usage
            bill.cost_usd_micro += spent
        except TimeoutError as exc:
            raise ModelError(Fault.TIMEOUT, f"nothing within {self._patience.timeout_s:g} s") from exc
        finally:
            self._ledger.settle(held, spent)
        return reply, (time.perf_counter() - begin) * 1000

    def _failure(self, reason: Unscored, detail: str, bill: _Bill) -> JudgeFailure:
        return JudgeFailure(
            reason, detail, usage=bill.usage, cost_usd_micro=self._cost(bill), attempts=bill.attempts
        )

    def _cost(self, bill: _Bill) -> int | None:
        """Micro-dollars; None when something was used and nobody knows its price."""
        return bill.cost_usd_micro if self._price or bill.usage == Usage() else None


class _OverBudgetError(Exception):
    """The call might cost more than is left."""


class _StoppedError(Exception):
    """An earlier failure speaks against every further call."""

    def __init__(self, failure: JudgeFailure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


def _guess(messages: Rendered, settings: CallSettings) -> Usage:
    """The most that a call is likely to use."""
    read = estimate_tokens(messages.system, messages.user)
    return Usage(read, output_tokens=settings.max_output_tokens, estimated=True)
