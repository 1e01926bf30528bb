from hypothesis import given
from hypothesis import strategies as st

from eval.metrics import bootstrap, mean_interval, ndcg_at, precision_at, recall_at, reciprocal_rank, wilson

_IDS = st.lists(st.sampled_from("abcdefghijklmno"), max_size=20)
_SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=60)


@given(_IDS, _IDS, _IDS, st.integers(1, 12))
def test_every_measure_is_a_share_or_nothing(ids: list[str], must: list[str], may: list[str], k: int) -> None:
    values = (
        recall_at(ids, must, k),
        precision_at(ids, must, may, k),
        ndcg_at(ids, must, may, k),
        reciprocal_rank(ids, must),
    )
    assert all(value is None or 0 <= value <= 1 for value in values)


@given(_IDS, _IDS, st.integers(1, 12))
def test_repeating_an_id_right_after_itself_changes_nothing(ids: list[str], must: list[str], k: int) -> None:
    doubled = [key for key in ids for _ in (0, 1)]
    assert recall_at(doubled, must, k) == recall_at(ids, must, k)
    assert precision_at(doubled, must, (), k) == precision_at(ids, must, (), k)
    assert ndcg_at(doubled, must, (), k) == ndcg_at(ids, must, (), k)


@given(_IDS, _IDS, st.integers(1, 12))
def test_recall_never_falls_with_k_and_ignores_what_follows_place_k(
    ids: list[str], must: list[str], k: int
) -> None:
    here, further = recall_at(ids, must, k), recall_at(ids, must, k + 1)
    assert here is None or (further is not None and here <= further)
    first = list(dict.fromkeys(ids))[:k]
    assert recall_at([*first, "zz", *must], must, k) == recall_at([*first, "zz"], must, k) or len(first) < k


@given(_IDS)
def test_the_labels_reach_full_marks_against_themselves(must: list[str]) -> None:
    wanted = list(dict.fromkeys(must))[:10]
    if wanted:
        assert recall_at(wanted, wanted) == precision_at(wanted, wanted) == ndcg_at(wanted, wanted) == 1


@given(st.permutations(["a", "b", "c", "x", "y"]), st.integers(5, 10))
def test_recall_does_not_depend_on_the_order_within_k(ids: list[str], k: int) -> None:
    assert recall_at(ids, ["a", "b", "z"], k) == recall_at(sorted(ids), ["a", "b", "z"], k)


@given(st.integers(0, 200), st.integers(0, 200))
def test_wilson_holds_the_share_and_stays_within_0_and_1(a: int, b: int) -> None:
    found = wilson(min(a, b), max(a, b))
    if found is not None and found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.value <= found.high <= 1


@given(_SCORES, st.integers(0, 5))
def test_intervals_hold_the_mean(values: list[float], seed: int) -> None:
    for found in (mean_interval(values, seed, share=True), bootstrap(values, seed, 200)):
        assert found is not None
        if found.low is not None and found.high is not None:
            assert found.low - 1e-9 <= found.value <= found.high + 1e-9
