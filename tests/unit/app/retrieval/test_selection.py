from __future__ import annotations

import math

import numpy as np
import pytest

from app.retrieval import Hit
from app.retrieval.selection import rank_scores


def test_best_first_and_equals_in_id_order() -> None:
    ranking = rank_scores(["b", "c", "a"], np.array([1.0, 2.0, 1.0]), n=3, decimals=6)
    assert ranking == (Hit("c", 2.0), Hit("a", 1.0), Hit("b", 1.0))


def test_ties_at_the_cut_off_go_by_id_too() -> None:
    ids = [f"id{number:03}" for number in reversed(range(100))]
    ranking = rank_scores(ids, np.ones(100), n=2, decimals=6)
    assert [hit.id for hit in ranking] == ["id000", "id001"]


def test_noise_below_the_last_digit_does_not_order() -> None:
    ranking = rank_scores(["b", "a"], np.array([1.0 + 1e-9, 1.0]), n=2, decimals=6)
    assert [hit.id for hit in ranking] == ["a", "b"]


def test_leaves_out_what_is_no_number_or_not_above_the_floor() -> None:
    scores = np.array([math.nan, 0.0, 1e-9, 0.5])
    assert rank_scores(["a", "b", "c", "d"], scores, n=4, decimals=6, above=0.0) == (Hit("d", 0.5),)


def test_negative_zero_becomes_zero() -> None:
    (hit,) = rank_scores(["a"], np.array([-1e-12]), n=1, decimals=5)
    assert math.copysign(1, hit.score) == 1


def test_refuses_a_length_of_zero() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        rank_scores(["a"], np.array([1.0]), n=0, decimals=5)
