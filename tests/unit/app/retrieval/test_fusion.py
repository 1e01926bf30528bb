from __future__ import annotations

import pytest

from app.retrieval import Hit, Ranking, fuse


def a_ranking(*ids: str) -> Ranking:
    return tuple(Hit(key, 1.0 - place / 100) for place, key in enumerate(ids))


def test_adds_the_reciprocal_of_k_plus_rank_from_one() -> None:
    fused = fuse([a_ranking("a", "b"), a_ranking("b")], k=60, n=5)
    assert fused == (Hit("b", 1 / 62 + 1 / 61), Hit("a", 1 / 61))


def test_ties_go_by_id_also_at_the_cut_off() -> None:
    lists = [a_ranking("p1", "p2", "p3"), a_ranking("q1", "q2", "q3")]
    assert [hit.id for hit in fuse(lists, n=3)] == ["p1", "q1", "p2"]
    assert fuse(lists, n=3) == fuse(lists[::-1], n=3)


def test_a_missing_list_adds_nothing() -> None:
    assert fuse([a_ranking("a"), ()], n=3) == fuse([a_ranking("a")], n=3)
    assert fuse([(), ()], n=3) == fuse([], n=3) == ()


def test_own_scores_of_the_lists_do_not_count() -> None:
    loud = (Hit("z", 1e9), Hit("a", -1e9))
    quiet = (Hit("z", 0.2), Hit("a", 0.1))
    assert fuse([loud], n=2) == fuse([quiet], n=2)


def test_an_id_named_twice_counts_at_its_better_place() -> None:
    assert fuse([a_ranking("a", "b", "a")], n=3) == (Hit("a", 1 / 61), Hit("b", 1 / 62))


@pytest.mark.parametrize(("k", "n"), [(0, 5), (-1, 5), (60, 0)])
def test_refuses_senseless_numbers(k: int, n: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        fuse([a_ranking("a")], k=k, n=n)
