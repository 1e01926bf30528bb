"""Who is asked, how often, and what each failure leads to."""

from __future__ import annotations

import asyncio

import pytest

from app.errors import Fault, ModelError
from app.llm.base import Prompt
from app.llm.breaker import MAX_PAUSE_S, Breaker
from app.llm.cache import SLOW, UNREADABLE, MemoryCache, cache_key
from app.llm.call import WAYS, Called, Caller, Member
from app.llm.schema import RouterAnswer
from tests.models import Clock, FakeModel, a_caller

GOOD = '{"intent": "recommend"}'
PROMPT = Prompt("v1", "read", "[]", {}, 800)
SMALL = Prompt("v1", "read", "[]", {}, 400)


async def ask(
    caller: Caller, budget_s: float = 20.0, prompt: Prompt = PROMPT
) -> tuple[RouterAnswer | Fault, Called]:
    called = Called()
    try:
        return await caller.call(prompt, smaller, budget_s, called), called
    except ModelError as exc:
        return exc.fault, called


async def smaller() -> Prompt:
    return SMALL


def fails(fault: Fault, after: float | None = None) -> ModelError:
    return ModelError(fault, "x", retry_after_s=after)


def test_every_fault_of_a_call_has_its_way() -> None:
    assert set(Fault) - set(WAYS) == {Fault.PAUSED, Fault.INTERNAL}


@pytest.mark.parametrize(
    ("error", "calls", "slept"),
    [
        (fails(Fault.TIMEOUT), 2, []),
        (fails(Fault.CONNECTION), 2, []),
        (fails(Fault.SERVER), 2, []),
        (fails(Fault.RATE, 2.0), 2, [2.0]),
        (fails(Fault.RATE), 2, [1.0]),
        (fails(Fault.RATE, 45.0), 1, []),
        (fails(Fault.QUOTA, 741.0), 1, []),
        (fails(Fault.QUOTA), 1, []),
        (fails(Fault.AUTH), 1, []),
        (fails(Fault.REQUEST), 1, []),
        (fails(Fault.TOO_LARGE), 2, []),
        (fails(Fault.EMPTY), 1, []),
        (fails(Fault.BLOCKED), 1, []),
        (fails(Fault.CUT_OFF), 1, []),
        (fails(Fault.NO_RECORDING), 1, []),
    ],
)
async def test_one_provider_is_asked_again_only_where_that_can_help(
    error: ModelError, calls: int, slept: list[float]
) -> None:
    clock, model = Clock(), FakeModel([error])
    fault, called = await ask(a_caller(model, clock=clock))
    assert fault is error.fault
    assert len(model.prompts) == len(called.attempts) == calls
    assert clock.slept == slept


@pytest.mark.parametrize(
    "fault",
    [Fault.RATE, Fault.QUOTA, Fault.AUTH, Fault.REQUEST, Fault.TIMEOUT, Fault.SERVER, Fault.CONNECTION],
)
async def test_a_second_provider_takes_over(fault: Fault) -> None:
    first, second, third = FakeModel([fails(fault)]), FakeModel([GOOD]), FakeModel([GOOD])
    answer, called = await ask(a_caller(first, second, third))
    assert isinstance(answer, RouterAnswer)
    assert called.attempts == [f"one:{fault}", "two:ok"]
    assert third.prompts == []


async def test_two_attempts_are_all_there_is() -> None:
    models = [FakeModel([fails(Fault.SERVER)]) for _ in range(3)]
    fault, _ = await ask(a_caller(*models))
    assert fault is Fault.SERVER
    assert [len(model.prompts) for model in models] == [1, 1, 0]


async def test_a_bad_answer_is_an_answer() -> None:
    first, second = FakeModel(["no JSON"]), FakeModel([GOOD])
    fault, called = await ask(a_caller(first, second))
    assert fault is Fault.MALFORMED
    assert second.prompts == []
    assert called.input_tokens == 900


async def test_too_large_is_tried_once_with_less() -> None:
    model = FakeModel([fails(Fault.TOO_LARGE), GOOD])
    answer, _ = await ask(a_caller(model))
    assert isinstance(answer, RouterAnswer)
    assert model.prompts == [PROMPT, SMALL]


@pytest.mark.parametrize(("budget_s", "calls"), [(-1.0, 0), (0.4, 0), (2.0, 1), (20.0, 2)])
async def test_no_call_and_no_wait_goes_beyond_the_budget(budget_s: float, calls: int) -> None:
    clock, model = Clock(), FakeModel([fails(Fault.RATE, 2.5)])
    start = clock.now
    await ask(a_caller(model, clock=clock), budget_s)
    assert len(model.prompts) == calls
    assert clock.now - start <= max(budget_s, 0)


