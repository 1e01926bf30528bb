"""From a question to a judgement: what can be spared is spared, what is known is remembered, the rest is asked.

Everything runs on one event loop, so that one limiter, one cache and one flight for each key serve all
evaluators. `eval.judge.threads` puts that loop behind calls from anywhere.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import structlog

from app.errors import Fault, ModelError
from app.observability import redact
from eval.judge.base import (
    CallSettings,
    Fingerprint,
    JudgeAnswer,
    JudgeFailure,
    Judgement,
    JudgeQuestion,
    Unscored,
    Usage,
)
from eval.judge.cache import JudgeCache, Stored, cache_key
from eval.judge.checks import spare_call
from eval.judge.faults import WAYS, Way
from eval.judge.ledger import Ledger
from eval.judge.limiter import RateLimiter
from eval.judge.models import JudgeModel, Reply
from eval.judge.parse import NoVerdict, parse_verdict, weigh_evidence
from eval.judge.prices import Price, estimate_tokens
from eval.judge.prompt import Rendered, render

FIRST_WAIT_S = 1.0
"""Before the second attempt when the provider names no time; doubled for each further one."""
MOST_LOST_IN_A_ROW = 20
"""Judgements in a row without any answer after which the provider counts as gone for the rest of the run."""
RAW_CHARS = 2_000
_GONE = (Unscored.TIMEOUT, Unscored.UNREACHABLE, Unscored.SERVER)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often one judgement is tried."""

    timeout_s: float = 30.0
    deadline_s: float = 180.0
    attempts: int = 3
    concurrency: int = 8


@dataclass(slots=True)
class _Bill:
    """What one judgement has cost so far."""

    attempts: int = 0
    usage: Usage = Usage()
    cost_usd_micro: int = 0
    last: Unscored = Unscored.TIMEOUT
    """Why the last attempt failed."""


