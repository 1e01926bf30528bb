from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config import PROJECT_ROOT
from eval.errors import JudgeError
from eval.judge.agreement import Agreement, OfEvaluator, measure_agreement
from eval.judge.base import (
    CallSettings,
    Fingerprint,
    JudgeAnswer,
    JudgeFailure,
    Judgement,
    JudgeQuestion,
    Unscored,
)
from eval.judge.labels import BUNDLED, GOOD_FROM, LabelledSet, load_labels
from eval.judge.reliability import (
    LEVELS,
    cohen_kappa,
    coincidences,
    corrected_rate,
    gwet_ac1,
    krippendorff_alpha,
    partial_correlation,
    rank_correlation,
    resampled,
    share_of_equal_pairs,
)
from eval.judge.trust import BAR, find_agreement, may_gate, shortfalls, store_agreement
from eval.metrics import Interval

WHO = Fingerprint("openai", "gpt-4o-mini", "v1-00000000", CallSettings())
ANCHORS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


# --- measures -----------------------------------------------------------------------------------


def test_kappa_of_the_textbook() -> None:
    one = ints(*[1] * 25, *[0] * 25)
    other = ints(*[1] * 20, *[0] * 5, *[1] * 10, *[0] * 15)
    assert cohen_kappa(one, other, 2) == pytest.approx(0.4)


def test_alpha_of_krippendorffs_own_example() -> None:
    rows = [
        "123321412...",
        "1233224125.3",
        ".3332342251.",
        "12332441251.",
    ]
    raters = [[None if char == "." else int(char) - 1 for char in row] for row in rows]
    items = list(zip(*raters, strict=True))
    assert krippendorff_alpha(coincidences(items)) == pytest.approx(0.815, abs=0.0006)


def test_ac1_stays_where_kappa_falls_at_high_prevalence() -> None:
    one = ints(*[1] * 118, *[1] * 5, *[0] * 2)
    other = ints(*[1] * 118, *[0] * 5, *[1] * 2)
    kappa, ac1 = cohen_kappa(one, other, 2), gwet_ac1(one, other)
    assert kappa is not None
    assert kappa < 0
    assert ac1 == pytest.approx(0.9408, abs=0.0001)


def test_what_is_undefined_is_none() -> None:
    same = ints(1, 1, 1)
    assert cohen_kappa(same, same, 2) is None
    assert cohen_kappa(ints(), ints(), 2) is None
    assert gwet_ac1(ints(), ints()) is None
    assert krippendorff_alpha(coincidences([(2, 2), (2, 2)])) is None
    assert krippendorff_alpha(coincidences([(2, None), (None, 3)])) is None
    assert rank_correlation([1, 1, 1], [1, 2, 3]) is None
    assert corrected_rate(0.7, 0.5, 0.5) is None
    assert corrected_rate(0.7, 0.3, 0.4) is None


@given(ANCHORS)
def test_measures_are_symmetric_and_at_most_one(pairs: list[tuple[int, int]]) -> None:
    one, other = ints(*[a for a, _ in pairs]), ints(*[b for _, b in pairs])
    for weights in ("none", "quadratic"):
        found = cohen_kappa(one, other, LEVELS, weights)  # type: ignore[arg-type]
        assert found == pytest.approx(cohen_kappa(other, one, LEVELS, weights))  # type: ignore[arg-type]
        assert found is None or found <= 1 + 1e-12
    alpha = krippendorff_alpha(coincidences(pairs))
    assert alpha is None or alpha <= 1 + 1e-12
    assert alpha == pytest.approx(krippendorff_alpha(coincidences([(b, a) for a, b in pairs])))


@given(ANCHORS)
def test_full_agreement_is_one_or_undefined(pairs: list[tuple[int, int]]) -> None:
    one = ints(*[a for a, _ in pairs])
    for found in (
        cohen_kappa(one, one, LEVELS, "quadratic"),
        krippendorff_alpha(coincidences([(a, a) for a, _ in pairs])),
    ):
        assert found is None or found == pytest.approx(1)


def test_quadratic_weights_forgive_a_near_miss() -> None:
    labels = ints(0, 1, 2, 3, 4, 0, 4)
    near, far = ints(1, 1, 2, 3, 4, 0, 4), ints(4, 1, 2, 3, 4, 0, 4)
    near_kappa, far_kappa = (cohen_kappa(labels, each, LEVELS, "quadratic") for each in (near, far))
    assert near_kappa is not None
    assert far_kappa is not None
    assert near_kappa > far_kappa + 0.2
    assert cohen_kappa(labels, near, LEVELS) == pytest.approx(cohen_kappa(labels, far, LEVELS), abs=0.05)