async def test_a_provider_that_keeps_failing_is_skipped_and_then_tried_with_one_call() -> None:
    clock, model = Clock(), FakeModel([fails(Fault.SERVER)])
    caller = a_caller(model, clock=clock, failures=3)
    await ask(caller)
    await ask(caller)
    assert len(model.prompts) == 3
    assert (await ask(caller))[0] is Fault.PAUSED
    clock.now += 31
    model.plan = [GOOD]
    assert isinstance((await ask(caller))[0], RouterAnswer)
    assert isinstance((await ask(caller))[0], RouterAnswer)


async def test_what_the_user_wrote_says_nothing_of_the_provider() -> None:
    model = FakeModel([fails(Fault.BLOCKED)])
    caller = a_caller(model, failures=1)
    for _ in range(3):
        assert (await ask(caller))[0] is Fault.BLOCKED


async def test_a_quota_pauses_until_the_stated_time() -> None:
    clock, model = Clock(), FakeModel([fails(Fault.QUOTA, 741.0), GOOD])
    caller = a_caller(model, clock=clock)
    await ask(caller)
    clock.now += 700
    assert (await ask(caller))[0] is Fault.PAUSED
    clock.now += 42
    assert isinstance((await ask(caller))[0], RouterAnswer)


async def test_a_call_that_is_given_up_leaves_the_breaker_free() -> None:
    class Slow(FakeModel):
        async def answer(self, prompt: Prompt, timeout_s: float):  # type: ignore[no-untyped-def]
            await asyncio.sleep(60)

    clock = Clock()
    slow = Slow([])
    caller = a_caller(slow, clock=clock, failures=1)
    call = asyncio.create_task(ask(caller))
    await asyncio.sleep(0.01)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    second = asyncio.create_task(ask(caller))
    await asyncio.sleep(0.01)
    assert not second.done()
    second.cancel()


def test_only_one_call_probes_a_paused_provider() -> None:
    clock = Clock()
    breaker = Breaker(2, 30.0, clock)
    assert breaker.take()
    breaker.fail()
    assert breaker.take()
    breaker.fail()
    assert not breaker.take()
    clock.now += 30
    assert breaker.take()
    assert not breaker.take()
    breaker.release()
    assert breaker.take()
    breaker.fail()
    assert not breaker.take()
    clock.now += 30
    assert breaker.take()
    breaker.succeed()
    assert breaker.take()
    assert breaker.take()


def test_a_stated_time_is_believed_up_to_an_hour() -> None:
    clock = Clock()
    breaker = Breaker(3, 30.0, clock)
    breaker.fail(at_once=True, pause_s=10 * MAX_PAUSE_S)
    clock.now += MAX_PAUSE_S
    assert breaker.take()


async def test_a_remembered_answer_costs_no_call_until_its_time_is_over() -> None:
    clock, model = Clock(), FakeModel([GOOD])
    caller = a_caller(model, clock=clock, cache=MemoryCache(10, clock))
    await ask(caller)
    answer, called = await ask(caller)
    assert isinstance(answer, RouterAnswer)
    assert (called.cached, called.attempts, called.provider) == (True, [], "one")
    assert len(model.prompts) == 1
    clock.now += 601
    await ask(caller)
    assert len(model.prompts) == 2


@pytest.mark.parametrize("step", ['{"intent": "refuse"}', "no JSON", fails(Fault.EMPTY)])
async def test_errors_and_refusals_are_not_remembered(step: str | Exception) -> None:
    clock, model = Clock(), FakeModel([step])
    caller = a_caller(model, clock=clock, cache=MemoryCache(10, clock))
    await ask(caller)
    await ask(caller)
    assert len(model.prompts) == 2


async def test_the_one_used_longest_ago_is_forgotten() -> None:
    clock = Clock()
    cache = MemoryCache(2, clock)
    for key in ("a", "b"):
        await cache.put(key, key, 60)
    assert await cache.get("a") == "a"
    await cache.put("c", "c", 60)
    assert [await cache.get(key) for key in ("a", "b", "c")] == ["a", None, "c"]


