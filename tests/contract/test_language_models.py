"""One promise for every provider, kept with its real library against a server on this machine."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from app.errors import Fault, ModelError
from app.llm.base import LanguageModel, ModelOptions, Prompt
from app.llm.recordings import Recordings
from app.llm.registry import known_providers
from app.llm.schema import answer_schema
from tests.model_server import KEY, WIRES, Served, Wire, serve

PROMPT = Prompt(
    "v1", "Read this, answer in JSON.", '[{"role": "user", "content": "a cook"}]', answer_schema(), 800
)
READING = '{"intent": "recommend", "search_query": "cook"}'


@asynccontextmanager
async def model_of(name: str, url: str) -> AsyncIterator[LanguageModel]:
    options = ModelOptions("some-model", SecretStr(KEY), WIRES[name].address(url), timeout_s=5)
    model = known_providers()[name].build(options)
    yield model
    await model.close()


@pytest.fixture(params=sorted(WIRES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def wire(name: str) -> Wire:
    return WIRES[name]


def test_every_provider_is_held_to_this() -> None:
    assert {*WIRES, "scripted"} == known_providers().keys()


async def test_one_call_gives_the_text_and_its_price(name: str, wire: Wire) -> None:
    with serve(wire.answers(READING)) as server:
        async with model_of(name, server.url) as model:
            answer = await model.answer(PROMPT, 5)
    assert answer.text == READING
    assert (answer.input_tokens, answer.output_tokens) == (321, 45)
    assert len(server.requests) == 1
    (request,) = server.requests
    assert request["path"].partition("?")[0] == wire.path
    assert wire.key_of(request["headers"]) == KEY
    assert wire.cap_of(request["body"]) == 800
    sent = json.dumps(request["body"])
    assert "a cook" in sent
    assert "answer in JSON" in sent
    assert KEY not in sent


FAILURES: dict[str, tuple[Callable[[Wire], Served], Fault]] = {
    "429 for seconds": (lambda w: w.fails(429, "calls per minute", retry_after="2"), Fault.RATE),
    "429 in words": (lambda w: w.fails(429, "Please try again in 1m30.5s."), Fault.RATE),
    "429 for the day": (lambda w: w.fails(429, "tokens per day (TPD) are used up"), Fault.QUOTA),
    "429 for long": (lambda w: w.fails(429, "slow down", retry_after="741"), Fault.QUOTA),
    "413": (lambda w: w.fails(413, "asked 15300 tokens"), Fault.TOO_LARGE),
    "400 for its length": (lambda w: w.fails(400, "the maximum context length is 4096"), Fault.TOO_LARGE),
    "401": (lambda w: w.fails(401, f"Incorrect API key provided: {KEY}"), Fault.AUTH),
    "400 for its key": (lambda w: w.fails(400, "API key not valid. Pass a valid one."), Fault.AUTH),
    "403": (lambda w: w.fails(403, "forbidden"), Fault.AUTH),
    "400": (lambda w: w.fails(400, f"bad field near {KEY}"), Fault.REQUEST),
    "404": (lambda w: w.fails(404, "no such model"), Fault.REQUEST),
    "500": (lambda w: w.fails(500), Fault.SERVER),
    "503": (lambda w: w.fails(503, "overloaded"), Fault.SERVER),
    "502 in HTML": (
        lambda w: Served(502, "<html>bad gateway</html>", {"content-type": "text/html"}),
        Fault.SERVER,
    ),
    "silence": (lambda w: Served(hangs=True), Fault.TIMEOUT),
    "connection lost": (lambda w: Served(drops=True), Fault.CONNECTION),
    "nothing in it": (lambda w: Served(body=w.none), Fault.EMPTY),
    "empty text": (lambda w: w.answers(""), Fault.EMPTY),
    "cut off": (
        lambda w: w.answers('{"intent": "recommend", "constraints": {"role": "tax', "length"),
        Fault.CUT_OFF,
    ),
    "blocked": (lambda w: w.answers("", "filter"), Fault.BLOCKED),
    "a nest around it": (lambda w: Served(body="[" * 100_000), Fault.MALFORMED),
    "no JSON around it": (lambda w: Served(body="upstream says hello"), Fault.MALFORMED),
}


@pytest.mark.parametrize("failure", FAILURES)
async def test_each_failure_is_one_call_and_one_fault(name: str, wire: Wire, failure: str) -> None:
    served, fault = FAILURES[failure]
    with serve(served(wire)) as server:
        async with model_of(name, server.url) as model:
            with pytest.raises(ModelError) as caught:
                await model.answer(PROMPT, 0.5 if fault is Fault.TIMEOUT else 5)
    assert caught.value.fault is fault, caught.value
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1


async def test_a_stated_time_is_passed_on(name: str, wire: Wire) -> None:
    for served, seconds in (
        (wire.fails(429, "slow down", retry_after="741"), 741),
        (wire.fails(429, "Please try again in 1m30.5s."), 90.5),
    ):
        with serve(served) as server:
            async with model_of(name, server.url) as model:
                with pytest.raises(ModelError) as caught:
                    await model.answer(PROMPT, 5)
        assert caught.value.retry_after_s == seconds


async def test_a_time_stated_as_a_date_is_passed_on(name: str, wire: Wire) -> None:
    for header, longest in ((formatdate(time.time() + 741, usegmt=True), 741), ("next week", None)):
        with serve(wire.fails(429, "slow down", retry_after=header)) as server:
            async with model_of(name, server.url) as model:
                with pytest.raises(ModelError) as caught:
                    await model.answer(PROMPT, 5)
        if longest is None:
            assert (caught.value.fault, caught.value.retry_after_s) == (Fault.RATE, None)
        else:
            assert caught.value.fault is Fault.QUOTA
            assert 0 < (caught.value.retry_after_s or 0) <= longest


async def test_two_models_of_one_provider_keep_their_own_keys(name: str, wire: Wire) -> None:
    keys = [f"{KEY}-{number}" for number in (1, 2)]
    with serve(wire.answers(READING)) as server:
        options = [ModelOptions("some-model", SecretStr(key), wire.address(server.url)) for key in keys]
        models = [known_providers()[name].build(each) for each in options]
        for model in models:
            await model.answer(PROMPT, 5)
            await model.close()
    assert [wire.key_of(request["headers"]) for request in server.requests] == keys


async def test_a_server_that_is_not_there(name: str, wire: Wire) -> None:
    with serve(wire.answers(READING)) as server:
        pass
    async with model_of(name, server.url) as model:
        with pytest.raises(ModelError) as caught:
            await model.answer(PROMPT, 5)
    assert caught.value.fault is Fault.CONNECTION


async def test_the_event_loop_runs_on_while_a_call_waits(name: str) -> None:
    with serve(Served(hangs=True)) as server:
        async with model_of(name, server.url) as model:
            call = asyncio.create_task(model.answer(PROMPT, 1.0))
            turns = 0
            while not call.done():
                await asyncio.sleep(0.01)
                turns += 1
    assert turns > 3
    assert isinstance(call.exception(), ModelError)


@pytest.mark.parametrize(
    ("failed", "expected"),
    [(READING, READING), ("", None), (None, None)],
)
async def test_groq_keeps_what_its_own_validation_refused(failed: str | None, expected: str | None) -> None:
    error: dict[str, Any] = {"message": "did not validate", "code": "json_validate_failed"}
    if failed is not None:
        error["failed_generation"] = failed
    with serve(Served(400, json.dumps({"error": error}))) as server:
        async with model_of("groq", server.url) as model:
            if expected:
                answer = await model.answer(PROMPT, 5)
                assert (answer.text, answer.notes) == (expected, ("refused_by_validation",))
            else:
                with pytest.raises(ModelError) as caught:
                    await model.answer(PROMPT, 5)
                assert caught.value.fault is Fault.REQUEST


async def test_scripted_gives_what_was_recorded(tmp_path: Path) -> None:
    from app.llm.base import Answer

    file = tmp_path / "answers.jsonl"
    Recordings.load(file, may_be_new=True).add(PROMPT, Answer(READING, 321, 45), "some-model")
    model = known_providers()["scripted"].build(ModelOptions("recorded", recordings=file))
    assert await model.answer(PROMPT, 1) == Answer(READING, 321, 45)
    await model.close()


async def test_gemini_bounds_thinking_where_a_model_thinks() -> None:
    caps = {}
    for model_name in ("gemini-2.5-flash", "gemini-2.5-pro", "gemini-2.0-flash", "gemini-flash-latest"):
        with serve(WIRES["gemini"].answers(READING)) as server:
            options = ModelOptions(model_name, SecretStr(KEY), server.url)
            model = known_providers()["gemini"].build(options)
            await model.answer(PROMPT, 5)
            await model.close()
        config = server.requests[0]["body"]["generationConfig"]
        thinking = next(iter(config.get("thinkingConfig", {}).values()), None)
        caps[model_name] = (config["maxOutputTokens"], thinking)
    assert caps == {
        "gemini-2.5-flash": (800, 0),
        "gemini-2.5-pro": (2_800, 2_000),
        "gemini-2.0-flash": (800, None),
        "gemini-flash-latest": (2_800, None),
    }


@pytest.mark.parametrize(("model_name", "cap"), [("gemini-2.5-flash", 2_800), ("gemini-2.0-flash", 800)])
async def test_the_retired_library_leaves_room_for_thinking_it_cannot_switch_off(
    model_name: str, cap: int
) -> None:
    wire = WIRES["gemini_legacy"]
    with serve(wire.answers(READING)) as server:
        options = ModelOptions(model_name, SecretStr(KEY), wire.address(server.url))
        model = known_providers()["gemini_legacy"].build(options)
        await model.answer(PROMPT, 5)
        await model.close()
    assert wire.cap_of(server.requests[0]["body"]) == cap


@pytest.mark.parametrize(
    ("model_name", "address", "limits"),
    [
        ("gpt-5-mini", None, {"max_completion_tokens": 2_800, "reasoning_effort": "low"}),
        ("gpt-4o-mini", None, {"max_completion_tokens": 800, "temperature": 0}),
        ("gpt-5-mini", "http://localhost:1/v1", {"max_tokens": 800, "temperature": 0}),
    ],
)
async def test_openai_is_asked_in_the_words_its_reasoning_models_take(
    model_name: str, address: str | None, limits: dict[str, Any]
) -> None:
    model: Any = known_providers()["openai"].build(ModelOptions(model_name, SecretStr(KEY), address))
    body = model._body(PROMPT)
    assert {key: body[key] for key in body.keys() - {"model", "messages", "response_format"}} == limits
    await model.close()


HIDING = ("include_reasoning", "reasoning_effort", "reasoning_format")


@pytest.mark.parametrize(
    ("model_name", "cap", "hiding"),
    [
        ("llama-3.3-70b-versatile", 800, {}),
        ("meta-llama/llama-4-scout", 800, {}),
        ("openai/gpt-oss-120b", 2_800, {"include_reasoning": False, "reasoning_effort": "low"}),
        ("qwen/qwen3-32b", 2_800, {"reasoning_format": "hidden"}),
        ("qwen/qwen2.5-32b", 800, {}),
    ],
)
async def test_groq_leaves_room_where_a_model_thinks_and_keeps_it_hidden(
    model_name: str, cap: int, hiding: dict[str, Any]
) -> None:
    wire = WIRES["groq"]
    with serve(wire.answers(READING)) as server:
        model = known_providers()["groq"].build(ModelOptions(model_name, SecretStr(KEY), server.url))
        await model.answer(PROMPT, 5)
        await model.close()
    body = server.requests[0]["body"]
    assert wire.cap_of(body) == cap
    assert {name: body[name] for name in HIDING if name in body} == hiding
