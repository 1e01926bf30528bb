"""One call a turn: who is asked, how often, how long, and what each failure leads to.

At most two attempts are made, and none after an answer came, good or not. Which failure may be tried again,
where, and whether it says something of the provider, stands in `WAYS`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import structlog

from app.errors import Fault, ModelError
from app.llm.base import Answer, LanguageModel, Prompt
from app.llm.breaker import Breaker
from app.llm.cache import AnswerCache, cache_key
from app.llm.schema import RouterAnswer, parse_answer
from app.records import Act

MOST_ATTEMPTS = 2
SHORTEST_CALL_S = 0.5
"""With less time left no call is begun."""
LONGEST_WAIT_S = 3.0
"""For a rate limit; a user who waits longer is better served by the rules."""
AUTH_PAUSE_S = 300.0
"""A key does not become valid by itself; somebody may change it at the provider."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Way:
    """What follows a fault."""

    then: Literal["stop", "next", "again", "wait", "smaller"]
    """stop: the rules answer. next: another provider, if there is one. again: another one, else the same.
    wait: another one, else the same after the time it states. smaller: the same with a smaller prompt."""
    counts: bool = True
    """Whether it speaks against the provider."""
    at_once: bool = False
    """Whether the provider is skipped from the first time on."""


WAYS: Mapping[Fault, Way] = {
    Fault.TIMEOUT: Way("again"),
    Fault.CONNECTION: Way("again"),
    Fault.SERVER: Way("again"),
    Fault.RATE: Way("wait"),
    Fault.QUOTA: Way("next", at_once=True),
    Fault.AUTH: Way("next", at_once=True),
    Fault.REQUEST: Way("next"),
    Fault.TOO_LARGE: Way("smaller", counts=False),
    Fault.EMPTY: Way("stop"),
    Fault.BLOCKED: Way("stop", counts=False),
    Fault.CUT_OFF: Way("stop"),
    Fault.MALFORMED: Way("stop"),
    Fault.NO_RECORDING: Way("stop", counts=False),
    Fault.STALE_RECORDING: Way("stop", counts=False),
}


@dataclass(frozen=True, slots=True)
class Member:
    """A provider in the order of failover."""

    name: str
    llm: LanguageModel
    breaker: Breaker


@dataclass(slots=True)
class Called:
    """What a turn's calls came to; filled as they are made, so that a failure shows them too."""

    provider: str = ""
    model: str = ""
    cached: bool = False
    attempts: list[str] = field(default_factory=list)
    input_tokens: int | None = None
    output_tokens: int | None = None


