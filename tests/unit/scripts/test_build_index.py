from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import IndexMismatchError
from scripts.build_index import build, check, main
from tests.unit.app.retrieval.doubles import DOCUMENTS, WordEncoder


def test_first_build_lists_everything_and_the_second_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(tmp_path, "documents", DOCUMENTS, WordEncoder())
    assert capsys.readouterr().out.splitlines() == [
        *(f"+ {key}" for key in sorted(DOCUMENTS)),
        "embeddings: 4 documents by words, written",
    ]
    build(tmp_path, "documents", DOCUMENTS, WordEncoder())
    assert capsys.readouterr().out == "embeddings: 4 documents by words, unchanged\n"


def test_prints_what_came_went_and_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(tmp_path, "documents", DOCUMENTS, WordEncoder())
    capsys.readouterr()
    documents = {key: text for key, text in DOCUMENTS.items() if key != "typing-speed"}
    build(
        tmp_path, "documents", documents | {"phone-manner": "telephone", "welding": "welding"}, WordEncoder()
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[:-1] == ["~ phone-manner", "- typing-speed", "+ welding"]


def test_check_writes_nothing_and_refuses_what_is_stale(tmp_path: Path) -> None:
    build(tmp_path, "documents", DOCUMENTS, WordEncoder())
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    check(tmp_path, "documents", DOCUMENTS, WordEncoder())
    with pytest.raises(IndexMismatchError, match="stale"):
        check(tmp_path, "documents", DOCUMENTS | {"welding": "welding"}, WordEncoder())
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_shipped_embeddings_and_labels_are_of_todays_texts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, "run python -m scripts.build_index"
    assert "labels, up to date" in capsys.readouterr().out


@pytest.mark.parametrize("argument", [["--encoder", "no-such"], ["--data", "no-such-folder"]])
def test_trouble_is_one_line_and_exit_code_one(
    argument: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argument) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
