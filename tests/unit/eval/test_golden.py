"""The golden set: what a file may hold, and that ours is large, whole and up to date."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval.datasets import load_conversations
from eval.errors import AdapterError, DatasetError
from eval.golden import golden_path, load_golden
from eval.lint import check_golden, lint_golden
from eval.targets.registry import find_target, known_targets
from tests.unit.eval.case_doubles import a_golden

ROW: dict[str, Any] = {
    "id": "one", "family": "f", "question": "Java tests?", "context": {}, "expected_answer": "", "criteria": {"list": True},
    "tags": ["t"],
}  # fmt: skip


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "set.json"
    path.write_text(json.dumps({"cases": rows}), encoding="utf-8")
    return path


def test_a_question_and_a_conversation(tmp_path: Path) -> None:
    said = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Yes?"},
        {"role": "user", "content": "Java"},
    ]
    talk = {**ROW, "id": "two", "conversation": said}
    del talk["question"]
    one, two = load_golden(written(tmp_path, ROW, talk))
    assert (one.asked, two.asked) == ("Java tests?", "Hi\nJava")
    assert not one.stale


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"conversation": []}, "exactly one of"),
        ({"quesion": "x"}, "unknown keys"),
        ({"criteria": None}, "TypeError"),
        ({"id": None, "question": None, "family": None, "tags": None}, "TypeError"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    with pytest.raises(DatasetError, match=words):
        load_golden(written(tmp_path, {**ROW, **change}))


def test_the_conversation_ends_with_the_user(tmp_path: Path) -> None:
    row = {k: v for k, v in ROW.items() if k != "question"}
    row["conversation"] = [{"role": "assistant", "content": "x"}]
    with pytest.raises(DatasetError, match="does not end with the user"):
        load_golden(written(tmp_path, row))


def test_an_id_stands_once(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="two cases are called 'one'"):
        load_golden(written(tmp_path, ROW, ROW))


def test_a_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "set.json").write_text("[", encoding="utf-8")
    with pytest.raises(DatasetError, match="cannot be read"):
        load_golden(tmp_path / "set.json")


def test_ours_is_consistent_and_up_to_date() -> None:
    assert lint_golden() == []


def test_ours_never_reads_the_held_out_half() -> None:
    cases = load_golden(golden_path(find_target("recommender").golden))
    held_out = load_conversations(("test",))
    openings = {case.turns[0].user for case in held_out}
    assert len(cases) >= 120
    assert not {case.messages[0].content for case in cases} & openings
    assert not {case.id for case in cases} & {case.id for case in held_out}


def test_each_kind_of_case_is_there_often_enough() -> None:
    cases = load_golden(golden_path(find_target("recommender").golden))
    for key, least in (
        ("must", 60),
        ("dropped", 20),
        ("refuses", 8),
        ("nothing_fits", 4),
        ("minutes_total", 10),
    ):
        assert sum(key in case.criteria for case in cases) >= least, key


def test_a_small_set_and_a_repeated_question_are_problems() -> None:
    found = list(check_golden([a_golden("a", tags=("t",)), a_golden("b", tags=("t",))]))
    assert any("2 cases" in problem for problem in found)
    assert "b asks what a asks" in found
    assert "a has no tags" in list(check_golden([a_golden("a")]))


def test_targets_are_found_by_name() -> None:
    assert "recommender" in known_targets()
    with pytest.raises(AdapterError, match="did you mean 'recommender'"):
        find_target("recomender")
