from pathlib import Path

import pytest

from eval.errors import DatasetError
from eval.lint import check_case, check_hashes, label_changes, lint, write_hashes
from eval.records import Case, Labels
from tests.unit.eval.doubles import CATALOG, a_case, says


def problems(case: Case) -> str:
    return "; ".join(check_case(case, CATALOG))


def test_our_own_labels_are_consistent() -> None:
    assert [problem for problem in lint() if "not fixed" not in problem] == []


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (a_case("hi", final=Labels(must=("ghost",))), "ghost is not in the catalogue"),
        (a_case("hi", final=Labels(must_not=("ghost",))), "neither in the catalogue"),
        (a_case("hi", final=Labels(must=("a",), must_not=("a",))), "both must and must_not"),
        (a_case("hi", final=Labels(must=("a",), may=("a",))), "both must and may"),
        (a_case("hi", final=Labels(must=("a", "a"))), "twice"),
        (a_case("hi", facts={"minutes": 15}), "the facts allow 15"),
        (a_case(says("hi", must=("a",), must_not=("a",))), "turn 1: both"),
        (a_case(says("hi", end=True), "more"), "an end before the last turn"),
        (a_case(says("hi", end=False)), "disagree about the end"),
        (a_case(says("hi", must_not=("a",), end=True)), "excluded in the last turn"),
        (a_case(says(" ")), "says nothing"),
        (a_case("hi", reason=""), "no reason"),
    ],
)
def test_inconsistent_labels_are_named(case: Case, words: str) -> None:
    assert words in problems(case)


def test_consistent_labels_pass_and_a_vendor_solution_may_be_forbidden() -> None:
    good = a_case(says("hi", end=True, list=True), reason="r", facts={"minutes": 20})
    assert problems(good) == ""
    assert problems(a_case("hi", reason="r", final=Labels(must_not=("entry-level-sales-solution",)))) == ""
    assert problems(a_case("hi", reason="r", facts={"minutes": 15}, tags=("staged",))) == ""


def test_fixed_labels_are_watched(tmp_path: Path) -> None:
    held_out = tmp_path / "test"
    held_out.mkdir()
    assert check_hashes(tmp_path) == []
    (held_out / "1.yaml").write_text("a")
    assert "not fixed" in check_hashes(tmp_path)[0]
    assert write_hashes(tmp_path) == 1
    assert check_hashes(tmp_path) == []
    (held_out / "1.yaml").write_text("b")
    (held_out / "2.yaml").write_text("c")
    changed = check_hashes(tmp_path)
    assert [p.split(";")[0] for p in changed] == [
        "1.yaml: changed since the labels were fixed", "2.yaml: new since the labels were fixed"
    ]  # fmt: skip
    digest = changed[0].rsplit(" ", 1)[1]
    (tmp_path / "test_changes.yaml").write_text(
        f"- {{file: 1.yaml, sha256: '{digest}', date: 2026-01-01, reason: a wrong id}}\n"
    )
    assert len(check_hashes(tmp_path)) == 1
    assert label_changes(tmp_path) == ("1.yaml (2026-01-01): a wrong id",)
    (tmp_path / "test_changes.yaml").write_text("- {file: 1.yaml}\n")
    with pytest.raises(DatasetError, match="exactly"):
        label_changes(tmp_path)
