"""Merge rankings whose scores cannot be compared. Standard library only."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from app.retrieval.base import Hit, Ranking, check_length


def fuse(rankings: Iterable[Ranking], *, k: int = 60, n: int) -> Ranking:
    """Merge ranked lists by reciprocal rank: each list gives 1/(k + rank) to the ids it holds.

    Only places count, never the lists' own scores. A list that lacks an id adds nothing to it; an id that
    a list names twice counts at its better place. The sum is exactly rounded, so the order in which the
    lists come cannot change a bit of the result.

    Args:
        rankings: any number of lists, best first, in any order.
        k: smoothing; a larger one flattens the difference between first and tenth place.
        n: longest result wanted.

    Returns:
        At most `n` hits, score descending, ties by id. Scores are in (0, number of lists / (k + 1)].

    Raises:
        ValueError: if `k` < 1 or `n` < 1.

    Source: Cormack, Clarke, Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank
    learning methods", SIGIR 2009.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    check_length(n)
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for ranking in rankings:
        for key, rank in _places(ranking).items():
            shares[key].append(1 / (k + rank))
    fused = (Hit(key, math.fsum(parts)) for key, parts in shares.items())
    return tuple(sorted(fused, key=lambda hit: (-hit.score, hit.id))[:n])


def _places(ranking: Ranking) -> dict[str, int]:
    """Place of each id, from 1; of an id named twice, the better one."""
    places: dict[str, int] = {}
    for rank, hit in enumerate(ranking, start=1):
        places.setdefault(hit.id, rank)
    return places
