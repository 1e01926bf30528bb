"""Numbers from lists: ranking measures, intervals, differences. Pure; standard library only.

Wherever there is nothing to measure the answer is None, never 0 and never 1.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, fmean, stdev

Z95 = NormalDist().inv_cdf(0.975)
BOOTSTRAP_FROM = 50
"""Below this many values the percentile bootstrap covers less than it says (0.79 for 0.95 at ten values)."""
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % bounds; no bounds when they cannot be had."""

    value: float
    low: float | None
    high: float | None
    n: int
    method: str


# --- one list against its labels ----------------------------------------------------------------


def top(ids: Sequence[str] | None, k: int) -> tuple[str, ...]:
    """The first `k` different ids; None counts as none."""
    return tuple(dict.fromkeys(ids or ()))[:k]


def recall_at(ids: Sequence[str] | None, must: Collection[str], k: int = 10) -> float | None:
    """Share of `must` among the first `k` different ids; None if nothing is required."""
    wanted = set(must)
    return len(wanted.intersection(top(ids, k))) / len(wanted) if wanted else None


def precision_at(
    ids: Sequence[str] | None, must: Collection[str], may: Collection[str] = (), k: int = 10
) -> float | None:
    """Share of the first `k` different ids that are required or defensible; None for an empty list."""
    shown = top(ids, k)
    return len({*must, *may}.intersection(shown)) / len(shown) if shown else None


def f1(recall: float | None, precision: float | None) -> float | None:
    """Harmonic mean; an empty list against something required is 0."""
    if recall is None:
        return None
    if not precision or not recall:
        return 0.0
    return 2 * recall * precision / (recall + precision)


def ndcg_at(
    ids: Sequence[str] | None, must: Collection[str], may: Collection[str] = (), k: int = 10
) -> float | None:
    """How early the required ids stand, 1 when all come first; None if nothing is required.

    Defensible ids are taken out of the ranking before (a condensed list): they neither earn nor cost.
    """
    wanted = set(must)
    if not wanted:
        return None
    judged = [key for key in top(ids, k) if key in wanted or key not in set(may)]
    gained = math.fsum(1 / math.log2(place + 1) for place, key in enumerate(judged, 1) if key in wanted)
    best = math.fsum(1 / math.log2(place + 1) for place in range(1, min(len(wanted), k) + 1))
    return min(1.0, gained / best)


def reciprocal_rank(ids: Sequence[str] | None, must: Collection[str]) -> float | None:
    """1 / place of the first required id, 0 if none is there; None if nothing is required."""
    if not must:
        return None
    return next((1 / place for place, key in enumerate(top(ids, len(ids or ())), 1) if key in must), 0.0)


def percentile(values: Sequence[float], share: float) -> float | None:
    """Nearest-rank percentile; None for no values."""
    if not values:
        return None
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def jaccard(one: Collection[str], other: Collection[str]) -> float:
    """Shared part of two sets; two empty ones are equal."""
    union = set(one) | set(other)
    return len(set(one) & set(other)) / len(union) if union else 1.0


def kept_share(before: Collection[str], after: Collection[str]) -> float:
    """Part of `before` that is still in `after`; 1 if there was nothing to keep."""
    return len(set(before) & set(after)) / len(set(before)) if before else 1.0


# --- intervals ----------------------------------------------------------------------------------