def test_retest_is_the_share_of_equal_pairs() -> None:
    assert share_of_equal_pairs([[1, 1, 1], [1, 1, 0], [1, 0], [1], []]) == pytest.approx([1, 1 / 3, 0])


def test_a_rate_is_corrected_for_the_judges_errors() -> None:
    truth, tpr, tnr = 0.7, 0.9, 0.8
    observed = truth * tpr + (1 - truth) * (1 - tnr)
    assert corrected_rate(observed, tpr, tnr) == pytest.approx(truth)
    assert corrected_rate(0.99, 0.9, 0.8) == 1.0
    assert corrected_rate(0.05, 0.9, 0.8) == 0.0


def test_rank_correlation_takes_ties() -> None:
    assert rank_correlation([1, 2, 3, 4], [10, 20, 30, 40]) == pytest.approx(1)
    assert rank_correlation([1, 2, 2, 4], [4, 2, 2, 1]) == pytest.approx(-1)


def test_what_a_third_explains_is_taken_out() -> None:
    third = [1.0, 2, 3, 4, 5, 6, 7, 8]
    one, other = [2.0, 1, 4, 3, 6, 5, 8, 7], [1.0, 3, 2, 4, 6, 5, 8, 7]
    direct, partial = rank_correlation(one, other), partial_correlation(one, other, third)
    assert direct is not None
    assert partial is not None
    assert direct > 0.8
    assert abs(partial) < 0.5
    assert partial_correlation(third, other, third) is None
    assert partial_correlation(one, other, [1.0] * 8) == direct


