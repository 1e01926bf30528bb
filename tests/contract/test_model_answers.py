"""What a model may answer, sent through each provider's own library: the turn stays whole."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from app.api.chat import to_wire
from app.api.dependencies import CatalogSide
from app.records import Act, History, Reply, TurnTrace
from tests.contract.test_language_models import FAILURES
from tests.model_server import WIRES, ModelServer, Served, Wire, serve
from tests.models import a_history, inline, provider_settings, with_provider

NEED = "Mid-level data engineer: SQL, Python"


@pytest.fixture(params=sorted(WIRES))
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def wire(provider: str) -> Wire:
    return WIRES[provider]


async def ask(
    side: CatalogSide, provider: str, history: History, *plan: Served
) -> tuple[Reply, TurnTrace, ModelServer]:
    """One turn with a server that answers as planned."""
    with serve(*plan) as server:
        routed = with_provider(side, provider_settings(provider, server.url)).routed
        assert routed is not None
        deadline = asyncio.get_running_loop().time() + 12
        reply, trace = await routed.respond(history, deadline, inline)
        await routed.router.close()
    return reply, trace, server


@pytest.mark.parametrize(
    ("answer", "why", "notes"),
    [
        ('{"intent": "RECOMMEND", "constraints": {"test_types": []}}', "answered", ()),
        ('{"intent": "RECOMMEND", "constraints": {"test_types": null}}', "answered", ("wrong_types",)),
        ("{}", "malformed", ()),
        ('{"intent": 7}', "malformed", ()),
        ('{"intent": "recommend", "search_query": ["sql", "python"]}', "answered", ("wrong_types",)),
        ('{"intent": "recommend", "skills": "SQL, Python"}', "answered", ("misplaced_keys",)),
        ('[{"intent": "recommend", "search_query": "sql"}]', "answered", ("text_around",)),
        ('<think>maybe {"intent": "refuse"}? no</think>{"intent": "recommend"}', "answered", ("reasoning",)),
        ('{"intent": "recommend"}{"intent": "recommend"}', "answered", ("several_objects",)),
        ("{'intent': 'recommend',}", "answered", ("near_json",)),
        ('{"intent": "suggest"}', "answered", ("synonym",)),
        ('{"intent": "recommend", "mood": 1}', "answered", ("extra_keys",)),
        ("I would rather talk about the weather.", "malformed", ()),
        ('{"intent": "recommend", "constraints": {"role": "tax acc', "malformed", ()),
        ("[" * 5_000, "malformed", ()),
    ],
)
async def test_any_form_gives_a_list_in_one_call(
    answer: str, why: str, notes: tuple[str, ...], provider: str, wire: Wire, catalog_side: CatalogSide
) -> None:
    reply, trace, server = await ask(catalog_side, provider, a_history(NEED), wire.answers(answer))
    assert {"sql-new", "python-new"} <= set(reply.recommendations)
    assert (trace.routing.why, trace.routing.notes) == (why, notes)
    assert trace.routing.degraded is (why == "malformed")
    assert len(server.requests) == 1


async def test_thoughts_reach_neither_the_user_nor_the_log(
    provider: str, wire: Wire, catalog_side: CatalogSide
) -> None:
    for ending in ('</think>{"intent": "recommend"}', ""):
        with capture_logs() as logged:
            reply, _, _ = await ask(
                catalog_side, provider, a_history(NEED), wire.answers(f"<think>zebra crossing {ending}")
            )
        assert reply.recommendations
        assert "zebra" not in f"{reply.text}{logged}"


async def test_the_reason_for_an_early_end_is_logged_and_the_half_is_not_used(
    provider: str, wire: Wire, catalog_side: CatalogSide
) -> None:
    half = '{"intent": "refuse", "constraints": {"role": "tax acc'
    with capture_logs() as logged:
        reply, trace, server = await ask(
            catalog_side, provider, a_history(NEED), wire.answers(half, "length")
        )
    assert reply == catalog_side.responder.respond(a_history(NEED))[0]
    assert trace.routing.why == "cut_off"
    (line,) = [entry for entry in logged if entry["event"] == "model_call_failed"]
    assert line["detail"].lower().rstrip().endswith(("finish reason length", "finish reason max_tokens"))
    assert len(server.requests) == 1


@pytest.mark.parametrize(("word", "last"), [("false", False), ("no", False), (False, False)])
async def test_a_no_written_as_text_is_a_no(
    word: Any, last: bool, provider: str, wire: Wire, catalog_side: CatalogSide
) -> None:
    answer = {
        "intent": "recommend",
        "include_personality": word,
        "done": word,
        "quick": word,
        "edits": {"undo": word},
        "search_query": "warehouse pickers excel",
    }
    history = a_history("Stock clerks, Excel is all that matters, no personality test")
    reply, trace, _ = await ask(catalog_side, provider, history, wire.answers(json.dumps(answer)))
    types = {kind for listed in reply.recommendations for kind in catalog_side.catalog[listed].types}
    assert reply.recommendations
    assert "P" not in types
    assert not trace.understanding.limits.quick
    assert to_wire(reply, catalog_side).end_of_conversation is last


@pytest.mark.parametrize(
    "answer",
    ['{"intent": " recommend "}', '{"intent": "SHORTLIST"}', '{"intent": ["RECOMMEND"]}', '{"intent": 7}'],
)
async def test_no_spelling_of_an_intent_declines_a_need(
    answer: str, provider: str, wire: Wire, catalog_side: CatalogSide
) -> None:
    history = a_history("Ice cream parlour staff: cheerful and quick, entry level")
    reply, trace, _ = await ask(catalog_side, provider, history, wire.answers(answer))
    assert trace.decision.act is not Act.REFUSE
    assert reply.recommendations == catalog_side.responder.respond(history)[0].recommendations


async def test_what_is_too_large_is_sent_once_more_with_less_and_its_far_end_stays(
    provider: str, wire: Wire, catalog_side: CatalogSide
) -> None:
    text = (
        f"{'We are a friendly place with a long history and a canteen. ' * 600} They must know PHP and Linux."
    )
    plan = (wire.fails(413, "asked 15300 tokens"), wire.answers('{"intent": "recommend"}'))
    reply, trace, server = await ask(catalog_side, provider, a_history(text), *plan)
    first, second = (request["body"] for request in server.requests)
    assert wire.cap_of(second) < wire.cap_of(first) <= 4_000
    assert len(json.dumps(second)) < len(json.dumps(first))
    assert "PHP and Linux" in json.dumps(second)
    assert trace.routing.attempts == (f"{provider}:too_large", f"{provider}:ok")
    assert "php-new" in reply.recommendations
    assert any("linux" in listed for listed in reply.recommendations)


@pytest.mark.parametrize("known", [False, True])
async def test_invented_products_are_compared_by_nobody(
    known: bool, provider: str, wire: Wire, catalog_side: CatalogSide
) -> None:
    names = ["OPQ32r", "MQM5"] if known else ["OPQ64x", "Verify Ultra"]
    prose = f"{names[0]} has more scales than {names[1]}."
    answer = json.dumps({"intent": "compare", "named_assessments": names, "reply_text": prose})
    history = a_history(f"Compare the {names[0]} with {names[1]}")
    reply, trace, _ = await ask(catalog_side, provider, history, wire.answers(answer))
    assert (len(trace.understanding.compared) == 2) is known
    assert (trace.understanding.unknown_names == ()) is known
    assert ("more scales" in reply.text) is known
    assert reply.recommendations == ()


FOREIGN = "https://shop.example.com/best-test"


async def test_no_address_and_no_id_of_a_model_reaches_the_reply(
    provider: str, wire: Wire, catalog_side: CatalogSide
) -> None:
    odd = [FOREIGN, "best-test", "assessment-9999"]
    parts = dict.fromkeys(("add", "only", "keep", "drop", "replace"), odd)
    answer = json.dumps(
        {
            "intent": "recommend",
            "constraints": {"role": FOREIGN, "family": FOREIGN, "skills": odd, "accent": FOREIGN},
            "search_query": FOREIGN,
            "named_assessments": odd,
            "recommendations": [{"name": "Best Test", "url": FOREIGN}],
            "edits": parts,
            "reply_text": f"Take {FOREIGN}",
        }
    )
    history = a_history("We need people for our place in the north, see best-test")
    reply, trace, _ = await ask(catalog_side, provider, history, wire.answers(answer))
    assert trace.routing.why == "answered"
    said = to_wire(reply, catalog_side)
    assert "example.com" not in said.model_dump_json()
    addresses = {assessment.url for assessment in catalog_side.catalog}
    assert {item.url for item in said.recommendations} <= addresses


async def test_a_provider_that_keeps_failing_is_left_alone_and_then_tried_with_one_call(
    provider: str, wire: Wire, catalog_side: CatalogSide
) -> None:
    with serve(wire.fails(500), wire.fails(500), wire.answers('{"intent": "recommend"}')) as server:
        settings = provider_settings(provider, server.url, breaker_failures=2, breaker_pause_s=1.5)
        routed = with_provider(catalog_side, settings).routed
        assert routed is not None

        async def reads() -> tuple[str, int]:
            deadline = asyncio.get_running_loop().time() + 12
            _, trace = await routed.respond(a_history(NEED), deadline, inline)
            return trace.routing.why, len(server.requests)

        assert await reads() == ("server", 2)
        assert await reads() == ("paused", 2)
        await asyncio.sleep(1.6)
        assert await reads() == ("answered", 3)
        await routed.router.close()


@pytest.mark.parametrize(("ttl_s", "calls"), [(60, 1), (0, 2)])
async def test_a_remembered_answer_is_no_call(
    ttl_s: float, calls: int, provider: str, wire: Wire, catalog_side: CatalogSide
) -> None:
    with serve(wire.answers('{"intent": "recommend"}')) as server:
        settings = provider_settings(provider, server.url, cache_ttl_s=ttl_s)
        routed = with_provider(catalog_side, settings).routed
        assert routed is not None
        turns = [await routed.respond(a_history(NEED), None, inline) for _ in range(2)]
        await routed.router.close()
    (first, _), (second, trace) = turns
    assert second == first
    assert len(server.requests) == calls
    assert (trace.routing.why, trace.routing.cached) == (
        ("answer remembered", True) if calls == 1 else ("answered", False)
    )


@pytest.mark.parametrize(
    "failure", [None, "429 for the day", "429 for seconds", "401", "400", "connection lost"]
)
async def test_another_provider_takes_over_with_one_call(
    failure: str | None, provider: str, wire: Wire, catalog_side: CatalogSide
) -> None:
    behind = "groq" if provider == "openai" else "openai"
    good = '{"intent": "recommend"}'
    plan = FAILURES[failure][0](wire) if failure else wire.answers(good)
    with serve(plan) as first, serve(WIRES[behind].answers(good)) as second:
        settings = provider_settings(provider, first.url).model_copy(
            update={
                "llm_provider": f"{provider},{behind}",
                f"{behind}_api_key": SecretStr("another-key-of-ours"),
                f"{behind}_base_url": WIRES[behind].address(second.url),
            }
        )
        routed = with_provider(catalog_side, settings).routed
        assert routed is not None
        reply, trace = await routed.respond(a_history(NEED), None, inline)
        await routed.router.close()
    assert reply.recommendations
    assert (trace.routing.router, trace.routing.degraded) == (behind if failure else provider, False)
    assert (len(first.requests), len(second.requests)) == (1, 1 if failure else 0)
