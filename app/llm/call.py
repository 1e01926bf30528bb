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
from app.llm.cache import AnswerCache, Memory
from app.llm.parsing import parse_answer
from app.llm.schema import RouterAnswer

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
    """stop: the rules answer. next: another one, if there is one. again: another one, else the same.
    wait: another one, else the same after the time it states. smaller: the same with a smaller prompt."""
    other_key: bool = False
    """Whether another key of the same provider counts as another one."""
    counts: bool = True
    """Whether it speaks against the provider."""
    at_once: bool = False
    """Whether the provider is skipped from the first time on."""


WAYS: Mapping[Fault, Way] = {
    Fault.TIMEOUT: Way("again"),
    Fault.CONNECTION: Way("again"),
    Fault.SERVER: Way("again"),
    Fault.RATE: Way("wait", other_key=True),
    Fault.QUOTA: Way("next", other_key=True, at_once=True),
    Fault.AUTH: Way("next", other_key=True, at_once=True),
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
    """A provider with one of its keys, in the order of failover."""

    name: str
    """Of the provider, with the place of its key from the second on: "groq#2"."""
    llm: LanguageModel
    breaker: Breaker
    vendor: str
    """Name of the provider."""


@dataclass(slots=True)
class Called:
    """What a turn's calls came to; filled as they are made, so that a failure shows them too."""

    provider: str = ""
    model: str = ""
    cached: bool = False
    attempts: list[str] = field(default_factory=list)
    input_tokens: int | None = None
    output_tokens: int | None = None
    notes: list[str] = field(default_factory=list)
    """What went wrong beside the call, or was forgiven in the answer, and did not change the turn."""


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
        self._memory = Memory(cache, cache_ttl_s) if cache else None
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
        end = self._clock() + budget_s
        remembered = await self._remembered(prompt, budget_s, called)
        if remembered is not None:
            return remembered
        member = self._free(lambda _: True)
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

    async def _remembered(self, prompt: Prompt, budget_s: float, called: Called) -> RouterAnswer | None:
        if self._memory is None:
            return None
        readers = dict.fromkeys((member.vendor, member.llm.model) for member in self.members)
        found = await self._memory.find(prompt, readers, budget_s, called.notes)
        if found is None:
            return None
        (called.provider, called.model), reading = found
        called.cached = True
        return reading

    async def close(self) -> None:
        """Close every provider."""
        for member in self.members:
            await member.llm.close()

    def _free(self, may: Callable[[Member], bool]) -> Member | None:
        return next((member for member in self.members if may(member) and member.breaker.take()), None)

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
            called.notes += answer.notes
            parsed = parse_answer(answer.text)
            called.notes += parsed.forgiven
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
        if self._memory is not None:
            who = (member.vendor, member.llm.model)
            await self._memory.keep(
                prompt, who, answer.text, parsed.answer, end - self._clock(), called.notes
            )
        return parsed.answer

    async def _after(self, member: Member, error: ModelError, end: float) -> Member | None:
        """Whom to ask next after a failure; None: nobody."""
        way = WAYS[error.fault]
        then = way.then
        if then == "stop" or self._clock() + SHORTEST_CALL_S > end:
            return None
        if then != "smaller" and (other := self._other(member, way)) is not None:
            return other
        if then == "next":
            return None
        if then == "wait":
            wait_s = error.retry_after_s or 1.0
            if wait_s > LONGEST_WAIT_S or self._clock() + wait_s + SHORTEST_CALL_S > end:
                return None
            await self._sleep(wait_s)
        return member if member.breaker.take() else None

    def _other(self, member: Member, way: Way) -> Member | None:
        """The next one that may be called and that the fault does not concern."""
        if way.other_key:
            return self._free(lambda other: other is not member)
        return self._free(lambda other: other.vendor != member.vendor)


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
