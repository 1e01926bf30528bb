"""Fresh runs of one case: what is alike, what is not measurable, and pass^k against pass@k."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.consistency import (
    consistency,
    figures_agree,
    measure,
    pass_at,
    pass_hat,
    robust_variation,
    rouge_l,
    variation,
    wording,
)
from eval.records import CaseResult, Payload, Verdict
from tests.unit.eval.case_doubles import a_graded


def run(text: str, verdict: Verdict = "pass", ms: float | None = 10.0, replicate: int = 0) -> CaseResult:
    return a_graded(payloads=(Payload("q", text, latency_ms=ms),), verdict=verdict, replicate=replicate)


def test_equal_answers_are_alike_in_everything() -> None:
    found = measure([run("Excel takes 6 minutes.") for _ in range(3)])
    assert (found.wording, found.figures, found.flips, found.latency_cv) == (1, 1, 0, 0)
    assert (found.pass_all, found.pass_any) == (1, 1)


def test_words_and_figures_are_judged_apart() -> None:
    digits = measure([run("Excel takes 6 minutes."), run("Excel takes 9 minutes.")])
    assert (digits.wording, digits.figures) == (1, 0)
    phrased = measure([run("It takes 6 minutes.\nBye."), run("It takes 6 minutes.\nSee you around, then.")])
    assert phrased.wording is not None
    assert phrased.wording < 1
    assert phrased.figures == 1


def test_no_figures_anywhere_is_not_measurable() -> None:
    assert figures_agree(["a", "b"]) is None
    assert figures_agree(["It takes 6 minutes."]) is None
    assert figures_agree(["It takes 6 minutes.", "It takes a while."]) == 0


def test_a_figure_in_no_common_place_is_compared_as_a_bag() -> None:
    assert figures_agree(["We need 6 tests.", "6 tests are needed.", "For this, 6 tests."]) == 1


@pytest.mark.parametrize("values", [[], [5.0], [0.0, 0.0]])
def test_too_few_times_or_none_have_no_variation(values: list[float]) -> None:
    assert variation(values) is None
    assert robust_variation(values) is None


def test_variation_is_corrected_for_few_runs() -> None:
    assert variation([1.0, 3.0]) == pytest.approx(2**0.5 / 2 * (1 + 1 / 8))
    assert robust_variation([1.0, 1.0, 1.0, 90.0]) == 0


def test_lost_runs_are_availability_and_no_values() -> None:
    found = measure([run("a"), run("", "error"), run("a")])
    assert (found.lost, found.runs, found.wording, found.flips, found.pass_all) == (1, 3, 1, 0, 1)
    gone = measure([run("", "error"), run("", "error")])
    assert (gone.wording, gone.flips, gone.pass_all, gone.pass_any) == (None, None, None, None)


def test_flips_and_pass_k() -> None:
    found = measure([run("a"), run("a", "fail"), run("a")])
    assert found.flips == pytest.approx(2 / 3)
    assert (found.passed, found.pass_all, found.pass_any) == (2, 0, 1)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 9))
def test_pass_hat_is_never_more_than_pass_at(passed: int, failed: int, k: int) -> None:
    all_, any_ = pass_hat(passed, passed + failed, k), pass_at(passed, passed + failed, k)
    assert (all_ is None) == (any_ is None) == (k > passed + failed)
    if all_ is not None and any_ is not None:
        assert 0 <= all_ <= any_ <= 1


def test_cases_run_once_have_no_row() -> None:
    twice = [run("a"), run("a", replicate=1)]
    other = replace(run("a"), case_id="two")
    assert [row.case_id for row in consistency([*twice, other])] == ["one"]
    by_channel = [run("a"), replace(run("a"), channel="ui")]
    assert consistency(by_channel) == ()


def test_rouge_and_wording() -> None:
    assert rouge_l("a b c d", "a c d e") == pytest.approx(0.75)
    assert rouge_l("", "a") == 0
    assert wording("10 minutes", "12 minutes") == 1
