"""One turn from history to reply. The only place that knows the order of the stages."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from app.records import (
    Act,
    CandidateHit,
    Decision,
    History,
    Reply,
    Routing,
    Shortlist,
    TurnTrace,
    Understanding,
)
from app.retrieval import Candidates


class Understander(Protocol):
    """Reads the words of a conversation by rules."""

    def understand(self, history: History) -> Understanding:
        """What the whole conversation says."""
        ...


class Router(Protocol):
    """Adds to what the rules read; a language model does, by one awaited call."""

    async def route(
        self, history: History, seen: Understanding, deadline: float | None, run: Run
    ) -> tuple[Understanding, Routing]:
        """The record to go on with, and how it came about. Never raises for what a provider does."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Decider(Protocol):
    """Chooses what to do."""

    def decide(self, understanding: Understanding) -> Decision:
        """The first rule that applies, with its reason."""
        ...


class Searcher(Protocol):
    """Finds candidates."""

    def search(self, query: str, n: int) -> Candidates:
        """The best `n` candidates by each ranker and fused."""
        ...


class Assembler(Protocol):
    """Builds the battery."""

    def assemble(self, understanding: Understanding, decision: Decision, candidates: Candidates) -> Shortlist:
        """At most ten picks, each with its reason."""
        ...


class Replier(Protocol):
    """Writes the words."""

    def reply(self, understanding: Understanding, decision: Decision, shortlist: Shortlist) -> Reply:
        """The text and what goes with it on the wire."""
        ...


CANDIDATES_KEPT = 20
"""Depth of each ranking; a list holds at most ten."""


class Stopwatch:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.stage_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time the block under `name`."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.stage_ms[name] = round((time.perf_counter() - start) * 1000, 3)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """history -> understanding -> decision -> retrieval -> assembly -> reply."""

    understander: Understander
    decider: Decider
    searcher: Searcher
    assembler: Assembler
    replier: Replier

    def respond(self, history: History) -> tuple[Reply, TurnTrace]:
        """Answer the conversation's last message.

        Deterministic: the same history in the same loaded state gives the same reply.
        """
        watch = Stopwatch()
        return self.answer(self.read(history, watch), Routing(), watch)

    def read(self, history: History, watch: Stopwatch) -> Understanding:
        """The first stage by itself."""
        with watch.stage("understanding"):
            return self.understander.understand(history)

    def answer(
        self, understanding: Understanding, routing: Routing, watch: Stopwatch
    ) -> tuple[Reply, TurnTrace]:
        """All stages after understanding, whoever filled it."""
        with watch.stage("decision"):
            decision = self.decider.decide(understanding)
        with watch.stage("retrieval"):
            candidates = self._candidates(understanding, decision)
        with watch.stage("assembly"):
            shortlist = self.assembler.assemble(understanding, decision, candidates)
        with watch.stage("reply"):
            reply = self.replier.reply(understanding, decision, shortlist)
        without_dense = bool(candidates.lexical) and not candidates.dense_used
        degraded = tuple(
            part for part, lost in (("dense", without_dense), ("model", routing.degraded)) if lost
        )
        trace = TurnTrace(
            understanding=understanding,
            decision=decision,
            candidates=_hits(candidates),
            shortlist=shortlist,
            degraded=degraded,
            stage_ms=watch.stage_ms,
            routing=routing,
        )
        return reply, trace

    def _candidates(self, understanding: Understanding, decision: Decision) -> Candidates:
        """Search where a list is built anew; an edit, a question or a refusal needs none."""
        if decision.act is Act.RECOMMEND or understanding.new_aim or understanding.rejects:
            return self.searcher.search(understanding.search_query, CANDIDATES_KEPT)
        return Candidates()


Run = Callable[..., Awaitable[Any]]
"""Runs a function with its arguments in a thread, and is awaited for its result."""


@dataclass(frozen=True, slots=True)
class RoutedPipeline:
    """The pipeline with a router in it: computing happens in threads, waiting for a model does not."""

    pipeline: Pipeline
    router: Router

    async def respond(self, history: History, deadline: float | None, run: Run) -> tuple[Reply, TurnTrace]:
        """Answer the conversation's last message.

        Args:
            history: the conversation.
            deadline: of the turn, on the running loop's clock.
            run: where to compute.
        """
        watch = Stopwatch()
        seen = await run(self.pipeline.read, history, watch)
        with watch.stage("model"):
            understanding, routing = await self.router.route(history, seen, deadline, run)
        reply, trace = await run(self.pipeline.answer, understanding, routing, watch)
        return reply, trace


def _hits(candidates: Candidates) -> tuple[CandidateHit, ...]:
    dense = {hit.id: rank for rank, hit in enumerate(candidates.dense, start=1)}
    lexical = {hit.id: rank for rank, hit in enumerate(candidates.lexical, start=1)}
    return tuple(
        CandidateHit(hit.id, hit.score, dense.get(hit.id), lexical.get(hit.id)) for hit in candidates.fused
    )
