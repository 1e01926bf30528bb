"""The conversation: one turn in, one valid answer out, whatever happens inside."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import structlog
from fastapi import APIRouter, Body, Depends, Request
from fastapi.exceptions import RequestValidationError

from app.api.dependencies import CatalogSide, Runtime, RuntimeDep, require_json
from app.api.openapi import REQUEST_EXAMPLES, RESPONSE_EXAMPLES
from app.api.problems import problem_docs
from app.config import HttpSettings
from app.observability import failure_fields
from app.observability.tracing import TurnSpan
from app.records import History, Reply, Routing, TurnTrace
from app.schemas import (
    ChatRequest,
    ChatResponse,
    ExplainedCandidate,
    ExplainedGap,
    ExplainedPick,
    ExplainedRouting,
    ExplainResponse,
    Explanation,
    Recommendation,
)

if TYPE_CHECKING:
    from app.pipeline import Run

router = APIRouter(tags=["chat"], dependencies=[Depends(require_json)])
_log = structlog.get_logger(__name__)

FAILURE_REPLY = (
    "Sorry, something failed on our side and this message was not worked on. "
    "Nothing is wrong with what you wrote: please send it again in a moment."
)
ANSWER_MARGIN_S = 0.5
"""Kept back from the deadline to write the answer."""

_Messages = Annotated[ChatRequest, Body(openapi_examples=REQUEST_EXAMPLES)]


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of a turn; without trace and side when it failed."""

    response: ChatResponse
    trace: TurnTrace | None = None
    side: CatalogSide | None = None
    degraded: tuple[str, ...] = ()


@router.post(
    "/chat",
    summary="Answer the last message of a conversation",
    responses={
        200: {"content": {"application/json": {"examples": RESPONSE_EXAMPLES}}},
        **problem_docs(400, 413, 415, 422, 429, 503),
    },
)
async def chat(body: _Messages, request: Request, runtime: RuntimeDep) -> ChatResponse:
    """Send the whole conversation each time; nothing is kept between calls.

    `recommendations` is empty while a question is asked and when something is declined; otherwise it
    holds 1 to 10 assessments, copied from the catalogue. A failure on our side is answered in the same
    shape, said plainly, and never with a 5xx; only a service with every place taken says 503 at once.
    """
    return (await _take_turn(body, request, runtime)).response


@router.post(
    "/chat/explain",
    summary="The same turn, and how it was decided",
    responses=problem_docs(400, 413, 415, 422, 429, 503),
)
async def explain(body: _Messages, request: Request, runtime: RuntimeDep) -> ExplainResponse:
    """What was understood, which rule decided, the candidates, why each pick is in, what is not covered."""
    turn = await _take_turn(body, request, runtime)
    answered = turn.trace is not None and turn.side is not None
    return ExplainResponse(
        reply=turn.response.reply,
        recommendations=turn.response.recommendations,
        end_of_conversation=turn.response.end_of_conversation,
        explanation=explain_turn(turn.trace, turn.side) if answered else None,  # type: ignore[arg-type]
        degraded=list(turn.degraded),
        stage_ms=dict(turn.trace.stage_ms) if turn.trace else {},
    )


def check_limits(body: ChatRequest, limits: HttpSettings) -> None:
    """Refuse a conversation that is longer than the settings allow.

    Raises:
        RequestValidationError: naming the message that is too long.
    """
    if len(body.messages) > limits.max_messages:
        raise _too_long(("messages",), f"a conversation may have {limits.max_messages} messages")
    for number, message in enumerate(body.messages):
        if len(message.content) > limits.max_message_chars:
            raise _too_long(
                ("messages", number, "content"), f"a message may have {limits.max_message_chars} characters"
            )


def _too_long(where: tuple[str | int, ...], words: str) -> RequestValidationError:
    return RequestValidationError([{"type": "too_long", "loc": ("body", *where), "msg": words}])


async def _take_turn(body: ChatRequest, request: Request, runtime: Runtime) -> Turn:
    check_limits(body, runtime.settings.http)
    with runtime.admission.enter():
        start = time.perf_counter()
        history = body.to_history()
        turn = await _answer(history, request.state.deadline - ANSWER_MARGIN_S, runtime)
    seconds = time.perf_counter() - start
    _record(turn, history, seconds, runtime)
    if runtime.tracer is not None:
        runtime.tracer.record(_span(turn, seconds), request.headers.get("traceparent", ""))
    return turn


def _span(turn: Turn, seconds: float) -> TurnSpan:
    attributes: dict[str, str | int | bool] = {
        "picks": len(turn.response.recommendations),
        "ends": turn.response.end_of_conversation,
        "degraded": ",".join(turn.degraded),
    }
    if turn.trace is not None:
        decision = turn.trace.decision
        attributes |= {"act": decision.act.value, "rule": decision.rule, "router": turn.trace.routing.router}
    return TurnSpan(seconds, turn.trace.stage_ms if turn.trace else {}, attributes, failed=turn.trace is None)


