"""One promise for every provider of judges, kept over the wire against a server on this machine."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from app.errors import Fault, ModelError
from eval.judge.base import CallSettings, JudgeAnswer, JudgeFailure, Judgement, Unscored
from eval.judge.prompt import render
from eval.judge.registry import known_judges
from tests.judge_server import JUDGE_WIRES, QUESTION, client_of, model_of, verdict
from tests.model_server import KEY, Served, Wire, serve

MESSAGES = render(QUESTION)


@pytest.fixture(params=sorted(JUDGE_WIRES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def wire(name: str) -> Wire:
    return JUDGE_WIRES[name]


async def judged(name: str, *plan: Served, **options: Any) -> tuple[Judgement, list[dict[str, Any]]]:
    with serve(*plan) as server:
        client = client_of(name, server.url, **options)
        judgement = await client.judge(QUESTION)
        await client.close()
    return judgement, server.requests


def test_every_provider_is_held_to_this_and_described(request: pytest.FixtureRequest) -> None:
    assert JUDGE_WIRES.keys() == known_judges().keys()
    page = (request.config.rootpath / "docs" / "judges.md").read_text(encoding="utf-8")
    for spec in known_judges().values():
        assert f"| `{spec.name}` | `{spec.default_model}` |" in page


async def test_a_call_carries_prompt_key_and_cap_and_gives_text_and_usage(name: str, wire: Wire) -> None:
    with serve(wire.answers(verdict())) as server:
        model = model_of(name, server.url)
        reply = await model.reply(MESSAGES, CallSettings(max_output_tokens=123), 5)
        await model.close()
    (request,) = server.requests
    assert json.loads(reply.text)["score"] == "3"
    assert reply.usage is not None
    assert reply.usage.input_tokens + reply.usage.cached_input_tokens + reply.usage.cache_write_tokens == 321
    assert reply.usage.output_tokens == 45
    assert request["path"].partition("?")[0] == wire.path
    assert wire.key_of(request["headers"]) == KEY
    assert wire.cap_of(request["body"]) == 123
    sent = json.dumps(request["body"])
    assert all(json.dumps(text)[1:-1] in sent for text in (MESSAGES.system, MESSAGES.user))


async def test_a_whole_verdict_is_scored(name: str, wire: Wire) -> None:
    judgement, requests = await judged(name, wire.answers(verdict()))
    assert isinstance(judgement, JudgeAnswer)
    assert (judgement.score, judgement.anchor, judgement.attempts, judgement.flags) == (0.75, 3, 1, ())
    assert judgement.cost_usd_micro
    assert len(requests) == 1


@pytest.mark.parametrize(
    ("finish", "text", "reason", "calls"),
    [
        ("length", '{"evidence": ["takes', Unscored.TRUNCATED, 3),
        ("filter", "", Unscored.REFUSAL, 1),
        ("stop", "", Unscored.EMPTY_REPLY, 1),
        ("stop", '{"evidence": ["takes', Unscored.UNPARSABLE, 1),
        ("stop", "I'm sorry, but I can't help with that.", Unscored.REFUSAL, 1),
        ("stop", verdict(5), Unscored.OUT_OF_RANGE, 1),
        ("stop", verdict("cannot_tell"), Unscored.CANNOT_TELL, 1),
    ],
)
async def test_a_reply_without_a_verdict_is_unscored(
    name: str, wire: Wire, finish: str, text: str, reason: Unscored, calls: int
) -> None:
    judgement, requests = await judged(name, wire.answers(text, finish))
    assert isinstance(judgement, JudgeFailure)
    assert (judgement.reason, judgement.status) == (reason, "unscored")
    assert len(requests) == calls == judgement.attempts
    assert judgement.usage.output_tokens == 45 * calls, "what was billed is counted"


async def test_a_cut_off_reply_gets_more_room(name: str, wire: Wire) -> None:
    judgement, requests = await judged(name, wire.answers("{", "length"), wire.answers(verdict()))
    assert isinstance(judgement, JudgeAnswer)
    caps = [wire.cap_of(request["body"]) for request in requests]
    assert caps == [700, 1400]
    assert judgement.usage.output_tokens == 90


@pytest.mark.parametrize(
    ("status", "reason", "calls"),
    [
        (429, Unscored.RATE_LIMITED, 3),
        (500, Unscored.SERVER, 3),
        (503, Unscored.SERVER, 3),
        (529, Unscored.SERVER, 3),
        (401, Unscored.AUTH, 1),
        (403, Unscored.AUTH, 1),
        (400, Unscored.REQUEST, 1),
        (404, Unscored.REQUEST, 1),
        (413, Unscored.TOO_LONG, 1),
    ],
)
async def test_an_error_of_the_provider_is_no_score(
    name: str, wire: Wire, status: int, reason: Unscored, calls: int
) -> None:
    judgement, requests = await judged(name, wire.fails(status, retry_after="0"))
    assert isinstance(judgement, JudgeFailure)
    assert judgement.reason is reason
    assert len(requests) == calls


@pytest.mark.parametrize("status", [429, 500])
async def test_a_passing_error_is_tried_again(name: str, wire: Wire, status: int) -> None:
    judgement, requests = await judged(name, wire.fails(status, retry_after="0"), wire.answers(verdict()))
    assert isinstance(judgement, JudgeAnswer)
    assert judgement.attempts == len(requests) == 2


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"retry_after": "7"}, 7, 7),
        ({"retry_after": "0.5"}, 0.5, 0.5),
        ({"retry_after_ms": "250", "retry_after": "9"}, 0.25, 0.25),
        ({"retry_after": "in a minute"}, 20, 60),
        ({"retry_after": "Tue, 01 Dec 2020 10:00:30 GMT"}, 0, 0),
        ({"retry_after": "soon"}, None, None),
        ({}, None, None),
    ],
)
async def test_how_long_to_wait_is_read_as_seconds_or_as_a_date(
    name: str, wire: Wire, headers: dict[str, str], least: Any, most: Any
) -> None:
    in_a_minute = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    sent = {key: value.replace("in a minute", in_a_minute) for key, value in headers.items()}
    with serve(wire.fails(429, **sent)) as server:
        model = model_of(name, server.url)
        with pytest.raises(ModelError) as caught:
            await model.reply(MESSAGES, CallSettings(), 5)
        await model.close()
    wait_s = caught.value.retry_after_s
    assert caught.value.fault is Fault.RATE
    assert (wait_s is None) is (least is None)
    assert wait_s is None or least <= wait_s <= most


@pytest.mark.parametrize(
    "body", ["", "<html>", "[]", "null", '{"choices": "no", "content": 3, "candidates": 7}', '{"cho']
)
async def test_an_envelope_of_another_shape_is_unscored(name: str, wire: Wire, body: str) -> None:
    judgement, _ = await judged(name, Served(body=body))
    assert isinstance(judgement, JudgeFailure)
    assert judgement.reason in (Unscored.UNPARSABLE, Unscored.EMPTY_REPLY)


async def test_nothing_in_a_good_envelope_is_an_empty_reply(name: str, wire: Wire) -> None:
    judgement, _ = await judged(name, Served(body=wire.none))
    assert isinstance(judgement, JudgeFailure)
    assert judgement.reason is Unscored.EMPTY_REPLY


async def test_a_dropped_connection_is_unreachable(name: str, wire: Wire) -> None:
    judgement, requests = await judged(name, Served(drops=True))
    assert isinstance(judgement, JudgeFailure)
    assert (judgement.reason, judgement.status, len(requests)) == (Unscored.UNREACHABLE, "error", 3)


async def test_a_hanging_provider_is_a_timeout(name: str, wire: Wire) -> None:
    with serve(Served(hangs=True)) as server:
        model = model_of(name, server.url)
        with pytest.raises(ModelError) as caught:
            await model.reply(MESSAGES, CallSettings(), 0.05)
        await model.close()
    assert caught.value.fault is Fault.TIMEOUT


async def test_no_error_shows_the_key(name: str, wire: Wire) -> None:
    for status in (400, 401, 429, 500):
        judgement, _ = await judged(name, wire.fails(status, f"bad key {KEY} given", retry_after="0"))
        assert isinstance(judgement, JudgeFailure)
        assert KEY not in repr(judgement)
        assert "status" in judgement.detail
