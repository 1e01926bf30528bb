"""One turn from history to reply. The only place that knows the order of the stages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from app.records import Act, CandidateHit, Decision, History, Reply, Shortlist, TurnTrace, Understanding
from app.retrieval import Candidates


class Understander(Protocol):
    """Reads the words of a conversation: rules today, a language model with a key."""

    def understand(self, history: History) -> Understanding:
        """What the whole conversation says."""
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
        with watch.stage("understanding"):
            understanding = self.understander.understand(history)
        with watch.stage("decision"):
            decision = self.decider.decide(understanding)
        with watch.stage("retrieval"):
            candidates = self._candidates(understanding, decision)
        with watch.stage("assembly"):
            shortlist = self.assembler.assemble(understanding, decision, candidates)
        with watch.stage("reply"):
            reply = self.replier.reply(understanding, decision, shortlist)
        degraded = ("dense",) if candidates.lexical and not candidates.dense_used else ()
        trace = TurnTrace(
            understanding=understanding,
            decision=decision,
            candidates=_hits(candidates),
            shortlist=shortlist,
            degraded=degraded,
            stage_ms=watch.stage_ms,
        )
        return reply, trace

    def _candidates(self, understanding: Understanding, decision: Decision) -> Candidates:
        """Search where a list is built anew; an edit, a question or a refusal needs none."""
        if decision.act is Act.RECOMMEND or understanding.new_aim or understanding.rejects:
            return self.searcher.search(understanding.search_query, CANDIDATES_KEPT)
        return Candidates()


def _hits(candidates: Candidates) -> tuple[CandidateHit, ...]:
    dense = {hit.id: rank for rank, hit in enumerate(candidates.dense, start=1)}
    lexical = {hit.id: rank for rank, hit in enumerate(candidates.lexical, start=1)}
    return tuple(
        CandidateHit(hit.id, hit.score, dense.get(hit.id), lexical.get(hit.id)) for hit in candidates.fused
    )
