from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.errors import JudgeError
from eval.judge.base import JudgeAnswer, JudgeFailure, Unscored, Usage
from eval.judge.ledger import Account, Ledger, dollars
from eval.judge.prices import Price, PriceTable, estimate_tokens
from eval.judge.registry import known_judges

TOKENS = st.integers(0, 10**7)
PRICE = Price(input=1_000_000, cached_input=100_000, cache_write=1_250_000, output=5_000_000)


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(1_000_000), 1_000_000),
        (Usage(0, 1_000_000), 100_000),
        (Usage(0, 0, 1_000_000), 1_250_000),
        (Usage(0, 0, 0, 1_000_000), 5_000_000),
        (Usage(1_000, 2_000, 400, 100), 1_000 + 200 + 500 + 500),
        (Usage(), 0),
        (Usage(0, 1), 1),
    ],
)
def test_each_class_of_token_has_its_price_and_fractions_round_up(usage: Usage, cost: int) -> None:
    assert PRICE.cost(usage) == cost


def test_a_class_without_a_price_costs_what_input_does() -> None:
    price = Price(input=2_000_000, output=0)
    assert price.cost(Usage(0, 1_000_000, 1_000_000)) == 4_000_000


@given(TOKENS, TOKENS, TOKENS, TOKENS)
def test_costs_are_whole_and_never_fall_with_more_tokens(a: int, b: int, c: int, d: int) -> None:
    cost = PRICE.cost(Usage(a, b, c, d))
    assert isinstance(cost, int)
    assert PRICE.cost(Usage(a + 1, b, c, d)) >= cost
    assert PRICE.cost(Usage(a, b, c, d + 1)) >= cost


def test_every_default_model_has_a_price() -> None:
    table = PriceTable.load()
    assert all(table.find(spec.name, spec.default_model) for spec in known_judges().values())


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("gpt-4o-mini", True),
        ("gpt-4o-mini-2024-07-18", True),
        ("gpt-4o-mini-audio-preview", False),
        ("gpt-4o-minimal", False),
        ("llama3", False),
    ],
)
def test_a_dated_model_costs_what_its_kind_does_and_a_namesake_does_not(model: str, known: bool) -> None:
    assert (PriceTable.load().find("openai", model) is not None) is known


def test_the_same_model_elsewhere_has_no_price() -> None:
    assert PriceTable.load().find("groq", "gpt-4o-mini") is None


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"version": "1", "models": {"a": {"b": {"input": -1, "output": 1}}}}']
)
def test_prices_that_cannot_be_used_say_where(tmp_path: Path, content: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(content)
    with pytest.raises(JudgeError, match=r"prices\.json"):
        PriceTable.load(path)
    with pytest.raises(JudgeError, match="No such file"):
        PriceTable.load(tmp_path / "none.json")


def test_own_prices_are_read(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"version": "1", "models": {"openai": {"m": {"input": 1, "output": 2}}}}))
    assert PriceTable.load(path).find("openai", "m") == Price(input=1, output=2)


def test_estimates_are_rather_high() -> None:
    assert estimate_tokens("word " * 400) >= 400
    assert estimate_tokens("हिन्दी") >= 6
    assert estimate_tokens("") > 0


def test_accounts_add_up_to_the_total() -> None:
    ledger = Ledger()
    ledger.enter("accuracy", JudgeAnswer(3, (), "a", Usage(10, output_tokens=5), 7))
    ledger.enter("accuracy", JudgeAnswer(3, (), "a", Usage(10), 0, cached=True, attempts=0), 7)
    ledger.enter("safety", JudgeFailure(Unscored.SERVER, usage=Usage(4), cost_usd_micro=2, attempts=3))
    ledger.enter("safety", JudgeAnswer(3, (), "a", Usage(10), None))
    accuracy, safety = ledger.accounts["accuracy"], ledger.accounts["safety"]
    assert ledger.total == accuracy + safety
    assert accuracy == Account(2, 2, 1, 1, Usage(10, output_tokens=5), 7, 0, 7)
    assert (safety.judgements, safety.scored, safety.calls, safety.cost_usd_micro, safety.unpriced) == (
        2,
        1,
        4,
        2,
        1,
    )


def test_a_limit_counts_what_is_spent_held_and_carried_over() -> None:
    ledger = Ledger(100)
    assert ledger.hold(60)
    assert not ledger.hold(41), "two calls at once might pass it together"
    assert ledger.hold(40)
    ledger.settle(60, 10)
    assert not ledger.hold(51)
    assert ledger.hold(50)
    resumed = Ledger(100)
    resumed.carry_over({"accuracy": Account(judgements=3, cost_usd_micro=90)})
    assert not resumed.hold(11)
    assert resumed.total.judgements == 3


def test_no_limit_holds_nothing_back() -> None:
    assert Ledger().hold(10**12)


def test_dollars_for_people() -> None:
    assert dollars(1_234_567) == "$1.2346"
    assert dollars(0, at_least=True) == "at least $0.0000"
