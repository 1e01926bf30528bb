"""Two runs: a regression is found, an unchanged assistant is not blamed, and what is missing is an error."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from eval.compare import DELTA, OVERALL, Comparison, clustered_error, compare, lines, mcnemar
from eval.errors import CompareError
from eval.records import CaseResult, Run, RunInfo, failed
from tests.unit.eval.case_doubles import a_graded, a_value


def a_run(run_id: str, cases: Sequence[CaseResult]) -> Run:
    return Run(RunInfo(run_id, "t", "c", "api", "target", "state", 1), cases=tuple(cases))


def cases(values: Sequence[float], families: int = 0) -> list[CaseResult]:
    return [
        a_graded(f"c{n}", value, family=f"f{n % families}" if families else f"f{n}")
        for n, value in enumerate(values)
    ]


def noisy(n: int, drop: float, seed: int) -> tuple[list[float], list[float]]:
    rng = random.Random(seed)
    base = [rng.uniform(0.6, 0.95) for _ in range(n)]
    return base, [min(1.0, max(0.0, b - drop + rng.gauss(0, 0.1))) for b in base]


def outcome(found: Comparison, name: str = OVERALL) -> str:
    return next(each.outcome for each in found.changes if each.name == name)


def test_a_clear_fall_is_a_regression() -> None:
    old, new = noisy(120, 0.08, 1)
    found = compare(a_run("old", cases(old)), a_run("new", cases(new)))
    assert found.outcome == outcome(found) == "regression"
    assert "regression" in lines(found)[0]


def test_an_unchanged_assistant_is_hardly_ever_blamed() -> None:
    blamed = [
        compare(a_run("old", cases(old)), a_run("new", cases(new))).outcome == "regression"
        for old, new in (noisy(60, 0.0, seed) for seed in range(60))
    ]
    assert sum(blamed) <= 6


def test_few_families_decide_nothing_and_the_detectable_difference_is_told() -> None:
    old, new = noisy(40, 0.05, 3)
    few = compare(a_run("old", cases(old, families=5)), a_run("new", cases(new, families=5)))
    assert few.outcome == "inconclusive"
    many = compare(a_run("old", cases(old)), a_run("new", cases(new)))
    change = many.changes[0]
    assert change.detectable is not None
    assert 0.02 < change.detectable < 0.1


def test_identical_runs_show_no_regression() -> None:
    same = cases([0.9] * 20)
    found = compare(a_run("old", same), a_run("new", same))
    assert found.outcome == "none shown"
    assert found.p_flips is None


def test_a_small_sure_fall_is_none_that_matters() -> None:
    old = [0.9] * 30
    new = [0.9 - DELTA / 2 + (0.001 if n % 2 else -0.001) for n in range(30)]
    assert compare(a_run("old", cases(old)), a_run("new", cases(new))).outcome == "none shown"


def test_families_that_fall_together_count_less() -> None:
    together = [[-0.2] * 10, [0.1] * 10, [-0.2] * 10, [0.1] * 10]
    apart = [[value] for cluster in together for value in cluster]
    assert clustered_error(together) > 2.5 * clustered_error(apart)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ([0.9, 0.9], [0.9], "missing now"),
        ([0.9], [0.9, 0.8], "new \\['c1'\\]"),
        ([], [], "no golden cases"),
    ],
)
def test_missing_cases_are_errors(old: list[float], new: list[float], words: str) -> None:
    with pytest.raises(CompareError, match=words):
        compare(a_run("old", cases(old)), a_run("new", cases(new)))


def test_repeated_cases_are_errors() -> None:
    twice = [*cases([0.9]), replace(cases([0.9])[0], channel="ui")]
    with pytest.raises(CompareError, match="holds cases twice: c0"):
        compare(a_run("old", twice), a_run("new", twice))


def test_many_evaluator_errors_are_an_error() -> None:
    broken = [replace(case, results=(failed("accuracy", "boom"),)) for case in cases([0.9] * 10)]
    with pytest.raises(CompareError, match="10 of 10 measurements are errors"):
        compare(a_run("old", cases([0.9] * 10)), a_run("new", broken))


def test_values_of_another_method_are_not_compared() -> None:
    new = [
        replace(case, results=(replace(a_value("accuracy", 0.1), method="judge:x"),))
        for case in cases([0.9] * 20)
    ]
    found = compare(a_run("old", cases([0.9] * 20)), a_run("new", new))
    accuracy = next(each for each in found.changes if each.name == "accuracy")
    assert (accuracy.n, accuracy.unpaired, accuracy.outcome) == (0, 20, "inconclusive")


def test_flips_are_named_and_tested() -> None:
    old = cases([0.9] * 20)
    new = [replace(case, verdict="fail") if n < 6 else case for n, case in enumerate(cases([0.9] * 20))]
    found = compare(a_run("old", old), a_run("new", new))
    assert found.worse == ("c0", "c1", "c2", "c3", "c4", "c5")
    assert found.p_flips == pytest.approx(2 / 64)
    assert mcnemar(3, 3) == 1
    assert mcnemar(0, 0) is None
