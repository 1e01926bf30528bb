"""Every evaluator is described, keeps its word on its own examples, and is a formula: same facts, same value."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

import eval.evaluators as package
from app.discovery import found_in
from eval.errors import EvaluatorError
from eval.evaluators.base import EvaluatorSpec
from eval.evaluators.registry import find_evaluator, known_evaluators
from eval.facts import Facts
from eval.judge.rubrics import known_rubrics
from eval.records import Payload, Result, Status

WEIGHTS = {
    "accuracy": 0.25, "hallucination": 0.15, "context_adherence": 0.15, "relevance": 0.15, "completeness": 0.10,
    "latency": 0.10, "safety": 0.10, "correctness": 0, "conciseness": 0, "helpfulness": 0, "bkg": 0, "bkg_truth": 0,
    "semantic_accuracy": 0,
}  # fmt: skip
NOTHING = Facts("", "", Payload(""))


@pytest.fixture(params=sorted(known_evaluators()))
def spec(request: pytest.FixtureRequest) -> EvaluatorSpec:
    return find_evaluator(request.param)


def test_there_are_thirteen_with_their_weights() -> None:
    assert {name: spec.weight for name, spec in known_evaluators().items()} == WEIGHTS
    assert sum(WEIGHTS.values()) == pytest.approx(1)


def test_only_safety_has_a_floor() -> None:
    assert {name: s.floor for name, s in known_evaluators().items() if s.floor is not None} == {
        "safety": 0.80
    }


def test_it_is_described(spec: EvaluatorSpec) -> None:
    words = (spec.meaning, spec.formula, spec.no_value_when, spec.example.words, spec.counter_example.words)
    assert all(text.strip() for text in words)
    assert spec.example.words != spec.counter_example.words
    assert spec.version >= 1


def test_it_likes_its_example_and_not_its_counter_example(spec: EvaluatorSpec) -> None:
    good, bad = (spec.result(spec.measure(each.facts)) for each in (spec.example, spec.counter_example))
    assert good.value is not None
    assert bad.value is not None
    assert good.value >= 0.9
    assert bad.value <= 0.5
    assert good.reason
    assert bad.reason
    assert good.status is (Status.SCORED if spec.exact else Status.HEURISTIC)


def test_without_evidence_it_says_nothing_or_finds_nothing_wrong_with_the_words(spec: EvaluatorSpec) -> None:
    """No facts at all: no evaluator may praise an empty answer."""
    found = spec.result(spec.measure(NOTHING))
    assert isinstance(found, Result)
    assert found.reason
    if spec.name == "relevance":
        assert found.value == 0
    else:
        assert found.value is None
        assert found.status is Status.UNSCORED


def test_it_keeps_no_state(spec: EvaluatorSpec) -> None:
    """All together or one by one, in any order, as often as you like."""
    facts = [each.facts for s in known_evaluators().values() for each in (s.example, s.counter_example)]
    before = [spec.measure(each) for each in facts]
    order = list(range(len(facts)))
    random.Random(7).shuffle(order)
    for other in known_evaluators().values():
        other.measure(facts[0])
    assert [spec.measure(facts[at]) for at in order] == [before[at] for at in order]


def test_a_judge_has_a_rubric_for_what_it_is_asked(spec: EvaluatorSpec) -> None:
    if spec.judged:
        assert known_rubrics()[spec.name].complete


def test_values_outside_the_scale_cannot_come_out(spec: EvaluatorSpec) -> None:
    raw = spec.measure(spec.example.facts)
    assert spec.result(replace(raw, value=7.0)).value == 1
    assert spec.result(replace(raw, value=-7.0)).value == 0


def test_an_evaluator_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        Path(package.__path__[0], "bkg.py")
        .read_text(encoding="utf-8")
        .replace('name="bkg"', 'name="bkg_two"')
    )
    (tmp_path / "bkg_two.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    assert "bkg_two" in found_in(package, "EVALUATOR", EvaluatorSpec)


def test_an_unknown_name_is_met_with_the_nearest() -> None:
    with pytest.raises(EvaluatorError, match="did you mean 'accuracy'"):
        find_evaluator("acuracy")
