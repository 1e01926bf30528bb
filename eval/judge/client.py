"""From a question to a judgement: what can be spared is spared, what is known is remembered, the rest is asked.

Everything runs on one event loop, so that one limiter, one cache and one flight for each key serve all
evaluators. `eval.judge.threads` puts that loop behind calls from anywhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from app.observability import redact
from eval.judge.asking import Asker, Patience
from eval.judge.base import (
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
from eval.judge.ledger import Ledger
from eval.judge.limiter import RateLimiter
from eval.judge.models import JudgeModel
from eval.judge.parse import NoVerdict, parse_verdict, weigh_evidence
from eval.judge.prices import Price
from eval.judge.prompt import Rendered, render

RAW_CHARS = 2_000
"""Kept of words that hold no verdict."""


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
        self._price = price
        self._asker = Asker(
            model,
            fingerprint.settings,
            ledger,
            price,
            limiter or RateLimiter(),
            patience or Patience(),
            sleep,
        )
        self._flights: dict[str, asyncio.Task[Judgement]] = {}

    async def judge(self, question: JudgeQuestion) -> Judgement:
        """One judgement."""
        judgement, avoided_usd_micro = await self._judge(question)
        self.ledger.enter(question.evaluator, judgement, avoided_usd_micro)
        return judgement

    async def close(self) -> None:
        """Let go of connections and of the cache."""
        await self._asker.close()
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
        shared = replace(judgement, cached=True, usage=Usage(), cost_usd_micro=0, attempts=0)
        return shared, judgement.cost_usd_micro or 0

    def _remembered(self, key: str, question: JudgeQuestion) -> tuple[Judgement, int] | None:
        stored = self.cache.get(key) if self.cache is not None else None
        if stored is None or self.cache is None:
            return None
        judgement = _judgement(stored.text, question)
        if not _may_be_kept(judgement):
            self.cache.discard(key, given=True)
            return None
        avoided_usd_micro = self._price.cost(stored.usage) if self._price else 0
        return replace(judgement, cached=True), avoided_usd_micro

    async def _ask(self, key: str, question: JudgeQuestion, messages: Rendered) -> Judgement:
        words = await self._asker.ask(messages)
        if isinstance(words, JudgeFailure):
            return words
        text = redact(words.text)  # before it is read, so that what is remembered reads the same
        judgement = replace(
            _judgement(text, question),
            usage=words.usage,
            cost_usd_micro=words.cost_usd_micro,
            attempts=words.attempts,
        )
        if self.cache is not None:
            if _may_be_kept(judgement):
                self.cache.put(key, Stored(text, words.usage))
            else:
                self.cache.counts.not_stored += 1
        if isinstance(judgement, JudgeAnswer):
            return replace(judgement, latency_ms=words.latency_ms)
        return judgement


def _may_be_kept(judgement: Judgement) -> bool:
    """A whole verdict; that nothing can be told is one."""
    return isinstance(judgement, JudgeAnswer) or judgement.reason is Unscored.CANNOT_TELL


def _judgement(text: str, question: JudgeQuestion) -> Judgement:
    """What `text` says of `question`; who paid what for it is not known here."""
    verdict = parse_verdict(text)
    if isinstance(verdict, NoVerdict):
        return JudgeFailure(verdict.why, verdict.detail, text[:RAW_CHARS])
    evidence, flags = weigh_evidence(verdict.evidence, question)
    return JudgeAnswer(verdict.anchor, evidence, verdict.reason, attempts=0, flags=flags)
