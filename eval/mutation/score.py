"""Plants every kind of defect and counts what is noticed, what moves beside it, and what fails unharmed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.catalog import Catalog
from eval.aggregator import ResultAggregator, verdict_under
from eval.mutation import course, lists, words
from eval.mutation.base import Kind, Material, Sample
from eval.probes import always_wrong, unmet
from eval.profiles import COMPACT, load_profile
from eval.records import CaseResult, MutationRow

KINDS: tuple[Kind, ...] = (*words.KINDS, *lists.KINDS, *course.KINDS)
PER_KIND = 20
FALL = 0.15
"""The intended dimension has to fall by this much."""
STILL = 0.05
"""An unrelated dimension may move by less than this."""


def good(samples: Iterable[Sample], catalog: Catalog) -> list[Sample]:
    """Answers that keep everything their labels ask, told by the labels alone and not by what is under test."""
    return [
        sample
        for sample in samples
        if sample.last.status == "ok"
        and not [*always_wrong(sample.last, catalog), *unmet(sample.criteria, list(sample.payloads), catalog)]
        and not set(sample.criteria.dropped) & set(sample.last.ids)
        and (not sample.criteria.nothing_fits or not sample.last.ids)
    ]


def unharmed(samples: Sequence[Sample], aggregator: ResultAggregator) -> dict[str, CaseResult]:
    """What good answers get as they are."""
    return {sample.case.id: grade(sample, aggregator) for sample in samples}


UNHARMED = "(unharmed)"


def unharmed_row(baseline: dict[str, CaseResult], seed: int) -> MutationRow:
    """Good answers as they are: `noticed` counts those that fail."""
    failed = tuple(case_id for case_id, result in baseline.items() if result.verdict == "fail")
    return MutationRow(
        UNHARMED, (), len(baseline), len(failed), failed, 0, 0, (), _same_by_six(baseline.values()), seed
    )


def grade(sample: Sample, aggregator: ResultAggregator) -> CaseResult:
    """One answer."""
    return aggregator.evaluate(sample.last, sample.case, earlier=sample.payloads[:-1])


def plant(kind: Kind, samples: Sequence[Sample], material: Material, seed: int, count: int) -> list[Sample]:
    """Up to `count` answers with this defect; the draws depend on seed, kind and case only."""
    order = list(samples)
    random.Random(f"{seed}:{kind.name}").shuffle(order)  # noqa: S311 - variety, not secrecy
    planted = []
    for sample in order:
        rng = random.Random(f"{seed}:{kind.name}:{sample.case.id}")  # noqa: S311
        made = kind.plant(sample, material, rng)
        if made is not None and made != sample:
            planted.append(made)
        if len(planted) == count:
            break
    return planted


@dataclass(frozen=True, slots=True)
class _Noticed:
    intended: bool
    moved: tuple[str, ...]


def _compare(kind: Kind, before: CaseResult, after: CaseResult) -> _Noticed:
    fell = any(_fall(before.value(name), after.value(name)) >= FALL for name in kind.intended)
    related = {*kind.intended, *kind.may_move}
    moved = tuple(
        r.name for r in before.results if r.name not in related and _moved(r.value, after.value(r.name))
    )
    return _Noticed(fell or after.verdict != before.verdict, moved)


def _fall(before: float | None, after: float | None) -> float:
    """How far a value fell; a value that comes or goes did not fall."""
    return 0.0 if before is None or after is None else round(before - after, 6)


def _moved(before: float | None, after: float | None) -> bool:
    """Whether a value that should have stayed did not; one that comes or goes has moved."""
    if before is None or after is None:
        return before is not after
    return round(abs(after - before), 6) >= STILL


def measure(
    kind: Kind,
    samples: Sequence[Sample],
    baseline: dict[str, CaseResult],
    material: Material,
    aggregator: ResultAggregator,
    seed: int,
    count: int = PER_KIND,
) -> MutationRow:
    """One kind of defect."""
    planted = plant(kind, samples, material, seed, count)
    graded = [(s, grade(s, aggregator)) for s in planted]
    found = [(s, _compare(kind, baseline[s.case.id], after)) for s, after in graded]
    related = {*kind.intended, *kind.may_move}
    unrelated = [
        name for name in (r.name for r in next(iter(baseline.values())).results) if name not in related
    ]
    return MutationRow(
        kind=kind.name,
        intended=kind.intended,
        n=len(planted),
        noticed=sum(each.intended for _, each in found),
        missed=tuple(s.case.id for s, each in found if not each.intended),
        unrelated=len(planted) * len(unrelated),
        moved=sum(len(each.moved) for _, each in found),
        moved_what=tuple(sorted({name for _, each in found for name in each.moved})),
        same_by_six=_same_by_six(after for _, after in graded),
        seed=seed,
    )


def _same_by_six(results: Iterable[CaseResult]) -> int:
    compact = load_profile(COMPACT)
    return sum(verdict_under(result, compact) == result.verdict for result in results)
