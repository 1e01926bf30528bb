"""Two runs of one golden set, case by case: regression, none shown, or inconclusive.

Differences are paired by case and clustered by family: cases of one family fail together, and counting them as
independent finds regressions that are none. Missing and repeated cases are errors, never left out quietly.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from statistics import NormalDist, fmean
from typing import Literal

from eval.errors import CompareError
from eval.metrics import Z95, t_cdf, t_quantile
from eval.records import CaseResult, Run, Status

DELTA = 0.02
"""A fall that matters."""
LEAST_CLUSTERS = 10
MAX_ERRORS = 0.05
OVERALL = "overall"
_ALPHA = 0.05

Outcome = Literal["regression", "none shown", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Change:
    """One dimension, or the overall, new less old."""

    name: str
    n: int
    clusters: int
    mean: float | None
    low: float | None
    """One-sided 95 % bound from below."""
    high: float | None
    """One-sided 95 % bound from above."""
    detectable: float | None
    """The smallest true difference that so many cases show (two-sided 5 %, power 80 %)."""
    p: float | None
    """Chance of so low a mean without a regression, corrected over the dimensions (Holm)."""
    outcome: Outcome
    unpaired: int
    """Cases where one of the two has no value, or the method of measuring changed."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that changed between two runs."""

    old: str
    new: str
    changes: tuple[Change, ...]
    worse: tuple[str, ...]
    """Cases that passed and fail now."""
    better: tuple[str, ...]
    p_flips: float | None
    """Exact McNemar test of these two counts; None when nothing flipped."""

    @property
    def outcome(self) -> Outcome:
        """The overall's, unless a single dimension regressed."""
        if any(change.outcome == "regression" for change in self.changes):
            return "regression"
        return next(change.outcome for change in self.changes if change.name == OVERALL)


def compare(old: Run, new: Run) -> Comparison:
    """Compare two runs of golden cases.

    Raises:
        CompareError: a case is missing on one side or there twice; one run has no cases, or too many errors.
    """
    before, after = (_by_case(run) for run in (old, new))
    if before.keys() != after.keys():
        lost, fresh = sorted(before.keys() - after.keys()), sorted(after.keys() - before.keys())
        raise CompareError(f"not the same cases: missing now {lost or 'none'}, new {fresh or 'none'}")
    for run, cases in ((old, before), (new, after)):
        _check_errors(run.info.id, cases.values())
    names = dict.fromkeys(r.name for case in after.values() for r in case.results)
    changes = holm([change(name, before, after) for name in (OVERALL, *names)])
    worse = tuple(i for i in sorted(after) if (before[i].verdict, after[i].verdict) == ("pass", "fail"))
    better = tuple(i for i in sorted(after) if (before[i].verdict, after[i].verdict) == ("fail", "pass"))
    return Comparison(old.info.id, new.info.id, changes, worse, better, mcnemar(len(worse), len(better)))


def _by_case(run: Run) -> dict[str, CaseResult]:
    first = [case for case in run.cases if case.replicate == 0]
    twice = [key for key, times in Counter(case.case_id for case in first).items() if times > 1]
    if twice:
        raise CompareError(f"{run.info.id} holds cases twice: {', '.join(sorted(twice))}")
    if not first:
        raise CompareError(f"{run.info.id} holds no golden cases")
    return {case.case_id: case for case in first}


def _check_errors(run_id: str, cases: Iterable[CaseResult]) -> None:
    statuses = [result.status for case in cases for result in case.results]
    errors = sum(status is Status.ERROR for status in statuses)
    if errors > MAX_ERRORS * len(statuses):
        raise CompareError(f"{run_id}: {errors} of {len(statuses)} measurements are errors")


def change(name: str, before: Mapping[str, CaseResult], after: Mapping[str, CaseResult]) -> Change:
    """One dimension over the cases of both runs."""
    clusters: dict[str, list[float]] = defaultdict(list)
    unpaired = 0
    for case_id, new in after.items():
        pair = _pair(name, before[case_id], new)
        if pair is None:
            unpaired += 1
        else:
            clusters[new.family].append(pair[1] - pair[0])
    return _judge(name, list(clusters.values()), unpaired)


