"""A judge measured against labelled answers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from eval.judge.base import Fingerprint, Judge, JudgeAnswer, Judgement
from eval.judge.labels import GOOD_FROM, LabelledAnswer, LabelledSet
from eval.judge.reliability import (
    LEVELS,
    Ints,
    cohen_kappa,
    coincidences,
    gwet_ac1,
    krippendorff_alpha,
    partial_correlation,
    resampled,
    share_of_equal_pairs,
)
from eval.metrics import Interval, mean_interval, wilson

REPLICATES = 3
_SEED = 2026


@dataclass(frozen=True, slots=True)
class OfEvaluator:
    """Agreement on one dimension."""

    n: int
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was measured of one judge on one set. "Good" is an anchor of 3 or 4."""

    fingerprint: Fingerprint
    labels: str
    """Fingerprint of the labelled set."""
    asked: int
    n: int
    """Answers with a first judgement."""
    good: int
    """Of these, how many the labels call good."""
    unscored: Mapping[str, int]
    """First judgements without a score, by reason."""
    flagged: int
    """First judgements whose evidence stands nowhere, or that have none."""
    kappa: Interval | None
    """Cohen's, of good and bad."""
    weighted_kappa: Interval | None
    """Cohen's, of the anchors, with quadratic weights."""
    alpha: Interval | None
    """Krippendorff's, ordinal, of the judge and all raters."""
    ac1: Interval | None
    """Gwet's, of good and bad."""
    true_positive: Interval | None
    true_negative: Interval | None
    retest: Interval | None
    """Share of pairs of draws that agree on good or bad."""
    retest_anchor: Interval | None
    """Share of pairs of draws with the same anchor."""
    length_bias: float | None
    """Rank correlation of the judge's anchor with the length of the answer, the label held fixed."""
    replicates: int
    by_evaluator: Mapping[str, OfEvaluator] = field(default_factory=dict)


def measure_agreement(judge: Judge, labelled: LabelledSet, replicates: int = REPLICATES) -> Agreement:
    """Ask `judge` about every labelled answer, `replicates` times."""
    questions = [answer.ask(draw) for answer in labelled.answers for draw in range(replicates)]

    async def ask() -> list[Judgement]:
        return await asyncio.gather(*(judge.judge_async(question) for question in questions))

    flat = asyncio.run(ask())
    drawn = [flat[at : at + replicates] for at in range(0, len(flat), replicates)]
    return compare(judge.fingerprint, labelled, drawn)


def compare(
    fingerprint: Fingerprint, labelled: LabelledSet, drawn: Sequence[Sequence[Judgement]]
) -> Agreement:
    """The figures for judgements that are there.

    Args:
        fingerprint: who judged.
        labelled: the answers.
        drawn: for each answer, in order, its draws; the first is the judgement.
    """
    firsts = [draws[0] for draws in drawn]
    both = [
        (answer, first)
        for answer, first in zip(labelled.answers, firsts, strict=True)
        if isinstance(first, JudgeAnswer)
    ]
    answers = [answer for answer, _ in both]
    anchors = np.array([first.anchor for _, first in both], dtype=np.int64)
    labels = np.array([answer.label for answer in answers], dtype=np.int64)
    good, said = (labels >= GOOD_FROM).astype(np.int64), (anchors >= GOOD_FROM).astype(np.int64)
    families = [answer.family for answer in answers]
    paired = coincidences([(*answer.labels, first.anchor) for answer, first in both])
    draws = [[each.anchor for each in draws if isinstance(each, JudgeAnswer)] for draws in drawn]
    classes = [[int(anchor >= GOOD_FROM) for anchor in anchors_of] for anchors_of in draws]
    return Agreement(
        fingerprint=fingerprint,
        labels=labelled.fingerprint,
        asked=len(firsts),
        n=len(both),
        good=int(good.sum()),
        unscored=dict(Counter(first.reason.value for first in firsts if not isinstance(first, JudgeAnswer))),
        flagged=sum(bool(first.flags) for _, first in both),
        kappa=resampled(families, lambda at: cohen_kappa(good[at], said[at], 2), _SEED),
        weighted_kappa=resampled(
            families, lambda at: cohen_kappa(labels[at], anchors[at], LEVELS, "quadratic"), _SEED
        ),
        alpha=resampled(families, lambda at: krippendorff_alpha(paired[at]), _SEED),
        ac1=resampled(families, lambda at: gwet_ac1(good[at], said[at]), _SEED),
        true_positive=wilson(int((good & said).sum()), int(good.sum())),
        true_negative=wilson(int(((1 - good) & (1 - said)).sum()), int((1 - good).sum())),
        retest=mean_interval(share_of_equal_pairs(classes), _SEED, share=True),
        retest_anchor=mean_interval(share_of_equal_pairs(draws), _SEED, share=True),
        length_bias=partial_correlation(
            anchors.tolist(), [float(len(answer.answer)) for answer in answers], labels.tolist()
        ),
        replicates=max(map(len, drawn)),
        by_evaluator=_by_evaluator(answers, good, said),
    )


def _by_evaluator(answers: Sequence[LabelledAnswer], good: Ints, said: Ints) -> dict[str, OfEvaluator]:
    names = [answer.evaluator for answer in answers]
    found = {}
    for name in sorted(set(names)):
        at = np.flatnonzero([each == name for each in names])
        found[name] = OfEvaluator(len(at), cohen_kappa(good[at], said[at], 2))
    return found
