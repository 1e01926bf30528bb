from __future__ import annotations

import math
import random

from hypothesis import given
from hypothesis import strategies as st

from app.retrieval import Hit, Ranking, fuse

IDS = [f"id{number}" for number in range(12)]


def _ranking(ids: list[str]) -> Ranking:
    return tuple(Hit(key, float(-place)) for place, key in enumerate(ids))


rankings = st.lists(st.lists(st.sampled_from(IDS), unique=True).map(_ranking), max_size=6)
smoothing = st.integers(1, 200)


@given(rankings, smoothing, st.randoms(use_true_random=False))
def test_order_of_the_lists_changes_nothing(lists: list[Ranking], k: int, chance: random.Random) -> None:
    shuffled = list(lists)
    chance.shuffle(shuffled)
    assert fuse(shuffled, k=k, n=len(IDS)) == fuse(lists, k=k, n=len(IDS))


@given(rankings, smoothing, st.integers(1, 20))
def test_length_order_and_range(lists: list[Ranking], k: int, n: int) -> None:
    fused = fuse(lists, k=k, n=n)
    named = {hit.id for ranking in lists for hit in ranking}
    ids = [hit.id for hit in fused]
    assert len(fused) == min(n, len(named))
    assert len(set(ids)) == len(ids)
    assert set(ids) <= named
    assert list(fused) == sorted(fused, key=lambda hit: (-hit.score, hit.id))
    most = len(lists) / (k + 1)
    assert all(0 < hit.score < most or math.isclose(hit.score, most) for hit in fused)


@given(rankings, smoothing, st.integers(1, 20))
def test_a_shorter_result_is_the_beginning_of_a_longer_one(lists: list[Ranking], k: int, n: int) -> None:
    assert fuse(lists, k=k, n=n) == fuse(lists, k=k, n=n + 5)[:n]


@given(rankings, smoothing, st.data())
def test_a_better_place_in_one_list_never_costs(lists: list[Ranking], k: int, data: st.DataObject) -> None:
    long = [number for number, ranking in enumerate(lists) if len(ranking) > 1]
    if not long:
        return
    which = data.draw(st.sampled_from(long))
    place = data.draw(st.integers(1, len(lists[which]) - 1))
    raised = list(lists[which])
    raised[place - 1], raised[place] = raised[place], raised[place - 1]
    lifted = raised[place - 1].id
    after = fuse([*lists[:which], tuple(raised), *lists[which + 1 :]], k=k, n=len(IDS))
    before = fuse(lists, k=k, n=len(IDS))
    assert _score(after, lifted) > _score(before, lifted)
    assert _place(after, lifted) <= _place(before, lifted)


@given(rankings, smoothing)
def test_empty_lists_change_nothing(lists: list[Ranking], k: int) -> None:
    assert fuse([(), *lists, ()], k=k, n=len(IDS)) == fuse(lists, k=k, n=len(IDS))


def _score(ranking: Ranking, key: str) -> float:
    return next(hit.score for hit in ranking if hit.id == key)


def _place(ranking: Ranking, key: str) -> int:
    return next(place for place, hit in enumerate(ranking) if hit.id == key)
