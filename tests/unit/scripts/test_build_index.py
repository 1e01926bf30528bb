from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import IndexMismatchError
from scripts.build_index import build, check, main
from tests.unit.app.retrieval.doubles import DOCUMENTS, WordEncoder


def test_first_build_lists_everything_and_the_second_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(tmp_path, DOCUMENTS, WordEncoder()) == 0
    assert capsys.readouterr().out.splitlines() == [
        *(f"+ {key}" for key in sorted(DOCUMENTS)),
        "embeddings: 4 documents by words, written",
    ]
    assert build(tmp_path, DOCUMENTS, WordEncoder()) == 0
    assert capsys.readouterr().out == "embeddings: 4 documents by words, unchanged\n"


def test_prints_what_came_went_and_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(tmp_path, DOCUMENTS, WordEncoder())
    capsys.readouterr()
    documents = {key: text for key, text in DOCUMENTS.items() if key != "typing-speed"}
    build(tmp_path, documents | {"phone-manner": "telephone", "welding": "welding"}, WordEncoder())
    lines = capsys.readouterr().out.splitlines()
    assert lines[:-1] == ["~ phone-manner", "- typing-speed", "+ welding"]


def test_check_writes_nothing_and_refuses_what_is_stale(tmp_path: Path) -> None:
    build(tmp_path, DOCUMENTS, WordEncoder())
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert check(tmp_path, DOCUMENTS, WordEncoder()) == 0
    with pytest.raises(IndexMismatchError, match="stale"):
        check(tmp_path, DOCUMENTS | {"welding": "welding"}, WordEncoder())
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("argument", [["--encoder", "no-such"], ["--data", "no-such-folder"]])
def test_trouble_is_one_line_and_exit_code_one(
    argument: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argument) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
