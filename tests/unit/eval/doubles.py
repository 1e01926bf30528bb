"""A target that answers as told, and cases to play against it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.catalog import Assessment, AssessmentId, Catalog, Duration, Level, TestType
from eval.records import Case, ChatMessage, Expectation, Labels, Payload, Recommendation, ScriptTurn


def an_assessment(slug: str, minutes: int | None = 10) -> Assessment:
    return Assessment(
        id=AssessmentId(slug), entity_id=slug, name=slug.title(), url=f"https://x.example/view/{slug}/",
        types=(TestType.KNOWLEDGE,), minutes=minutes, duration=Duration.STATED, levels=(Level.MID,),
        languages=("English (USA)",), remote=True, adaptive=False,
    )  # fmt: skip


CATALOG = Catalog([an_assessment(slug) for slug in ("a", "b", "c", "d", "e")])


def shown(*ids: str, text: str = "Here is a list.", ends: bool = False, **fields: object) -> Payload:
    lines = tuple(Recommendation(i.title(), f"https://x.example/view/{i}/", "K") for i in ids)
    return Payload("", text, recommendations=lines, ends=ends, source="double", latency_ms=1.0, **fields)  # type: ignore[arg-type]


def question(text: str = "Which level?") -> Payload:
    return Payload("", text, ends=False, source="double", latency_ms=1.0)


UNREACHABLE = Payload("", status="unreachable", error="ConnectError()")
BROKEN = Payload("", status="failed", error="status 500: boom", faults=("status 500",), latency_ms=1.0)


class Target:
    """Answers from a list, the last answer for ever, or by a function of the messages."""

    target = "a double"
    notes: tuple[str, ...] = ()

    def __init__(
        self, *answers: Payload, by: Callable[[Sequence[ChatMessage]], Payload] | None = None
    ) -> None:
        self.answers = list(answers)
        self.by = by
        self.seen: list[list[ChatMessage]] = []

    def ask(self, messages: Sequence[ChatMessage]) -> Payload:
        self.seen.append(list(messages))
        if self.by:
            answer = self.by(messages)
        else:
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return replace(answer, question=messages[-1].content)

    def close(self) -> None:
        return None


def a_case(*turns: str | ScriptTurn, **fields: object) -> Case:
    said = tuple(t if isinstance(t, ScriptTurn) else ScriptTurn(t) for t in turns)
    defaults: dict[str, object] = {
        "id": "case",
        "turns": said,
        "final": Labels(must=("a", "b"), may=("c",), must_not=("d",)),
    }
    return Case(**{**defaults, **fields})  # type: ignore[arg-type]


def says(text: str, **expect: object) -> ScriptTurn:
    return ScriptTurn(text, Expectation(**expect))  # type: ignore[arg-type]