class Caller:
    """Makes the calls. One for all turns, used from one event loop."""

    def __init__(
        self,
        members: Sequence[Member],
        *,
        timeout_s: float,
        cache: AnswerCache | None = None,
        cache_ttl_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.members = tuple(members)
        """In the order of failover."""
        self._timeout_s = timeout_s
        self._cache = cache
        self._cache_ttl_s = cache_ttl_s
        self._clock = clock
        self._sleep = sleep

    async def call(
        self, prompt: Prompt, smaller: Callable[[], Awaitable[Prompt]], budget_s: float, called: Called
    ) -> RouterAnswer:
        """One reading of the conversation.

        Args:
            prompt: what to ask.
            smaller: gives a smaller prompt, for a server that found this one too large.
            budget_s: seconds for everything, waiting included.
            called: filled with what was done.

        Raises:
            ModelError: no reading; the fault is that of the last attempt.
        """
        remembered = await self._remembered(prompt, called)
        if remembered is not None:
            return remembered
        end = self._clock() + budget_s
        member = self._free(())
        error = ModelError(Fault.PAUSED, "every provider is being skipped after failures")
        for attempt in range(1, MOST_ATTEMPTS + 1):
            if member is None:
                break
            try:
                return await self._attempt(member, prompt, end, called)
            except ModelError as exc:
                error = exc
            if attempt < MOST_ATTEMPTS:
                prompt = await smaller() if error.fault is Fault.TOO_LARGE else prompt
                member = await self._after(member, error, end)
        raise error

    async def close(self) -> None:
        """Close every provider."""
        for member in self.members:
            await member.llm.close()

    def _free(self, tried: Sequence[Member]) -> Member | None:
        return next((m for m in self.members if m not in tried and m.breaker.take()), None)

    async def _attempt(self, member: Member, prompt: Prompt, end: float, called: Called) -> RouterAnswer:
        """One call to one provider, whose breaker has let it through."""
        called.provider, called.model = member.name, member.llm.model
        timeout_s = min(self._timeout_s, end - self._clock())
        if timeout_s < SHORTEST_CALL_S:
            member.breaker.release()
            raise ModelError(Fault.TIMEOUT, "no time is left for a call")
        try:
            answer = await _within(member.llm, prompt, timeout_s)
            called.input_tokens, called.output_tokens = answer.input_tokens, answer.output_tokens
            reading = parse_answer(answer.text)
        except ModelError as exc:
            called.attempts.append(f"{member.name}:{exc.fault}")
            _settle(member.breaker, exc)
            _log.warning("model_call_failed", provider=member.name, fault=exc.fault.value, detail=str(exc))
            raise
        except BaseException:  # cancelled, or a mistake of ours: the breaker must not wait for it
            called.attempts.append(f"{member.name}:aborted")
            member.breaker.release()
            raise
        called.attempts.append(f"{member.name}:ok")
        member.breaker.succeed()
        await self._remember(prompt, member, answer, reading)
        return reading

    async def _after(self, member: Member, error: ModelError, end: float) -> Member | None:
        """Whom to ask next after a failure; None: nobody."""
        then = WAYS[error.fault].then
        if then == "stop" or self._clock() + SHORTEST_CALL_S > end:
            return None
        if then != "smaller" and (other := self._free((member,))) is not None:
            return other
        if then == "next":
            return None
        if then == "wait":
            wait_s = error.retry_after_s or 1.0
            if wait_s > LONGEST_WAIT_S or self._clock() + wait_s + SHORTEST_CALL_S > end:
                return None
            await self._sleep(wait_s)
        return member if member.breaker.take() else None

    async def _remembered(self, prompt: Prompt, called: Called) -> RouterAnswer | None:
        if self._cache is None:
            return None
        for member in self.members:
            text = await self._cache.get(cache_key(prompt, member.name, member.llm.model))
            if text is not None:
                called.provider, called.model, called.cached = member.name, member.llm.model, True
                return parse_answer(text)
        return None

    async def _remember(self, prompt: Prompt, member: Member, answer: Answer, reading: RouterAnswer) -> None:
        """Refusals are left out: what is declined today by mistake should not stay declined."""
        if self._cache is not None and reading.intent is not Act.REFUSE:
            key = cache_key(prompt, member.name, member.llm.model)
            await self._cache.put(key, answer.text, self._cache_ttl_s)


async def _within(llm: LanguageModel, prompt: Prompt, timeout_s: float) -> Answer:
    """One answer, in time."""
    try:
        async with asyncio.timeout(timeout_s):
            return await llm.answer(prompt, timeout_s)
    except TimeoutError as exc:
        raise ModelError(Fault.TIMEOUT, f"nothing within {timeout_s:.1f} s") from exc


def _settle(breaker: Breaker, error: ModelError) -> None:
    """Tell the breaker what an error says of its provider."""
    way = WAYS[error.fault]
    if not way.counts:
        breaker.release()
        return
    pause_s = AUTH_PAUSE_S if error.fault is Fault.AUTH else error.retry_after_s
    if error.fault is Fault.RATE and (pause_s or 0) <= LONGEST_WAIT_S:
        breaker.release()  # a short limit is waited for; it is no failure
        return
    breaker.fail(at_once=way.at_once or error.fault is Fault.RATE, pause_s=pause_s)