class JudgeClient:
    """One judge on one event loop."""

    def __init__(
        self,
        model: JudgeModel,
        fingerprint: Fingerprint,
        *,
        ledger: Ledger,
        price: Price | None = None,
        cache: JudgeCache | None = None,
        limiter: RateLimiter | None = None,
        patience: Patience | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.fingerprint = fingerprint
        self.cache = cache
        self.ledger = ledger
        self.price = price
        self._model = model
        self._limiter = limiter or RateLimiter()
        self._patience = patience or Patience()
        self._sleep = sleep
        self._places = asyncio.Semaphore(self._patience.concurrency)
        self._flights: dict[str, asyncio.Task[Judgement]] = {}
        self._stopped: JudgeFailure | None = None
        self._lost_in_a_row = 0

    async def judge(self, question: JudgeQuestion) -> Judgement:
        """One judgement."""
        judgement, avoided = await self._judge(question)
        self.ledger.enter(question.evaluator, judgement, avoided)
        return judgement

    async def close(self) -> None:
        """Let go of connections and of the cache."""
        await self._model.close()
        if self.cache is not None:
            self.cache.close()

    async def _judge(self, question: JudgeQuestion) -> tuple[Judgement, int]:
        """The judgement, and the micro-dollars that memory saved."""
        spared = spare_call(question)
        if spared is not None:
            return spared, 0
        messages = render(question)
        key = cache_key(self.fingerprint, question, messages)
        remembered = self._remembered(key, question)
        if remembered is not None:
            return remembered
        flight = self._flights.get(key)
        first = flight is None
        if flight is None:
            flight = asyncio.create_task(self._ask(key, question, messages))
            self._flights[key] = flight
            flight.add_done_callback(lambda _: self._flights.pop(key, None))
        judgement = await asyncio.shield(flight)
        if first:
            return judgement, 0
        spent = judgement.cost_usd_micro or 0
        shared = replace(judgement, cached=True, usage=Usage(), cost_usd_micro=0, attempts=0)
        return shared, spent

    def _remembered(self, key: str, question: JudgeQuestion) -> tuple[Judgement, int] | None:
        stored = self.cache.get(key) if self.cache is not None else None
        if stored is None or self.cache is None:
            return None
        judgement = _judgement(stored.text, question, _Bill(), cost=0, latency_ms=None)
        if isinstance(judgement, JudgeFailure) and judgement.reason is not Unscored.CANNOT_TELL:
            self.cache.discard(key)
            return None
        avoided = self.price.cost(stored.usage) if self.price else 0
        return replace(judgement, cached=True), avoided

    async def _ask(self, key: str, question: JudgeQuestion, messages: Rendered) -> Judgement:
        """Ask the provider, until there is a judgement, a reason to stop, or no time left.

        The deadline runs from the first call: waiting for a place and for our own pace is nobody's failure.
        """
        bill = _Bill()
        async with self._places:
            await self._limiter.wait(_guess(messages, self.fingerprint.settings).total)
            try:
                async with asyncio.timeout(self._patience.deadline_s):
                    judgement = await self._attempts(key, question, messages, bill)
            except TimeoutError:
                reason = bill.last if bill.last is Unscored.RATE_LIMITED else Unscored.TIMEOUT
                judgement = self._failure(
                    reason, f"no judgement within {self._patience.deadline_s:g} s", bill
                )
        self._watch(judgement)
        return judgement

    def _watch(self, judgement: Judgement) -> None:
        """Give the provider up once it has been silent for long."""
        gone = isinstance(judgement, JudgeFailure) and judgement.reason in _GONE and judgement.attempts > 0
        self._lost_in_a_row = self._lost_in_a_row + 1 if gone else 0
        if isinstance(judgement, JudgeFailure) and self._lost_in_a_row >= MOST_LOST_IN_A_ROW:
            self._stopped = judgement

    async def _attempts(
        self, key: str, question: JudgeQuestion, messages: Rendered, bill: _Bill
    ) -> Judgement:
        settings = self.fingerprint.settings
        for number in range(1, self._patience.attempts + 1):
            try:
                reply, latency_ms = await self._call(messages, settings, bill)
            except ModelError as exc:
                fault, detail, after_s = exc.fault, str(exc), exc.retry_after_s
            except _OverBudgetError:
                return self._failure(Unscored.BUDGET, "the call might pass the most that may be spent", bill)
            except _StoppedError:
                assert self._stopped is not None
                return self._failure(self._stopped.reason, self._stopped.detail, bill)
            else:
                if reply.fault is None:
                    return self._finished(key, question, reply, bill, latency_ms)
                fault, detail, after_s = reply.fault, "", None
            way = WAYS.get(fault, Way(Unscored.REQUEST))
            bill.last = way.reason
            failure = self._failure(way.reason, detail, bill)
            _log.warning("judge_call_failed", judge=str(self.fingerprint), fault=fault.value, detail=detail)
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
            raise _StoppedError
        guess = _guess(messages, settings)
        held = self.price.cost(guess) if self.price else 0
        if not self.ledger.hold(held):
            raise _OverBudgetError
        spent = 0
        begin = time.perf_counter()
        bill.attempts += 1
        try:
            async with asyncio.timeout(self._patience.timeout_s):
                reply = await self._model.reply(messages, settings, self._patience.timeout_s)
            usage = reply.usage or replace(guess, output_tokens=estimate_tokens(reply.text))
            spent = self.price.cost(usage) if self.price else 0
            bill.usage += usage
            bill.cost_usd_micro += spent
        except TimeoutError as exc:
            raise ModelError(Fault.TIMEOUT, f"nothing within {self._patience.timeout_s:g} s") from exc
        finally:
            self.ledger.settle(held, spent)
        return reply, (time.perf_counter() - begin) * 1000

    def _finished(
        self, key: str, question: JudgeQuestion, reply: Reply, bill: _Bill, latency_ms: float
    ) -> Judgement:
        text = redact(reply.text)
        judgement = _judgement(text, question, bill, cost=self._cost(bill), latency_ms=latency_ms)
        if self.cache is not None:
            if isinstance(judgement, JudgeAnswer) or judgement.reason is Unscored.CANNOT_TELL:
                self.cache.put(key, Stored(text, bill.usage))
            else:
                self.cache.counts.not_stored += 1
        return judgement

    def _failure(self, reason: Unscored, detail: str, bill: _Bill) -> JudgeFailure:
        return JudgeFailure(
            reason, detail, usage=bill.usage, cost_usd_micro=self._cost(bill), attempts=bill.attempts
        )

    def _cost(self, bill: _Bill) -> int | None:
        """Micro-dollars; None when something was used and nobody knows its price."""
        return bill.cost_usd_micro if self.price or bill.usage == Usage() else None


def _guess(messages: Rendered, settings: CallSettings) -> Usage:
    """The most that a call is likely to use."""
    read = estimate_tokens(messages.system, messages.user)
    return Usage(read, output_tokens=settings.max_output_tokens, estimated=True)


class _OverBudgetError(Exception):
    """The call might cost more than is left."""


class _StoppedError(Exception):
    """An earlier fault speaks against every further call."""


def _judgement(
    text: str, question: JudgeQuestion, bill: _Bill, *, cost: int | None, latency_ms: float | None
) -> Judgement:
    verdict = parse_verdict(text)
    if isinstance(verdict, NoVerdict):
        return JudgeFailure(
            verdict.why, verdict.detail, text[:RAW_CHARS], bill.usage, cost, attempts=bill.attempts
        )
    evidence, flags = weigh_evidence(verdict.evidence, question)
    return JudgeAnswer(
        verdict.anchor,
        evidence,
        verdict.reason,
        bill.usage,
        cost,
        latency_ms=latency_ms,
        attempts=bill.attempts,
        flags=flags,
    )