def wilson(successes: int, n: int) -> Interval | None:
    """A share with Wilson's interval; None for no trials.

    Raises:
        ValueError: more successes than trials.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n}")
    if n == 0:
        return None
    share, z2 = successes / n, Z95 * Z95
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return Interval(
        share, min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half)), n, "Wilson"
    )


def bootstrap(values: Sequence[float], seed: int, resamples: int = RESAMPLES) -> Interval | None:
    """The mean with a percentile bootstrap interval; bounds need two different values, None for none.

    The same values in any order and the same seed give the same bounds.
    """
    ordered = sorted(values)
    if not ordered or ordered[0] == ordered[-1]:
        return _without_spread(ordered)
    rng = random.Random(f"{seed}:{len(ordered)}")  # noqa: S311 - resampling, not secrecy
    means = sorted(fmean(rng.choices(ordered, k=len(ordered))) for _ in range(resamples))
    value = fmean(ordered)
    low, high = means[int(0.025 * resamples)], means[min(resamples - 1, int(0.975 * resamples))]
    return Interval(value, min(low, value), max(high, value), len(ordered), "bootstrap")


def student(values: Sequence[float]) -> Interval | None:
    """The mean with Student's interval; bounds need two different values, None for none."""
    if not values or min(values) == max(values):
        return _without_spread(values)
    value = fmean(values)
    half = t_quantile(0.975, len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return Interval(value, value - half, value + half, len(values), "t")


def _without_spread(values: Sequence[float]) -> Interval | None:
    """Equal values, or one: their scatter says nothing about other values, so there are no bounds."""
    return Interval(values[0], None, None, len(values), "no spread") if values else None


def mean_interval(values: Sequence[float], seed: int = 0, *, share: bool = False) -> Interval | None:
    """The mean with the interval that is honest at this many values: t when few, bootstrap when many.

    Args:
        values: what was measured; None comes back for none.
        seed: for the bootstrap.
        share: the values lie in [0, 1], so the bounds are kept there.
    """
    found = bootstrap(values, seed) if len(values) >= BOOTSTRAP_FROM else student(values)
    if not share or found is None or found.low is None or found.high is None:
        return found
    return replace(found, low=max(0.0, found.low), high=min(1.0, found.high))


def paired_difference(old: Sequence[float], new: Sequence[float], seed: int = 0) -> Interval | None:
    """Mean of new - old over the same cases, with its interval.

    Raises:
        ValueError: the two are not of one length.
    """
    return mean_interval([b - a for a, b in zip(old, new, strict=True)], seed)


def smallest_detectable(differences: Sequence[float], power: float = 0.8) -> float | None:
    """The smallest true mean difference that so many pairs show with this power at two-sided 5 %.

    None below two pairs. Identical pairs show no noise, which says nothing about how small is small: None.
    """
    if len(differences) < 2 or (spread := stdev(differences)) == 0:
        return None
    return (Z95 + NormalDist().inv_cdf(power)) * spread / math.sqrt(len(differences))


def smallest_detectable_from_scores(values: Sequence[float], correlation: float = 0.5) -> float | None:
    """As `smallest_detectable`, before a second run exists: pairs assumed to correlate by `correlation`."""
    if len(values) < 2 or (spread := stdev(values)) == 0:
        return None
    spread *= math.sqrt(2 * (1 - correlation))
    return (Z95 + NormalDist().inv_cdf(0.8)) * spread / math.sqrt(len(values))


def t_quantile(share: float, df: int) -> float:
    """Quantile of Student's t, by bisection on its distribution function.

    Raises:
        ValueError: unless 0.5 <= share < 1 and df >= 1.
    """
    if not 0.5 <= share < 1 or df < 1:
        raise ValueError(f"t quantile {share} with {df} degrees of freedom")
    low, high = 0.0, 2.0
    while t_cdf(high, df) < share:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, df) < share else (low, middle)
    return (low + high) / 2


def t_cdf(t: float, df: int) -> float:
    """P(T <= t) for t >= 0 in closed form (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    theta = math.atan(t / math.sqrt(df))
    cos2 = math.cos(theta) ** 2
    odd = df % 2 == 1
    term, total = 1.0, 0.0
    if df > 1:
        total = 1.0
        for step in range(3 if odd else 2, df - 1, 2):
            term *= cos2 * (step - 1) / step
            total += term
    if odd:
        within = 2 / math.pi * (theta + math.sin(theta) * math.cos(theta) * total)
    else:
        within = math.sin(theta) * total
    return 0.5 + within / 2
