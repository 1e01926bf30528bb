"""How far two raters of 0 to 4 agree, beyond chance. Pure functions over arrays.

Cohen 1960 (kappa), Krippendorff 2007 (alpha, ordinal), Gwet 2008 (AC1), Rogan and Gladen 1978 (corrected rate).
What is undefined is None, never 0 or 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eval.judge.base import TOP_ANCHOR
from eval.metrics import RESAMPLES, Interval

LEVELS = TOP_ANCHOR + 1
FEWEST_FAMILIES = 10
"""With fewer independent families there are no bounds: their scatter says too little."""

_TINY = 1e-12

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def cohen_kappa(
    one: Ints, other: Ints, levels: int, weights: Literal["none", "quadratic"] = "none"
) -> float | None:
    """Agreement of two raters beyond chance; None when chance alone would agree wholly, or without items."""
    if not len(one):
        return None
    table = np.bincount(one * levels + other, minlength=levels * levels).reshape(levels, levels) / len(one)
    distance = _distance(levels, weights)
    by_chance = float((np.outer(table.sum(1), table.sum(0)) * distance).sum())
    return None if by_chance == 0 else 1 - float((table * distance).sum()) / by_chance


def _distance(levels: int, weights: Literal["none", "quadratic"]) -> Floats:
    steps = np.subtract.outer(np.arange(levels), np.arange(levels))
    return (steps**2).astype(float) if weights == "quadratic" else (steps != 0).astype(float)


def gwet_ac1(one: Ints, other: Ints) -> float | None:
    """Agreement of two raters of good (1) and bad (0), steady when nearly everything is one of them."""
    if not len(one):
        return None
    share = float(one.mean() + other.mean()) / 2
    by_chance = 2 * share * (1 - share)
    return (float((one == other).mean()) - by_chance) / (1 - by_chance)


def coincidences(ratings: Sequence[Sequence[int | None]], levels: int = LEVELS) -> Floats:
    """One matrix (levels x levels) for each item: how its ratings pair up. Items with one rating are empty.

    Args:
        ratings: for each item the ratings of all raters; None is a gap.
        levels: ratings run from 0 to below this.
    """
    found = np.zeros((len(ratings), levels, levels))
    for item, given in enumerate(ratings):
        values = [rating for rating in given if rating is not None]
        if len(values) > 1:
            counts = np.bincount(values, minlength=levels).astype(float)
            found[item] = (np.outer(counts, counts) - np.diag(counts)) / (len(values) - 1)
    return found


def krippendorff_alpha(paired: Floats) -> float | None:
    """Ordinal alpha from `coincidences`; None when all ratings are equal, or none pair up."""
    observed = paired.sum(0)
    totals = observed.sum(1)
    n = totals.sum()
    upto = np.cumsum(totals) - totals / 2
    distance = np.subtract.outer(upto, upto) ** 2
    by_chance = float((np.outer(totals, totals) * distance).sum())
    return None if by_chance == 0 else 1 - float((n - 1) * (observed * distance).sum()) / by_chance


def share_of_equal_pairs(draws: Sequence[Sequence[int]]) -> list[float]:
    """For each item drawn at least twice, the share of pairs of draws that are equal."""
    shares = []
    for drawn in draws:
        k = len(drawn)
        if k > 1:
            equal = sum(count * (count - 1) for count in np.bincount(drawn).tolist())
            shares.append(equal / (k * (k - 1)))
    return shares


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Spearman's rho with mid-ranks; None when either does not vary."""
    if len(one) < 3 or len(set(one)) == 1 or len(set(other)) == 1:
        return None
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def partial_correlation(one: Sequence[float], other: Sequence[float], given: Sequence[float]) -> float | None:
    """Spearman's rho of two with a third held fixed; None when the third explains one of them wholly."""
    direct = rank_correlation(one, other)
    first, second = rank_correlation(one, given), rank_correlation(other, given)
    if direct is None or first is None or second is None:
        return direct
    left = (1 - first**2) * (1 - second**2)
    return None if left < _TINY else (direct - first * second) / math.sqrt(left)


def _ranks(values: Sequence[float]) -> Floats:
    _, inverse, counts = np.unique(np.asarray(values, dtype=float), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[inverse], dtype=float)


def corrected_rate(observed: float, true_positive: float, true_negative: float) -> float | None:
    """The share of good answers behind the share that a judge calls good; None when it guesses or worse."""
    power = true_positive + true_negative - 1
    return min(1.0, max(0.0, (observed + true_negative - 1) / power)) if power > 0 else None


def resampled(
    families: Sequence[Hashable],
    statistic: Callable[[Ints], float | None],
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Interval | None:
    """`statistic` over all items, with percentile bounds from drawing whole families again and again.

    Args:
        families: which items belong together, in the order of the items.
        statistic: takes the indices of items; None: undefined for these.
        seed: the same one gives the same bounds.
        resamples: how often to draw.
    """
    value = statistic(np.arange(len(families)))
    if value is None:
        return None
    names = list(dict.fromkeys(families))
    if len(names) < FEWEST_FAMILIES:
        return Interval(value, None, None, len(families), "too few families")
    members = [np.flatnonzero([family == name for family in families]) for name in names]
    rng = np.random.default_rng(seed)
    drawn = (
        statistic(np.concatenate([members[pick] for pick in rng.integers(len(names), size=len(names))]))
        for _ in range(resamples)
    )
    defined = [each for each in drawn if each is not None]
    if len(defined) < 0.95 * resamples:
        return Interval(value, None, None, len(families), "undefined too often")
    low, high = np.quantile(defined, [0.025, 0.975])
    return Interval(
        value, min(value, float(low)), max(value, float(high)), len(families), "bootstrap of families"
    )
