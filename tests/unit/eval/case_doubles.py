"""A target that says what it is told, and results to compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from eval.facts import Check, Facts, Reference, Truth
from eval.golden import GoldenCase
from eval.records import CaseResult, ChatMessage, Payload, Result, Status

GOOD = Facts(
    question="Java tests", answer="1. Core Java", payload=Payload("q", "1. Core Java", source="api", latency_ms=10.0),
    shown=("java",), reference=Reference(("java",), ("sql",), ("php",)), form=(Check("a list", True),),
    claims=(Check("java", True),), constraints=(Check("ten", True),), facets=(Check("java", True),),
    harm_probes=("secrets",), topic="core java", reference_topic="core java", truth=Truth.SOMETHING,
)  # fmt: skip


class TellingTarget:
    """Gives the facts it was made with."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def facts(self, case: GoldenCase, payloads: Sequence[Payload]) -> Facts:
        return replace(self._facts, payload=payloads[-1])

    def lint(self, case: GoldenCase) -> Sequence[str]:
        return ()


def a_golden(case_id: str = "one", **fields: object) -> GoldenCase:
    return GoldenCase(case_id, "family", (ChatMessage("user", "Java tests"),), **fields)  # type: ignore[arg-type]


def a_value(name: str, value: float | None, **fields: object) -> Result:
    status = Status.UNSCORED if value is None else Status.HEURISTIC
    return Result(name, value, status, "because", "rule:1", **fields)  # type: ignore[arg-type]


def a_graded(case_id: str = "one", overall: float | None = 0.9, **fields: object) -> CaseResult:
    defaults: dict[str, object] = {
        "family": case_id, "target": "recommender", "channel": "api", "profile": "standard", "verdict": "pass",
        "coverage": 1.0, "results": (a_value("accuracy", overall),), "payloads": (Payload("q", "a", latency_ms=5.0),),
        "reason": "because",
    }  # fmt: skip
    return CaseResult(case_id, overall=overall, **{**defaults, **fields})  # type: ignore[arg-type]
