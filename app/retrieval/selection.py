"""From an array of scores to a ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.retrieval.base import Hit, Ranking, check_length


def rank_scores(
    ids: Sequence[str], scores: NDArray[np.floating[Any]], *, n: int, decimals: int, above: float = -math.inf
) -> Ranking:
    """The `n` best ids.

    Scores are rounded before they are compared, so that noise in the last bits of a sum (another processor,
    another order of additions) cannot swap two documents: equal ones stand in id order.

    Args:
        ids: one per score.
        scores: shape (ids,). One that is not a number is never ranked.
        n: longest ranking wanted.
        decimals: digits to keep.
        above: only scores over this one, after rounding, are ranked.

    Raises:
        ValueError: if `n` < 1.
    """
    check_length(n)
    rounded = np.round(scores.astype(np.float64), decimals) + 0.0  # + 0.0: no negative zero
    rows = np.flatnonzero(rounded > above)
    if len(rows) > n:
        last = np.partition(rounded[rows], -n)[-n]
        rows = rows[rounded[rows] >= last]  # with all that tie for the last place
    hits = [Hit(ids[row], score) for row, score in zip(rows.tolist(), rounded[rows].tolist(), strict=True)]
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.id))[:n])
