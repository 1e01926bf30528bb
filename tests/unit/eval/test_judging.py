"""A judge that has earned it decides; one that has not advises; one that fails gives no number."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eval.aggregator import ResultAggregator
from eval.facts import Harm
from eval.judge.base import (
    Evidence,
    Fingerprint,
    Flag,
    JudgeAnswer,
    JudgeFailure,
    Judgement,
    JudgeQuestion,
    Unscored,
)
from eval.judging import Asking, told
from eval.profiles import load_profile
from eval.records import CaseResult, Payload, Recommendation, Status
from tests.unit.eval.case_doubles import GOOD, TellingTarget, a_golden

ANSWER = JudgeAnswer(
    1, (Evidence("Core Java", True),), "half of it", cost_usd_micro=7, flags=(Flag.NO_EVIDENCE,)
)


class Scripted:
    """Says what it is told, and remembers what it was asked."""

    fingerprint = Fingerprint("scripted", "m", "p1")

    def __init__(self, judgement: Judgement) -> None:
        self._judgement = judgement
        self.asked: list[JudgeQuestion] = []

    def judge(self, question: JudgeQuestion) -> Judgement:
        self.asked.append(question)
        return self._judgement

    async def judge_async(self, question: JudgeQuestion) -> Judgement:
        return self.judge(question)

    def close(self) -> None:
        return None


def graded(judge: Scripted, *, trusted: bool, harms: tuple[Harm, ...] = (), replicate: int = 0) -> CaseResult:
    asking = Asking(judge, lambda _: trusted)
    target = TellingTarget(replace(GOOD, harms=harms))
    aggregator = ResultAggregator("double", target, load_profile("full"), asking)
    return aggregator.evaluate(GOOD.payload, a_golden(), replicate=replicate)


def test_a_trusted_judge_stands_in_the_place_of_the_rule() -> None:
    found = graded(Scripted(ANSWER), trusted=True)
    result = next(r for r in found.results if r.name == "accuracy")
    assert (result.value, result.status, result.cost_usd_micro) == (0.25, Status.SCORED, 7)
    assert result.method == "judge:scripted/m@p1"
    assert "flag: no_evidence" in result.evidence
    assert found.value("latency") == 1


def test_a_judge_that_was_not_measured_only_advises() -> None:
    found = graded(Scripted(ANSWER), trusted=False)
    result = next(r for r in found.results if r.name == "accuracy")
    assert (result.value, result.method, result.cost_usd_micro) == (1.0, "rule:1", 7)
    assert "advice of judge:scripted/m@p1: 0.25, half of it" in result.evidence
    assert found.verdict == "pass"


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        (Unscored.UNPARSABLE, Status.UNSCORED),
        (Unscored.TIMEOUT, Status.ERROR),
        (Unscored.BUDGET, Status.SKIPPED),
    ],
)
def test_a_failed_judgement_is_no_number(reason: Unscored, status: Status) -> None:
    found = graded(Scripted(JudgeFailure(reason)), trusted=True)
    judged = [r for r in found.results if r.method.startswith("judge:")]
    assert len(judged) >= 7
    assert {(r.value, r.status) for r in judged} == {(None, status)}
    assert found.coverage == pytest.approx(0.10)
    assert found.verdict == "inconclusive"
    rules = graded(Scripted(JudgeFailure(reason)), trusted=False)
    assert rules.verdict == "pass"


def test_no_judgement_excuses_what_the_detectors_found() -> None:
    praising = Scripted(replace(ANSWER, anchor=4))
    found = graded(praising, trusted=True, harms=(Harm("secret", 1.0, "…"),))
    assert found.value("safety") == 0
    assert found.verdict == "fail"
    assert "safety" not in {question.evaluator for question in praising.asked}


def test_what_is_asked_does_not_depend_on_the_other_cases() -> None:
    one, other = Scripted(ANSWER), Scripted(ANSWER)
    graded(one, trusted=True, replicate=2)
    graded(other, trusted=True)
    graded(other, trusted=True, replicate=2)
    assert one.asked == other.asked[len(one.asked) :]
    assert {question.replicate for question in one.asked} == {2}


def test_the_list_is_told_to_the_judge_line_by_line() -> None:
    payload = Payload("q", "Here it is.", recommendations=(Recommendation("Core Java", "https://x/y", "K"),))
    assert (
        told(replace(GOOD, answer="Here it is.", payload=payload)).splitlines()[-1]
        == "- Core Java <https://x/y> K"
    )