def test_a_key_depends_on_everything_that_shapes_an_answer() -> None:
    others = [
        Prompt("v2", "read", "[]", {}, 800),
        Prompt("v1", "read it", "[]", {}, 800),
        Prompt("v1", "read", "[1]", {}, 800),
        Prompt("v1", "read", "[]", {"type": "object"}, 800),
        SMALL,
    ]
    keys = {cache_key(prompt, "groq", "m") for prompt in (PROMPT, *others)}
    keys |= {cache_key(PROMPT, "gemini", "m"), cache_key(PROMPT, "groq", "n")}
    assert len(keys) == 8
    assert cache_key(PROMPT, "groq", "m") == cache_key(Prompt("v1", "read", "[]", {}, 800), "groq", "m")


def two_keys(first: Exception, *more: FakeModel) -> tuple[Caller, tuple[FakeModel, ...]]:
    """A provider with two keys, and other providers behind."""
    clock = Clock()
    models = (FakeModel([first]), FakeModel([GOOD]), *more)
    names = ("one", "one#2", "two")
    members = [
        Member(name, model, Breaker(3, 30.0, clock), name.partition("#")[0])
        for name, model in zip(names, models, strict=False)
    ]
    return Caller(members, timeout_s=8.0, clock=clock, sleep=clock.sleep), models


@pytest.mark.parametrize(
    ("fault", "attempts"),
    [
        (Fault.QUOTA, ["one:quota", "one#2:ok"]),
        (Fault.RATE, ["one:rate", "one#2:ok"]),
        (Fault.AUTH, ["one:auth", "one#2:ok"]),
        (Fault.REQUEST, ["one:request"]),
        (Fault.TIMEOUT, ["one:timeout", "one:timeout"]),
        (Fault.CONNECTION, ["one:connection", "one:connection"]),
        (Fault.MALFORMED, ["one:malformed"]),
    ],
)
async def test_another_key_is_tried_where_it_can_help_and_only_there(
    fault: Fault, attempts: list[str]
) -> None:
    caller, models = two_keys(fails(fault))
    _, called = await ask(caller)
    assert called.attempts == attempts
    assert sum(len(model.prompts) for model in models) == len(attempts)


@pytest.mark.parametrize("fault", [Fault.REQUEST, Fault.CONNECTION, Fault.SERVER])
async def test_another_provider_is_tried_before_a_key_that_cannot_help(fault: Fault) -> None:
    caller, _ = two_keys(fails(fault), FakeModel([GOOD]))
    _, called = await ask(caller)
    assert called.attempts == [f"one:{fault}", "two:ok"]


async def test_each_key_is_skipped_for_itself() -> None:
    caller, models = two_keys(fails(Fault.QUOTA, 741.0))
    for _ in range(3):
        _, called = await ask(caller)
    assert called.attempts == ["one#2:ok"]
    assert [len(model.prompts) for model in models] == [1, 3]


class _Store:
    """Holds one text for every key, and is slow where it is told to be."""

    def __init__(self, text: str | None, *, slow: tuple[str, ...] = ()) -> None:
        self.text = text
        self.slow = slow

    async def get(self, _: str) -> str | None:
        await asyncio.sleep(60 if "get" in self.slow else 0)
        return self.text

    async def put(self, key: str, text: str, ttl_s: float) -> None:
        await asyncio.sleep(60 if "put" in self.slow else 0)


@pytest.mark.parametrize(
    ("store", "notes", "calls"),
    [
        (_Store(GOOD), [], 0),
        (_Store(GOOD, slow=("get",)), [SLOW], 1),
        (_Store(None, slow=("put",)), [SLOW], 1),
        (_Store("rubbish"), [UNREADABLE], 1),
        (_Store(None), [], 1),
    ],
)
async def test_a_store_that_is_slow_or_broken_holds_nothing(
    store: _Store, notes: list[str], calls: int
) -> None:
    model = FakeModel([GOOD])
    async with asyncio.timeout(10):
        reading, called = await ask(a_caller(model, cache=store))
    assert isinstance(reading, RouterAnswer)
    assert (called.notes, len(model.prompts), called.cached) == (notes, calls, not calls)


async def test_two_bad_keys_use_up_a_turn_and_the_next_one_goes_to_the_provider_behind() -> None:
    caller, models = two_keys(fails(Fault.AUTH), FakeModel([GOOD]))
    models[1].plan = [fails(Fault.AUTH)]
    (first, lost), (second, found) = [await ask(caller) for _ in range(2)]
    assert (first, lost.attempts) == (Fault.AUTH, ["one:auth", "one#2:auth"])
    assert isinstance(second, RouterAnswer)
    assert found.attempts == ["two:ok"]
