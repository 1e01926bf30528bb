import math

import pytest

from eval.metrics import (
    bootstrap,
    f1,
    jaccard,
    kept_share,
    mean_interval,
    ndcg_at,
    paired_difference,
    percentile,
    precision_at,
    recall_at,
    reciprocal_rank,
    smallest_detectable,
    smallest_detectable_from_scores,
    student,
    t_quantile,
    wilson,
)  # fmt: skip


@pytest.mark.parametrize(
    ("ids", "must", "k", "expected"),
    [
        (["a", "b"], ["a", "b"], 10, 1.0),
        (["a", "a", "a", "b"], ["a", "b"], 2, 1.0),
        (["x", "a"], ["a"], 1, 0.0),
        ([str(i) for i in range(10)] + ["a"], ["a"], 10, 0.0),
        (None, ["a"], 10, 0.0),
        ([], ["a"], 10, 0.0),
        (["a"], [], 10, None),
        (["a"], ["a", "a", "b"], 10, 0.5),
    ],
    ids=[
        "all",
        "duplicates-count-once",
        "beyond-k",
        "beyond-ten",
        "null",
        "empty",
        "nothing-required",
        "label-twice",
    ],
)
def test_recall(ids: list[str] | None, must: list[str], k: int, expected: float | None) -> None:
    assert recall_at(ids, must, k) == expected


def test_precision_counts_defensible_ids_and_has_no_value_for_an_empty_list() -> None:
    assert precision_at(["a", "c", "x", "y"], ["a"], ["c"]) == 0.5
    assert precision_at(["a", "a"], ["a"]) == 1.0
    assert precision_at([], ["a"]) is None
    assert precision_at(None, ["a"]) is None


def test_f1() -> None:
    assert f1(0.5, 1.0) == pytest.approx(2 / 3)
    assert f1(0.0, None) == 0.0
    assert f1(None, 1.0) is None


def test_ndcg_rewards_early_places_and_ignores_defensible_ones() -> None:
    assert ndcg_at(["a", "b"], ["a", "b"]) == pytest.approx(1.0)
    assert ndcg_at(["x", "a"], ["a"]) == pytest.approx(1 / math.log2(3))
    assert ndcg_at(["c", "a"], ["a"], ["c"]) == 1.0
    assert ndcg_at(["x"], ["a"]) == 0.0
    assert ndcg_at(["x"], []) is None


def test_reciprocal_rank() -> None:
    assert reciprocal_rank(["x", "x", "a"], ["a"]) == 0.5
    assert reciprocal_rank([], ["a"]) == 0.0
    assert reciprocal_rank(["a"], []) is None


def test_percentile_is_nearest_rank_and_none_for_nothing() -> None:
    assert percentile([3, 1, 2, 4], 0.5) == 2
    assert percentile([1], 0.95) == 1
    assert percentile([], 0.5) is None


def test_wilson_against_published_values() -> None:
    found = wilson(17, 20)
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(0.6396, abs=1e-3), pytest.approx(0.9476, abs=1e-3))
    assert wilson(0, 0) is None
    perfect = wilson(40, 40)
    assert perfect is not None
    assert perfect.low is not None
    assert perfect.low < 0.95
    assert perfect.high == 1.0
    with pytest.raises(ValueError, match="3 of 2"):
        wilson(3, 2)


@pytest.mark.parametrize(
    ("df", "expected"), [(1, 12.706), (2, 4.303), (5, 2.571), (10, 2.228), (30, 2.042), (200, 1.972)]
)
def test_t_quantile_against_tables(df: int, expected: float) -> None:
    assert t_quantile(0.975, df) == pytest.approx(expected, abs=1e-3)


def test_one_value_and_equal_values_have_no_bounds() -> None:
    for values in ([0.4], [1.0] * 10, [1.0] * 80):
        found = mean_interval(values)
        assert found is not None
        assert (found.low, found.high, found.n) == (None, None, len(values))
    assert mean_interval([]) is None
    assert bootstrap([], 1) is None
    assert student([]) is None


def test_bootstrap_depends_on_seed_and_values_but_not_on_their_order() -> None:
    values = [0.1, 0.5, 0.9, 1.0] * 20
    assert bootstrap(values, 3) == bootstrap(values[::-1], 3)
    assert bootstrap(values, 3) != bootstrap(values, 4)


def test_few_values_use_t_and_many_the_bootstrap() -> None:
    few, many = mean_interval([0.1, 0.9] * 10), mean_interval([0.1, 0.9] * 30)
    assert few is not None
    assert many is not None
    assert (few.method, many.method) == ("t", "bootstrap")


def test_a_share_keeps_its_bounds_between_0_and_1() -> None:
    found = mean_interval([1.0, 1.0, 0.2], share=True)
    assert found is not None
    assert found.low == 0.0
    assert found.high == 1.0


def test_paired_difference_needs_the_same_cases() -> None:
    found = paired_difference([0.5, 0.6, 0.4], [0.6, 0.8, 0.5])
    assert found is not None
    assert found.value == pytest.approx(0.4 / 3)
    with pytest.raises(ValueError, match="zip"):
        paired_difference([1.0], [1.0, 0.0])


def test_smallest_detectable_effect_matches_the_known_table() -> None:
    spread = [0.15, -0.15] * 15
    assert smallest_detectable(spread) == pytest.approx(0.077, abs=0.002)
    assert smallest_detectable([0.1]) is None
    assert smallest_detectable([0.0, 0.0]) is None
    assert smallest_detectable_from_scores([0.5, 1.0] * 20) is not None


def test_set_overlaps() -> None:
    assert jaccard([], []) == 1.0
    assert jaccard(["a", "b"], ["b"]) == 0.5
    assert kept_share([], ["a"]) == 1.0
    assert kept_share(["a", "b"], ["b", "c"]) == 0.5
