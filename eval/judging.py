"""Lets evaluators ask a judge. A judge that has not earned it only advises; a failed judgement is never a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from eval.evaluators.base import EvaluatorSpec
from eval.facts import Facts
from eval.golden import GoldenCase
from eval.judge.base import Judge, JudgeAnswer, JudgeFailure, JudgeQuestion
from eval.judge.registry import build_judge
from eval.judge.rubrics import known_rubrics
from eval.judge.settings import load_judge_settings
from eval.judge.trust import may_gate
from eval.records import Result, Status
from eval.store import STORE

CACHE = STORE / "judge_cache.db"
_FAILED = {"unscored": Status.UNSCORED, "error": Status.ERROR, "skipped": Status.SKIPPED}
Trusted = Callable[[str], bool]
"""Whether the judge may decide about the dimension of this name."""


class Asking:
    """Puts the dimensions of a case to a judge."""

    def __init__(self, judge: Judge, trusted: Trusted) -> None:
        """Ask `judge`; its score stands where `trusted` says so, elsewhere it goes beside that of the rules."""
        self._judge = judge
        self._trusted = trusted

    def __call__(
        self, spec: EvaluatorSpec, facts: Facts, case: GoldenCase, ruled: Result, replicate: int
    ) -> Result:
        """The judgement of one dimension, or `ruled` (what the rules found) with the judge's advice in its evidence."""
        rubric = known_rubrics().get(spec.name)
        if rubric is None:
            return ruled
        question = JudgeQuestion(
            evaluator=spec.name,
            rubric=rubric,
            question=facts.question,
            answer=told(facts),
            context=facts.context,
            expected=facts.expected_answer or None,
            replicate=replicate,
            evaluator_version=str(spec.version),
            case_id=case.id,
        )
        judgement = self._judge.judge(question)
        trusted = self._trusted(spec.name)
        if isinstance(judgement, JudgeFailure):
            return self._without(judgement, ruled, trusted=trusted)
        return self._with(judgement, ruled, trusted=trusted)

    def _with(self, answer: JudgeAnswer, ruled: Result, *, trusted: bool) -> Result:
        method = f"judge:{self._judge.fingerprint}"
        if not trusted:
            advice = f"advice of {method}: {answer.score:.2f}, {answer.reason}"
            return replace(ruled, evidence=(*ruled.evidence, advice), cost_usd_micro=answer.cost_usd_micro)
        flags = tuple(f"flag: {flag.value}" for flag in answer.flags)
        quotes = tuple(each.quote for each in answer.evidence)
        return Result(
            ruled.name, answer.score, Status.SCORED, answer.reason, method, ruled.version, (*quotes, *flags),
            answer.cost_usd_micro,
        )  # fmt: skip

    def _without(self, failure: JudgeFailure, ruled: Result, *, trusted: bool) -> Result:
        why = f"no judgement: {failure.reason.value} {failure.detail}".strip()
        if not trusted:
            return replace(ruled, evidence=(*ruled.evidence, why), cost_usd_micro=failure.cost_usd_micro)
        method = f"judge:{self._judge.fingerprint}"
        return Result(
            ruled.name, None, _FAILED[failure.status], why, method, ruled.version, (), failure.cost_usd_micro
        )

    def close(self) -> None:
        """Let go of the judge."""
        self._judge.close()


def told(facts: Facts) -> str:
    """The answer as a judge is shown it: its words, then what goes with them line by line."""
    lines = [f"- {each.name} <{each.url}> {each.test_type}" for each in facts.payload.recommendations]
    return "\n".join([facts.answer, *(["", "Listed with it:", *lines] if lines else [])])


def open_asking(provider: str, max_cost_usd: float | None, cache: Path | None = CACHE) -> Asking | None:
    """The judge called `provider`, or that of JUDGE_PROVIDER when empty; None offline. Opens no connection.

    Raises:
        JudgeError: it is not known, or a key, an address or a price is missing.
    """
    settings = load_judge_settings()
    if provider:
        settings = settings.model_copy(update={"judge_provider": provider})
    limit = None if max_cost_usd is None else int(max_cost_usd * 1_000_000)
    judge = build_judge(settings, cache=cache, max_cost_usd_micro=limit)
    if judge is None:
        return None
    fingerprint = judge.fingerprint
    return Asking(judge, lambda dimension: may_gate(fingerprint, dimension))
