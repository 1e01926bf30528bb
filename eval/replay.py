"""Runs a labelled conversation turn by turn against the target.

Two modes. *grader*: as the grading harness does, it stops when the service ends the conversation, at eight
messages counting both sides, and at a call that takes 30 seconds. *trace*: every recorded turn is said,
whatever comes back. What goes wrong on the way is counted in its own place and never averaged away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.catalog import Catalog
from eval.adapters.base import Adapter
from eval.records import (
    Case,
    ChatMessage,
    ConversationResult,
    Expectation,
    Mode,
    Payload,
    Stop,
    Turn,
    UserKind,
    failed,
)
from eval.scoring import MEASURES, check, score
from eval.users.base import User, UserFactory

MESSAGE_CAP = 8
"""Messages of both sides after which the grader stops."""
SIMULATOR_RETRIES = 2
"""Fresh attempts when the user, not the service, was at fault."""
NO_REPLY = "(no reply)"


def play(messages: Sequence[ChatMessage], adapter: Adapter) -> list[Payload]:
    """The answers to fixed messages, said one by one; ends with the first call that is lost.

    A message of the assistant is put into the history in the place of the answer, which is not asked for.
    """
    history: list[ChatMessage] = []
    payloads: list[Payload] = []
    for message, following in zip(messages, (*messages[1:], None), strict=True):
        history.append(message)
        if message.role == "assistant" or (following is not None and following.role == "assistant"):
            continue
        payloads.append(adapter.ask(history))
        if payloads[-1].status in ("unreachable", "timeout"):
            break
        history.append(ChatMessage("assistant", payloads[-1].ai_response or NO_REPLY))
    return payloads


@dataclass(frozen=True, slots=True)
class _Course:
    turns: tuple[Turn, ...]
    stop: Stop
    unsaid: int
    fault: str = ""


def replay(
    case: Case,
    kind: UserKind,
    new_user: UserFactory,
    adapter: Adapter,
    mode: Mode,
    catalog: Catalog,
    channel: str,
) -> ConversationResult:
    """One conversation, played and scored.

    A user that asserts what it was not given is a simulator fault: the conversation is played again, and if
    the fault stays it is left out of every mean, with the reason.
    """
    faults = 0
    for _ in range(1 + SIMULATOR_RETRIES):
        course = _play(case, new_user(case), adapter, mode)
        if course.stop != "simulator_fault":
            break
        faults += 1
    whole = course.stop in ("script_done", "ended")
    outcome = score(case, course.turns, catalog, whole=whole)
    results = outcome.results
    if course.stop == "simulator_fault":
        results = tuple(failed(name, f"simulator fault: {course.fault}") for name in MEASURES)
    return ConversationResult(
        case_id=case.id,
        family=case.family,
        split=case.split,
        channel=channel,
        user=kind,
        mode=mode,
        turns=course.turns,
        stop=course.stop,
        results=results,
        final_ids=outcome.final_ids,
        missed=outcome.missed,
        surplus=outcome.surplus,
        forbidden=outcome.forbidden,
        unsaid=course.unsaid,
        simulator_faults=faults,
    )


def _play(case: Case, user: User, adapter: Adapter, mode: Mode) -> _Course:
    messages: list[ChatMessage] = []
    turns: list[Turn] = []
    payload: Payload | None = None
    most = 2 * len(case.turns) + 8
    while True:
        utterance = user.say(payload)
        if utterance is None:
            return _Course(tuple(turns), "script_done", user.unsaid)
        if utterance.fault:
            return _Course(tuple(turns), "simulator_fault", user.unsaid, utterance.fault)
        if (mode == "grader" and len(messages) >= MESSAGE_CAP) or len(turns) >= most:
            unsaid = user.unsaid + (utterance.script_index is not None)
            return _Course(tuple(turns), "message_cap", unsaid)
        messages.append(ChatMessage("user", utterance.text))
        payload = adapter.ask(messages)
        index = utterance.script_index
        expect = case.turns[index].expect if index is not None else Expectation()
        checked, unmet = check(expect, payload)
        turns.append(Turn(len(turns) + 1, payload, index, unmet, checked))
        messages.append(ChatMessage("assistant", payload.ai_response or NO_REPLY))
        stop = _stops(payload, mode)
        if stop is not None:
            return _Course(tuple(turns), stop, user.unsaid)


def _stops(payload: Payload, mode: Mode) -> Stop | None:
    if payload.status == "unreachable":
        return "unreachable"
    if mode == "trace":
        return None
    if payload.late:
        return "slow_call"
    return "ended" if payload.ends else None


@dataclass(frozen=True, slots=True)
class Counts:
    """What went wrong in a set of conversations, by kind. Counted, never averaged."""

    conversations: int = 0
    turns: int = 0
    contract_faults: int = 0
    """Turns with at least one departure from the wire contract."""
    failed_turns: int = 0
    slow_calls: int = 0
    unreachable: int = 0
    degraded_turns: int = 0
    cap_overruns: int = 0
    """Conversations in which the user still had something to say at the cap."""
    simulator_faults: int = 0
    forbidden_shown: int = 0
    """Conversations whose last list holds something that the labels exclude."""


def count(results: Sequence[ConversationResult]) -> Counts:
    """The counts over `results`."""
    payloads = [turn.payload for result in results for turn in result.turns]
    return Counts(
        conversations=len(results),
        turns=len(payloads),
        contract_faults=sum(bool(p.faults) for p in payloads),
        failed_turns=sum(p.status in ("failed", "malformed") for p in payloads),
        slow_calls=sum(p.late for p in payloads),
        unreachable=sum(p.status == "unreachable" for p in payloads),
        degraded_turns=sum(bool(p.degraded) for p in payloads),
        cap_overruns=sum(r.stop == "message_cap" for r in results),
        simulator_faults=sum(r.simulator_faults for r in results),
        forbidden_shown=sum(bool(r.forbidden) for r in results),
    )