def test_bounds_are_repeatable_and_wider_for_dependent_items() -> None:
    rng = np.random.default_rng(7)
    values = np.repeat(rng.normal(size=20), 5)

    def mean(at: np.ndarray) -> float:
        return float(values[at].mean())

    families = [n // 5 for n in range(100)]
    clustered, alone = resampled(families, mean, seed=1), resampled(range(100), mean, seed=1)
    assert clustered == resampled(families, mean, seed=1)
    for found in (clustered, alone):
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        assert found.low <= found.value <= found.high
    assert width(clustered) > 1.5 * width(alone)


def width(found: Interval | None) -> float:
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found.high - found.low


def test_few_families_have_no_bounds() -> None:
    found = resampled([1] * 50 + [2] * 50, lambda at: float(len(at)), seed=1)
    assert found is not None
    assert (found.low, found.method) == (None, "too few families")


# --- the labelled set ---------------------------------------------------------------------------


def test_our_set_can_prove_a_judge() -> None:
    answers = load_labels(BUNDLED).answers
    good = sum(answer.label >= GOOD_FROM for answer in answers)
    assert len(answers) >= BAR.answers
    assert min(good, len(answers) - good) >= BAR.of_each_class
    assert min(Counter(answer.evaluator for answer in answers).values()) >= BAR.of_evaluator
    assert {answer.label for answer in answers} == set(range(5))
    assert all(answer.why for answer in answers)


def test_our_set_says_what_the_catalogue_says() -> None:
    catalogue = {
        each["name"]: each for each in json.loads((PROJECT_ROOT / "data/catalog.json").read_text("utf-8"))
    }
    checked = 0
    for answer in load_labels(BUNDLED).answers:
        for line in answer.context:
            name, colon, facts = line.partition(": ")
            if not colon:
                continue
            assert name in catalogue
            minutes = re.search(r"(\d+) minutes", facts)
            assert (int(minutes[1]) if minutes else None) == catalogue[name]["minutes"]
            checked += 1
    assert checked > 100


def test_length_does_not_tell_the_label() -> None:
    answers = load_labels(BUNDLED).answers
    found = rank_correlation([a.label for a in answers], [float(len(a.answer)) for a in answers])
    assert found is not None
    assert abs(found) < 0.3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2"),
        ("[]", "line 2"),
        ({"labels": [5]}, "less than or equal to 4"),
        ({"labels": [True]}, "valid integer"),
        ({"labels": []}, "at least 1"),
        ({"labels": [None]}, "nobody rated"),
        ({"labels": [1, 2]}, "each rater"),
        ({"evaluator": "tone"}, "no rubric for 'tone'"),
        ({"answer": ""}, "answer"),
        ({"id": "a"}, "'a' is there twice"),
        ({"score": 1}, "score"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: object, message: str) -> None:
    row = {"id": "a", "family": "f", "evaluator": "safety", "question": "q", "answer": "b", "labels": [1]}
    second = line if isinstance(line, str) else json.dumps({**row, "id": "b", **line})  # type: ignore[dict-item]
    path = tmp_path / "labels.jsonl"
    path.write_text(f"{json.dumps(row)}\n{second}\n", encoding="utf-8")
    with pytest.raises(JudgeError, match=re.escape(message)):
        load_labels(path)


def test_files_that_are_none_are_named(tmp_path: Path) -> None:
    empty, binary = tmp_path / "empty", tmp_path / "binary"
    empty.write_text("\n")
    binary.write_bytes(b"\xff\xfe")
    for path, message in ((empty, "no labelled"), (binary, "UTF-8"), (tmp_path / "none", "No such file")):
        with pytest.raises(JudgeError, match=message):
            load_labels(path)


def test_the_lower_median_of_the_raters_counts(tmp_path: Path) -> None:
    row = {"id": "a", "family": "f", "evaluator": "safety", "question": "q", "answer": "b"}
    path = tmp_path / "labels.jsonl"
    rows = [{**row, "id": str(n), "labels": given} for n, given in enumerate([[4, 1, 2], [3, None, 2]])]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert [answer.label for answer in load_labels(path).answers] == [2, 2]


# --- judges that are measured -------------------------------------------------------------------


class Told:
    """A judge that does as it is told, from label and draw."""

    def __init__(self, says: Callable[[JudgeQuestion, int], int | Unscored]) -> None:
        self.fingerprint = WHO
        self._says = says
        self._labels = {answer.id: answer.label for answer in load_labels(BUNDLED).answers}

    def judge(self, question: JudgeQuestion) -> Judgement:
        said = self._says(question, self._labels[question.case_id])
        return JudgeFailure(said) if isinstance(said, Unscored) else JudgeAnswer(said, (), "a")

    async def judge_async(self, question: JudgeQuestion) -> Judgement:
        await asyncio.sleep(0)
        return self.judge(question)

    def close(self) -> None:
        return


def measured(says: Callable[[JudgeQuestion, int], int | Unscored]) -> Agreement:
    return measure_agreement(Told(says), load_labels(BUNDLED))


def number_of(question: JudgeQuestion) -> int:
    return sum(map(ord, question.case_id + question.answer))


def test_a_judge_that_agrees_may_gate() -> None:
    found = measured(lambda _, label: label)
    assert found.kappa is not None
    assert found.alpha is not None
    assert (found.kappa.value, found.alpha.value, found.n) == (1, pytest.approx(1), found.asked)
    assert shortfalls(found) == ()
    assert all(not shortfalls(found, evaluator) for evaluator in found.by_evaluator)


def test_a_judge_that_is_mostly_right_may_gate_and_shows_its_errors() -> None:
    found = measured(lambda question, label: 4 - label if number_of(question) % 12 == 0 else label)
    assert found.kappa is not None
    assert 0.6 < found.kappa.value < 1
    assert found.true_positive is not None
    assert found.true_positive.value < 1
    assert shortfalls(found) == ()


@pytest.mark.parametrize(
    ("says", "short"),
    [
        (lambda question, label: 4, "kappa 0.00"),
        (lambda question, label: 4 if len(question.answer) > 120 else 0, "kappa"),
        (lambda question, label: number_of(question) % 5, "kappa"),
        (lambda question, label: 4 - label, "kappa"),
        (lambda question, label: Unscored.CANNOT_TELL if number_of(question) % 4 == 0 else label, "scored"),
        (lambda question, label: label if question.replicate == 0 else 4 - label, "test-retest"),
        (lambda question, label: Unscored.SERVER, "0 answers"),
        (lambda question, label: label if question.replicate == 0 else Unscored.SERVER, "test-retest"),
    ],
    ids=["lenient", "by length", "chance", "turned round", "picks", "fickle", "broken", "broken later"],
)
def test_a_judge_below_the_bar_only_advises(
    says: Callable[[JudgeQuestion, int], int | Unscored], short: str
) -> None:
    assert any(short in words for words in shortfalls(measured(says)))


def test_a_judge_that_goes_by_length_is_seen_through() -> None:
    found = measured(lambda question, label: 4 if len(question.answer) > 120 else 0)
    assert found.length_bias is not None
    assert found.length_bias > 0.5
    fair = measured(lambda question, label: max(0, label - number_of(question) % 2)).length_bias
    assert fair is not None
    assert abs(fair) < 0.3


def test_one_bad_dimension_is_kept_from_gating() -> None:
    def says(question: JudgeQuestion, label: int) -> int:
        return 4 - label if question.evaluator == "relevance" and number_of(question) % 2 else label

    found = measured(says)
    assert shortfalls(found, "accuracy") == ()
    assert any("relevance" in words for words in shortfalls(found, "relevance"))
    assert any("tone" in words for words in shortfalls(found, "tone"))


def test_a_set_of_few_families_has_no_bounds_and_cannot_prove_a_judge() -> None:
    whole = load_labels(BUNDLED)
    some = replace(whole, answers=whole.answers[:24])
    found = measure_agreement(Told(lambda question, label: label if number_of(question) % 9 else 2), some)
    assert found.kappa is not None
    assert (found.kappa.low, found.kappa.method) == (None, "too few families")
    assert any("lower bound of kappa not measurable" in words for words in shortfalls(found))


def test_what_is_unscored_is_counted_and_left_out() -> None:
    found = measured(lambda question, label: Unscored.REFUSAL if question.evaluator == "accuracy" else label)
    assert found.unscored == {"refusal": 24}
    assert found.n == found.asked - 24
    assert found.kappa is not None
    assert found.kappa.value == 1
    assert "accuracy" not in found.by_evaluator


# --- what is kept of it -------------------------------------------------------------------------


def agreement(**changes: object) -> Agreement:
    ok = Interval(0.8, 0.7, 0.9, 120, "bootstrap of families")
    base = Agreement(
        WHO, "0" * 16, 120, 120, 60, {}, 0, ok, ok, ok, ok, ok, ok, Interval(0.95, 0.9, 1.0, 120, "t"), ok,
        None, 3, {"accuracy": OfEvaluator(24, 0.8)},
    )  # fmt: skip
    return replace(base, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "gates"),
    [
        ({}, True),
        ({"n": 100, "good": 50, "asked": 100}, True),
        ({"n": 99, "good": 50, "asked": 99}, False),
        ({"good": 30}, True),
        ({"good": 29}, False),
        ({"good": 90}, True),
        ({"good": 91}, False),
        ({"kappa": Interval(0.60, 0.40, 0.7, 120, "b")}, True),
        ({"kappa": Interval(0.59, 0.50, 0.7, 120, "b")}, False),
        ({"kappa": Interval(0.80, 0.39, 0.9, 120, "b")}, False),
        ({"kappa": Interval(0.80, None, None, 120, "b")}, False),
        ({"kappa": None}, False),
        ({"retest": Interval(0.90, 0.8, 1.0, 120, "t")}, True),
        ({"retest": Interval(0.89, 0.8, 1.0, 120, "t")}, False),
        ({"retest": None}, False),
        ({"asked": 133}, True),
        ({"asked": 134}, False),
    ],
)
def test_each_part_of_the_bar_decides(tmp_path: Path, changes: dict[str, object], gates: bool) -> None:
    path = tmp_path / "agreement.json"
    store_agreement(agreement(**changes), path)
    assert may_gate(WHO, path=path) is gates
    assert may_gate(WHO, "accuracy", path) is gates


