"""Kinds of conversation that such services get wrong, each with near twins on the other side of the line.

The dialogues are in the `.yaml` files beside this one. A user message that nobody answered in the file is
answered by the service itself, as it would be for a client that sends the history back.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

import pytest

from app.api.dependencies import CatalogSide
from app.pipeline import Pipeline
from app.records import Act, History, Message, Reply, TurnTrace
from tests.conversations.dialogues import Dialogue, Expect, Step, load, show

DIALOGUES = load()
_URL = re.compile(r"(?:https?://|www\.)[^\s<>|)\]\"']+", re.I)


def _expectations() -> list[Any]:
    """Each with the number of its user message, for the name of the test."""
    return [
        pytest.param(dialogue, position, id=f"{dialogue.id}-{_user_messages(dialogue.steps[: position + 1])}")
        for dialogue in DIALOGUES
        for position, step in enumerate(dialogue.steps)
        if step.expect is not None
    ]


def _user_messages(steps: tuple[Step, ...]) -> int:
    return sum(step.role == "user" for step in steps)


@pytest.mark.parametrize(("dialogue", "position"), _expectations())
def test_the_reply_is_what_a_consultant_would_give(
    dialogue: Dialogue, position: int, catalog_side: CatalogSide, pipeline: Pipeline
) -> None:
    history, reply, trace = _play(dialogue.steps[: position + 1], catalog_side, pipeline)
    expect = dialogue.steps[position].expect
    assert expect is not None
    wrong = [*_always_wrong(history, reply, trace, catalog_side), *_unmet(expect, reply, trace, catalog_side)]
    assert not wrong, _report(dialogue, history, reply, trace, wrong)


def test_each_pair_has_both_sides() -> None:
    sides: defaultdict[str, set[str]] = defaultdict(set)
    for dialogue in DIALOGUES:
        sides[dialogue.pair].add(dialogue.side)
    assert {pair for pair, found in sides.items() if found != {"trigger", "twin"}} == set()


def test_every_id_is_in_the_catalogue(catalog_side: CatalogSide) -> None:
    unknown = {
        id_
        for dialogue in DIALOGUES
        for step in dialogue.steps
        for id_ in (*step.shown, *(_ids(step.expect) if step.expect else ()))
        if id_ not in catalog_side.catalog
    }
    assert unknown == set()


def _ids(expect: Expect) -> list[str]:
    groups = [*expect.any_of, *expect.if_list_any, *expect.order]
    lists = [expect.must, expect.must_not, expect.if_list, expect.exactly or [], expect.same_set or []]
    return [id_ for ids in (*groups, *lists, expect.top_candidates) for id_ in ids]


def _play(steps: tuple[Step, ...], side: CatalogSide, pipeline: Pipeline) -> tuple[History, Reply, TurnTrace]:
    messages: list[Message] = []
    for step, following in zip(steps, (*steps[1:], None), strict=True):
        text = step.text if step.role == "user" else show(step, side.catalog)
        messages.append(Message("user" if step.role == "user" else "assistant", text))
        unanswered = step.role == "user" and following is not None and following.role == "user"
        if unanswered:
            messages.append(Message("assistant", pipeline.respond(History(tuple(messages)))[0].text))
    history = History(tuple(messages))
    return history, *pipeline.respond(history)


def _always_wrong(history: History, reply: Reply, trace: TurnTrace, side: CatalogSide) -> list[str]:
    """What holds of every reply, whatever was said."""
    wrong = []
    ids = reply.recommendations
    if len(ids) > 10 or len(set(ids)) != len(ids) or any(id_ not in side.catalog for id_ in ids):
        wrong.append("the list is not 0 to 10 distinct ids of the catalogue")
    known = {assessment.url for assessment in side.catalog}
    wrong += [f"a URL that is not ours: {url}" for url in _URL.findall(reply.text) if url not in known]
    if trace.decision.act in (Act.CLARIFY, Act.REFUSE) and ids:
        wrong.append("a list beside a question or a refusal")
    if trace.decision.act is Act.CLARIFY and len(history) >= 7:
        wrong.append("a question at the seventh message or later")
    if reply.ends and not ids:
        wrong.append("the conversation ends without a list")
    if set(ids) & trace.understanding.dropped:
        wrong.append("something dropped is in the list")
    if not reply.text.strip():
        wrong.append("no words")
    return wrong


def _unmet(expect: Expect, reply: Reply, trace: TurnTrace, side: CatalogSide) -> list[str]:
    return [
        *_unmet_decision(expect, reply, trace),
        *_unmet_list(expect, list(reply.recommendations), side),
        *_unmet_facts(expect, reply, trace, side),
    ]


def _among(value: object, allowed: str | list[str]) -> bool:
    return str(value) in ([allowed] if isinstance(allowed, str) else allowed)


def _unmet_decision(expect: Expect, reply: Reply, trace: TurnTrace) -> list[str]:
    decision = trace.decision
    wrong = []
    for name, wanted, got in (
        ("act", expect.act, decision.act),
        ("rule", expect.rule, decision.rule),
        ("ask", expect.ask, decision.ask),
    ):
        if wanted is not None and not _among(got, wanted):
            wrong.append(f"{name}: {wanted} expected, got {got}")
    for name, unwanted, got in (
        ("act", expect.not_act, decision.act),
        ("rule", expect.not_rule, decision.rule),
    ):
        if unwanted is not None and _among(got, unwanted):
            wrong.append(f"{name} must not be {got}")
    issues = [str(issue) for issue in trace.understanding.scope_issues]
    if expect.issue is not None and not any(_among(issue, expect.issue) for issue in issues):
        wrong.append(f"issue: {expect.issue} expected, got {issues}")
    if expect.asked is not None and len(trace.understanding.asked) != expect.asked:
        wrong.append(f"{expect.asked} earlier questions expected, got {trace.understanding.asked}")
    if expect.ends is not None and reply.ends is not expect.ends:
        wrong.append(f"ends: {expect.ends} expected")
    if expect.listed is not None and bool(reply.recommendations) is not expect.listed:
        wrong.append(f"listed: {expect.listed} expected")
    return wrong


def _unmet_list(expect: Expect, ids: list[str], side: CatalogSide) -> list[str]:
    wrong = [f"{id_} is missing" for id_ in expect.must if id_ not in ids]
    wrong += [f"{id_} is missing" for id_ in expect.if_list if ids and id_ not in ids]
    wrong += [f"{id_} must not be there" for id_ in expect.must_not if id_ in ids]
    groups = [*expect.any_of, *(expect.if_list_any if ids else ())]
    wrong += [f"none of {group}" for group in groups if not set(group) & set(ids)]
    if expect.exactly is not None and ids != expect.exactly:
        wrong.append(f"exactly {expect.exactly} expected")
    if expect.same_set is not None and set(ids) != set(expect.same_set):
        wrong.append(f"the set {expect.same_set} expected")
    if expect.at_least is not None and len(ids) < expect.at_least:
        wrong.append(f"at least {expect.at_least} expected")
    if expect.at_most is not None and len(ids) > expect.at_most:
        wrong.append(f"at most {expect.at_most} expected")
    wrong += [
        f"{first} stands after {second}"
        for first, second in expect.order
        if first in ids and second in ids and ids.index(first) > ids.index(second)
    ]
    types = {letter.value for id_ in ids for letter in side.catalog[id_].types}  # type: ignore[index]
    wrong += [f"type {letter} must not be there" for letter in expect.types_absent if letter in types]
    if expect.any_type and not types & set(expect.any_type):
        wrong.append(f"no item of type {expect.any_type}")
    for pattern, most in expect.at_most_matching.items():
        matching = [id_ for id_ in ids if re.search(pattern, id_)]
        if len(matching) > most:
            wrong.append(f"more than {most} of {pattern}: {matching}")
    return wrong


def _unmet_facts(expect: Expect, reply: Reply, trace: TurnTrace, side: CatalogSide) -> list[str]:
    known = [
        minutes
        for id_ in reply.recommendations
        if not side.knowledge.entries[id_].is_report and (minutes := side.catalog[id_].minutes) is not None
    ]
    wrong = []
    if expect.known_minutes_at_most is not None and sum(known) > expect.known_minutes_at_most:
        wrong.append(f"{sum(known)} known minutes")
    if expect.each_minutes_at_most is not None and max(known, default=0) > expect.each_minutes_at_most:
        wrong.append(f"an item of {max(known)} minutes")
    top = [hit.id for hit in trace.candidates[:10]]
    wrong += [f"{id_} is not among the first ten found" for id_ in expect.top_candidates if id_ not in top]
    wrong += [f"does not say {p!r}" for p in expect.says if not re.search(p, reply.text, re.I)]
    wrong += [f"says {p!r}" for p in expect.never_says if re.search(p, reply.text, re.I)]
    return wrong


def _report(dialogue: Dialogue, history: History, reply: Reply, trace: TurnTrace, wrong: list[str]) -> str:
    talk = "\n".join(f"  {message.role}: {message.content[:400]}" for message in history.messages)
    return (
        f"\n{dialogue.id} ({dialogue.case}, {dialogue.side}): {dialogue.why}\n{talk}\n"
        f"-> {trace.decision.act}/{trace.decision.rule} ends={reply.ends} {list(reply.recommendations)}\n"
        f"{reply.text[:500]}\nwrong: " + "\n       ".join(wrong)
    )