async def _answer(history: History, deadline: float, runtime: Runtime) -> Turn:
    """The one place at the edge that turns any failure into an honest answer."""
    stage = "loading"
    try:
        async with asyncio.timeout_at(deadline):
            side = await runtime.serving()
            stage = "pipeline"
            loop = asyncio.get_running_loop()
            run = partial(loop.run_in_executor, runtime.workers)
            response, trace = await take_turn(history, side, deadline, run)
        return Turn(response, trace, side, trace.degraded)
    except Exception as exc:  # noqa: BLE001 - one of two places that catch everything
        log_text = runtime.settings.observability.log_text
        _log.error("turn_failed", stage=stage, **failure_fields(exc, with_text=log_text))
        failed = f"{stage}_deadline" if isinstance(exc, TimeoutError) else stage
        return Turn(
            ChatResponse(reply=FAILURE_REPLY, recommendations=[], end_of_conversation=False),
            degraded=(failed,),
        )


async def take_turn(
    history: History, side: CatalogSide, deadline: float | None, run: Run
) -> tuple[ChatResponse, TurnTrace]:
    """One turn, with the language model where one was chosen.

    Args:
        history: the conversation.
        side: what serves it.
        deadline: of the turn, on the running loop's clock; None: there is none.
        run: runs a function in a thread.
    """
    if side.routed is None:
        turn: tuple[ChatResponse, TurnTrace] = await run(respond_to, history, side)
        return turn
    reply, trace = await side.routed.respond(history, deadline, run)
    return to_wire(reply, side), trace


def respond_to(history: History, side: CatalogSide) -> tuple[ChatResponse, TurnTrace]:
    """One turn by rules alone."""
    reply, trace = side.responder.respond(history)
    return to_wire(reply, side), trace


def to_wire(reply: Reply, side: CatalogSide) -> ChatResponse:
    """Names, addresses and types come from the catalogue and nowhere else."""
    chosen = [side.catalog[assessment_id] for assessment_id in reply.recommendations]
    return ChatResponse(
        reply=reply.text,
        recommendations=[Recommendation(name=a.name, url=a.url, test_type=a.test_type) for a in chosen],
        end_of_conversation=reply.ends,
    )


def _record(turn: Turn, history: History, seconds: float, runtime: Runtime) -> None:
    """One log line a turn, and its numbers."""
    act, rule = (
        (turn.trace.decision.act.value, turn.trace.decision.rule) if turn.trace else ("failed", "failed")
    )
    runtime.metrics.count("turns_total", act=act, rule=rule)
    for stage in turn.degraded:
        runtime.metrics.count("degraded_total", stage=stage)
    routing = turn.trace.routing if turn.trace else Routing(why="the turn failed")
    for attempt in routing.attempts:
        provider, _, outcome = attempt.partition(":")
        runtime.metrics.count("model_calls_total", provider=provider, outcome=outcome)
    if routing.degraded:
        runtime.metrics.count("model_degraded_total", why=routing.why)
    for note in routing.notes:
        runtime.metrics.count("model_notes_total", note=note)
    if routing.cached:
        runtime.metrics.count("model_answers_remembered_total", provider=routing.router)
    stage_ms = turn.trace.stage_ms if turn.trace else {}
    for stage, milliseconds in stage_ms.items():
        runtime.metrics.observe("stage_seconds", milliseconds / 1000, stage=stage)
    words: dict[str, Any] = {}
    if runtime.settings.observability.log_text:
        words = {"text": [message.content for message in history.messages[-1:]], "reply": turn.response.reply}
    _log.info(
        "turn",
        act=act,
        rule=rule,
        picks=len(turn.response.recommendations),
        ends=turn.response.end_of_conversation,
        messages=len(history),
        degraded=turn.degraded,
        router=plain(routing),
        ms=round(seconds * 1000, 3),
        stage_ms=dict(stage_ms),
        **words,
    )


def explain_turn(trace: TurnTrace, side: CatalogSide) -> Explanation:
    """Turn trace to wire."""
    shortlist = trace.shortlist
    reports = {pick.id for pick in shortlist.picks if side.knowledge.entries[pick.id].is_report}
    sat = [side.catalog[pick.id] for pick in shortlist.picks if pick.id not in reports]
    return Explanation(
        understood={
            field.name: plain(getattr(trace.understanding, field.name))
            for field in fields(trace.understanding)
        },
        router=ExplainedRouting(**plain(trace.routing)),
        act=trace.decision.act,
        rule=trace.decision.rule,
        reason=trace.decision.reason,
        asked_about=trace.decision.ask,
        candidates=[
            ExplainedCandidate(
                id=hit.id,
                fused_score=hit.fused_score,
                dense_rank=hit.dense_rank,
                lexical_rank=hit.lexical_rank,
            )
            for hit in trace.candidates
        ],
        picks=[
            ExplainedPick(
                id=pick.id,
                name=side.catalog[pick.id].name,
                source=pick.source,
                why=pick.why,
                minutes=side.catalog[pick.id].minutes,
            )
            for pick in shortlist.picks
        ],
        not_covered=[
            ExplainedGap(what=gap.what, note=gap.note, nearest=list(gap.nearest)) for gap in shortlist.gaps
        ],
        assumptions=list(shortlist.assumptions),
        notes=list(shortlist.notes),
        minutes_total=sum(assessment.minutes or 0 for assessment in sat),
        minutes_unknown=[assessment.id for assessment in sat if assessment.minutes is None],
    )


def plain(value: object) -> Any:
    """A record as JSON types; sets in order, so that the same turn gives the same bytes."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, frozenset | set):
        return sorted(map(plain, value))
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return value