@pytest.mark.parametrize(
    "other",
    [
        replace(WHO, provider="azure"),
        replace(WHO, model="gpt-4o"),
        replace(WHO, prompt_version="v1-00000001"),
        replace(WHO, settings=CallSettings(temperature=0.1)),
        replace(WHO, address="http://127.0.0.1"),
    ],
)
def test_another_judge_starts_as_an_adviser(tmp_path: Path, other: Fingerprint) -> None:
    path = tmp_path / "store" / "agreement.json"
    assert not may_gate(WHO, path=path)
    store_agreement(agreement(), path)
    assert may_gate(WHO, path=path)
    assert not may_gate(other, path=path)


def test_a_new_measurement_takes_the_place_of_the_old(tmp_path: Path) -> None:
    path = tmp_path / "agreement.json"
    store_agreement(agreement(), path)
    store_agreement(agreement(fingerprint=replace(WHO, model="other")), path)
    store_agreement(agreement(kappa=None), path)
    found = find_agreement(WHO, path)
    assert found == agreement(kappa=None)
    assert find_agreement(replace(WHO, model="other"), path) is not None
    assert len(json.loads(path.read_text())) == 2


def test_a_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "agreement.json"
    path.write_text("[{}]")
    with pytest.raises(JudgeError, match="remove it"):
        may_gate(WHO, path=path)


def test_the_set_is_part_of_what_is_kept() -> None:
    labelled = load_labels(BUNDLED)
    assert isinstance(labelled, LabelledSet)
    assert measured(lambda _, label: label).labels == labelled.fingerprint
