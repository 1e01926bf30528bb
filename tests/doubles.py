"""Stand-ins for what the edge talks to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from app.api.dependencies import CatalogSide, Report
from app.catalog import Assessment, AssessmentId, Catalog, Duration, Level, TestType
from app.config import Settings
from app.knowledge import Entry, Knowledge, Sitting
from app.records import (
    Act,
    CandidateHit,
    Decision,
    History,
    Pick,
    Reply,
    Shortlist,
    Source,
    TurnTrace,
    Understanding,
)

UNWANTED = {TestType.SIMULATION, TestType.ABILITY}
ESCAPED_ID = "sql-analysis-%28ssas%29-%28new%29"


def an_assessment(slug: str, **changes: object) -> Assessment:
    """An assessment that is ordinary in all that is not given."""
    facts: dict[str, object] = {
        "id": AssessmentId(slug),
        "entity_id": str(sum(map(ord, slug))),
        "name": slug.replace("-", " ").title(),
        "url": f"https://catalog.example/{slug}/",
        "types": (TestType.KNOWLEDGE,),
        "minutes": 10,
        "duration": Duration.STATED,
        "levels": (Level.MID,),
        "languages": ("English (USA)",),
        "remote": True,
        "adaptive": False,
    }
    return Assessment(**{**facts, **changes})  # type: ignore[arg-type]


def a_catalog() -> Catalog:
    """Twelve assessments, one with escapes in its id, one without minutes, one adaptive."""
    return Catalog(
        [
            an_assessment("java-core"),
            an_assessment("sql", levels=(Level.MID, Level.PROFESSIONAL)),
            an_assessment(ESCAPED_ID, name="SQL Analysis (SSAS) (New)", minutes=15),
            an_assessment(
                "reasoning", types=(TestType.ABILITY, TestType.SIMULATION), adaptive=True, minutes=36
            ),
            an_assessment(
                "traits",
                types=(TestType.PERSONALITY,),
                minutes=None,
                duration=Duration.UNTIMED,
                languages=("Latin American Spanish", "French (Canada)", "English International"),
            ),
            *(an_assessment(f"other-{number}") for number in range(7)),
        ]
    )


def a_knowledge(catalog: Catalog) -> Knowledge:
    """An entry for each assessment and nothing else."""
    return Knowledge(
        entries={
            assessment.id: Entry(
                id=assessment.id,
                summary=f"About {assessment.name}",
                topics=("one", "two"),
                aliases=(),
                evidence=frozenset(),
                sitting=Sitting.CANDIDATE,
                instruments=(),
                family=assessment.id,
                variant={},
                successor=None,
                suits=(),
                use=frozenset(),
            )
            for assessment in catalog
        },
        skills={},
        families={},
        plays={},
        skills_of={},
        members={},
        catalog=catalog,
    )


@dataclass
class CannedResponder:
    """Lists two assessments once there are words, asks before; or does what `behave` does."""

    behave: Callable[[History], None] | None = None
    seen: list[History] = field(default_factory=list)

    def respond(self, history: History) -> tuple[Reply, TurnTrace]:
        """A reply that says how much it has seen."""
        self.seen.append(history)
        if self.behave:
            self.behave(history)
        last = history.messages[-1] if history.messages else None
        if last is None or last.role != "user" or not any(c.isalnum() for c in last.content):
            decision = Decision(Act.CLARIFY, "opener", "nothing to work on")
            return Reply("Whom are you hiring?"), TurnTrace(Understanding(Act.CLARIFY), decision)
        ids = (AssessmentId("sql"), AssessmentId("traits"))
        trace = TurnTrace(
            understanding=Understanding(
                Act.RECOMMEND, unwanted_types=frozenset({TestType.SIMULATION, TestType.ABILITY})
            ),
            decision=Decision(Act.RECOMMEND, "enough", "a role and a skill"),
            candidates=(CandidateHit("sql", 0.03, 1, 2),),
            shortlist=Shortlist(
                tuple(Pick(assessment_id, Source.SKILL, "covers it") for assessment_id in ids)
            ),
            stage_ms={"understanding": 0.1},
        )
        return Reply(f"{len(history)} messages, the last: {last.content[:40]}", ids), trace


@dataclass(frozen=True)
class _Hit:
    id: str
    score: float = 1.0


@dataclass(frozen=True)
class _Candidates:
    lexical: tuple[_Hit, ...]
    fused: tuple[_Hit, ...]
    dense: tuple[_Hit, ...] = ()
    dense_used: bool = False


class WordSearcher:
    """Finds the assessments whose name holds a word of the query."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog

    def search(self, query: str, n: int) -> _Candidates:
        """Sharing a word first, then the rest."""
        words = query.lower().split()
        sharing = [a.id for a in self.catalog if any(word in a.name.lower() for word in words)]
        rest = [a.id for a in self.catalog if a.id not in sharing]
        return _Candidates(
            lexical=tuple(_Hit(i) for i in sharing[:n]), fused=tuple(_Hit(i) for i in [*sharing, *rest][:n])
        )


@dataclass
class StubLoader:
    """Loads the doubles at once, after `gate` has opened, or fails with `failure`."""

    responder: CannedResponder = field(default_factory=CannedResponder)
    gate: threading.Event | None = None
    failure: Exception | None = None
    dense_failure: Exception | None = None

    def catalog_side(self, _: Settings, report: Report) -> CatalogSide:
        """Stand-in for `load_catalog_side`."""
        if self.gate:
            assert self.gate.wait(20)
        if self.failure:
            raise self.failure
        catalog = a_catalog()
        for part in ("catalog", "knowledge", "lexical", "router"):
            report(part, "loaded", "stub")  # type: ignore[arg-type]
        return CatalogSide(
            catalog=catalog,
            knowledge=a_knowledge(catalog),
            responder=self.responder,
            searcher=WordSearcher(catalog),  # type: ignore[arg-type]
        )

    def dense_side(self, _: Settings, side: CatalogSide, report: Report) -> None:
        """Stand-in for `load_dense_side`."""
        assert side.catalog
        if self.dense_failure:
            raise self.dense_failure
        report("dense", "loaded", "stub")
