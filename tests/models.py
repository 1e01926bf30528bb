"""Language models that answer from memory, and turns that run with them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.api.dependencies import CatalogSide
from app.composition import build_router
from app.config import HttpSettings, LlmSettings, ObservabilitySettings, Settings
from app.llm.base import Answer, Prompt
from app.llm.breaker import Breaker
from app.llm.cache import AnswerCache
from app.llm.call import Caller, Member
from app.llm.registry import build_caller, chosen_providers
from app.pipeline import Pipeline, RoutedPipeline
from app.records import History, Message, Reply, TurnTrace
from tests.model_server import KEY, WIRES


class Clock:
    """Seconds that pass only when told; sleeping passes them."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass
class FakeModel:
    """Says or raises `plan` entry by entry; the last is repeated."""

    plan: Sequence[str | Exception]
    model: str = "fake-1"
    prompts: list[Prompt] = field(default_factory=list)

    async def answer(self, prompt: Prompt, timeout_s: float) -> Answer:
        self.prompts.append(prompt)
        step = self.plan[min(len(self.prompts), len(self.plan)) - 1]
        if isinstance(step, Exception):
            raise step
        return Answer(step, 900, 60)

    async def close(self) -> None:
        """Nothing is held."""


def a_caller(
    *models: Any, clock: Clock | None = None, cache: AnswerCache | None = None, failures: int = 3
) -> Caller:
    """A caller of `models`, named one, two, three."""
    clock = clock or Clock()
    members = [
        Member(name, model, Breaker(failures, 30.0, clock), name)
        for name, model in zip(("one", "two", "three"), models, strict=False)
    ]
    return Caller(members, timeout_s=8.0, cache=cache, cache_ttl_s=600.0, clock=clock, sleep=clock.sleep)


def routed_side(side: CatalogSide, caller: Caller, **llm: Any) -> CatalogSide:
    """`side` with a language model in it."""
    assert isinstance(side.responder, Pipeline)
    settings = Settings(_env_file=None, llm=LlmSettings(**llm))  # type: ignore[call-arg]
    router = build_router(settings, side.responder, side.catalog, side.knowledge, caller)
    return replace(side, routed=RoutedPipeline(side.responder, router))


def a_history(*texts: str) -> History:
    """Messages in turns, the user's first."""
    return History(tuple(Message("assistant" if n % 2 else "user", t) for n, t in enumerate(texts)))


async def inline(function: Callable[..., Any], *arguments: Any) -> Any:
    """Stands in for a thread."""
    return function(*arguments)


def turn(side: CatalogSide, history: History) -> tuple[Reply, TurnTrace]:
    """One turn, without a deadline."""
    assert side.routed is not None
    return asyncio.run(side.routed.respond(history, None, inline))


def provider_settings(
    provider: str, url: str, deadline_s: float = 12.0, key: str = KEY, **llm: object
) -> Settings:
    """Settings that choose a provider behind `url`."""
    prefix = "gemini" if provider.startswith("gemini") else provider
    return Settings(
        _env_file=None,  # type: ignore[call-arg]
        llm_provider=provider,
        http=HttpSettings(deadline_s=deadline_s),
        observability=ObservabilitySettings(log_format="json"),
        **{f"{prefix}_api_key": key, f"{prefix}_base_url": WIRES[provider].address(url), "llm": llm},
    )


def with_provider(side: CatalogSide, settings: Settings) -> CatalogSide:
    """`side` with the provider that `settings` choose."""
    return routed_side(side, build_caller(settings, chosen_providers(settings)), **settings.llm.model_dump())