def _pair(name: str, old: CaseResult, new: CaseResult) -> tuple[float, float] | None:
    if name == OVERALL:
        values, methods = (old.overall, new.overall), (old.profile, new.profile)
    else:
        found = [next((r for r in case.results if r.name == name), None) for case in (old, new)]
        values = (found[0].value if found[0] else None, found[1].value if found[1] else None)
        methods = (found[0].method if found[0] else "", found[1].method if found[1] else "")
    if values[0] is None or values[1] is None or methods[0] != methods[1]:
        return None
    return values[0], values[1]


def _judge(name: str, clusters: Sequence[Sequence[float]], unpaired: int) -> Change:
    differences = [d for cluster in clusters for d in cluster]
    n, c = len(differences), len(clusters)
    blank = Change(
        name, n, c, fmean(differences) if n else None, None, None, None, None, "inconclusive", unpaired
    )
    if c < LEAST_CLUSTERS:
        return blank
    mean = fmean(differences)
    error = clustered_error(clusters)
    if error == 0:
        outcome: Outcome = "regression" if mean <= -DELTA else "none shown"
        return replace(blank, low=mean, high=mean, p=0.0 if mean < 0 else 1.0, outcome=outcome)
    reach = t_quantile(1 - _ALPHA, c - 1) * error
    ratio = mean / error
    p = t_cdf(ratio, c - 1) if ratio >= 0 else 1 - t_cdf(-ratio, c - 1)
    detectable = (Z95 + NormalDist().inv_cdf(0.8)) * error
    outcome = "none shown" if mean - reach > -DELTA else "inconclusive"
    return replace(blank, low=mean - reach, high=mean + reach, detectable=detectable, p=p, outcome=outcome)


def clustered_error(clusters: Sequence[Sequence[float]]) -> float:
    """Standard error of the mean when values of one cluster go together (with the factor C / (C − 1)).

    With one value in each cluster it is the ordinary one.
    """
    values = [value for cluster in clusters for value in cluster]
    mean, c = fmean(values), len(clusters)
    sums = [math.fsum(value - mean for value in cluster) for cluster in clusters]
    return math.sqrt(c / (c - 1) * math.fsum(s * s for s in sums)) / len(values) if c > 1 else 0.0


def holm(changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes with p corrected over all of them, and what still falls by `DELTA` called a regression."""
    tested = sorted((each for each in changes if each.p is not None), key=lambda each: each.p or 0.0)
    corrected: dict[str, float] = {}
    least = 0.0
    for at, each in enumerate(tested):
        least = max(least, min(1.0, (each.p or 0.0) * (len(tested) - at)))
        corrected[each.name] = least
    return tuple(
        replace(each, p=corrected[each.name], outcome=_after(each, corrected[each.name]))
        if each.name in corrected
        else each
        for each in changes
    )


def _after(each: Change, p: float) -> Outcome:
    if p < _ALPHA and each.mean is not None and each.mean <= -DELTA:
        return "regression"
    return "inconclusive" if each.outcome == "regression" else each.outcome


def mcnemar(worse: int, better: int) -> float | None:
    """Two-sided exact test of flips in both directions; None when nothing flipped."""
    n = worse + better
    if n == 0:
        return None
    tail = sum(comb(n, k) for k in range(min(worse, better) + 1))
    return float(min(1.0, 2 * tail / 2**n))


def lines(found: Comparison) -> list[str]:
    """The comparison for a console."""
    rows = [f"{found.old} -> {found.new}: {found.outcome}"]
    for each in found.changes:
        mean = "none" if each.mean is None else f"{each.mean:+.3f}"
        bounds = "no bounds" if each.low is None else f"one-sided bounds {each.low:+.3f} and {each.high:+.3f}"
        shows = "-" if each.detectable is None else f"{each.detectable:.3f}"
        rows.append(
            f"{each.name:<20} {mean:>7}  {bounds}  n={each.n} in {each.clusters} families, {each.unpaired} unpaired, "
            f"shows from {shows}  {each.outcome}"
        )
    flips = "nothing flipped" if found.p_flips is None else f"exact p {found.p_flips:.3f}"
    rows.append(f"verdicts: {len(found.worse)} worse, {len(found.better)} better, {flips}")
    rows += [f"  now fails: {case_id}" for case_id in found.worse]
    return rows
