from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.render_docs import render_all, render_document, render_value

BENCH = {
    "machine": {"cores": 2},
    "results": [
        {
            "name": "health_start_s", "what": "start to /health", "value": 0.412, "unit": "s", "n": 5,
            "low": 0.4, "high": 0.5, "spread": "p25-p75", "target": "≤ 0.6", "met": True, "command": "x", "note": "",
        },
        {
            "name": "size", "what": "a | b", "value": 291.7, "unit": "MB", "n": 1,
            "low": None, "high": None, "spread": "", "target": "", "met": None, "command": "x", "note": "",
        },
        {
            "name": "lost", "what": "lost", "value": None, "unit": "MB", "n": 0,
            "low": None, "high": None, "spread": "", "target": "", "met": None, "command": "x", "note": "no pip",
        },
    ],
}  # fmt: skip
TABLE = """<!-- numbers:bench.table -->
| what | value | unit | n | spread | target | met |
| --- | --- | --- | --- | --- | --- | --- |
| start to /health | 0.412 | s | 5 | 0.4 to 0.5 (p25-p75) | ≤ 0.6 | yes |
| a \\| b | 292 | MB | 1 |  |  |  |
| lost |  | MB | 0 |  |  |  |
<!-- /numbers -->
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    numbers = tmp_path / "docs" / "numbers"
    numbers.mkdir(parents=True)
    (numbers / "bench.json").write_text(json.dumps(BENCH), encoding="utf-8")
    (numbers / "eval.json").write_text(
        json.dumps([{"what": "recall@10, test", "value": 0.97, "n": 45}]), encoding="utf-8"
    )
    (numbers / "facts.json").write_text(json.dumps({"assessments": 370}), encoding="utf-8")
    return tmp_path


def block(name: str, text: str = "") -> str:
    return f"<!-- numbers:{name} -->{text}<!-- /numbers -->"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("bench.health_start_s", "0.412 s", id="by name with unit"),
        pytest.param("eval.recall_10_test", "0.97", id="by description without unit"),
        pytest.param("facts.assessments", "370", id="from an object"),
    ],
)
def test_one_value_is_put_in_line(root: Path, name: str, expected: str) -> None:
    text = render_document(f"It takes {block(name, 'old')}, we say.", root / "docs" / "numbers")
    assert text == f"It takes {block(name, expected)}, we say."


@pytest.mark.parametrize("name", ["bench.table", "bench"])
def test_a_table_stands_on_lines_of_its_own(root: Path, name: str) -> None:
    text = render_document(block(name) + "\n", root / "docs" / "numbers")
    assert text == TABLE.replace("bench.table", name)


def test_check_fails_on_a_stale_document_and_writes_nothing(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = block("bench.size", "300 MB")
    (root / "README.md").write_text(stale, encoding="utf-8")
    (root / "docs" / "current.md").write_text(block("bench.size", "292 MB"), encoding="utf-8")
    assert render_all(root, check=True) == 1
    assert capsys.readouterr().out == "stale: README.md\n"
    assert (root / "README.md").read_text(encoding="utf-8") == stale


def test_rendering_makes_the_check_pass(root: Path) -> None:
    for path in (root / "README.md", root / "APPROACH.md", root / "docs" / "speed.md"):
        path.write_text(f"{block('bench.table')}\n{block('bench.size')}\n", encoding="utf-8")
    assert render_all(root, check=True) == 1
    assert render_all(root, check=False) == 0
    assert render_all(root, check=True) == 0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param(block("bench.unheard_of"), "no number bench.unheard_of", id="unknown number"),
        pytest.param(block("other.table"), "docs/numbers/other.json does not exist", id="unknown file"),
        pytest.param(block("bench.lost"), "bench.lost has not been measured", id="failed measurement"),
        pytest.param("<!-- numbers:bench.size -->", "does not end", id="open block"),
        pytest.param(block("bench size"), "malformed", id="malformed name"),
    ],
)
@pytest.mark.parametrize("check", [True, False])
def test_a_block_that_cannot_be_filled_fails_and_is_told(
    root: Path, capsys: pytest.CaptureFixture[str], text: str, complaint: str, check: bool
) -> None:
    (root / "README.md").write_text(text, encoding="utf-8")
    assert render_all(root, check=check) == 1
    error = capsys.readouterr().err
    assert error.startswith("README.md: ")
    assert complaint in error
    assert (root / "README.md").read_text(encoding="utf-8") == text


def test_other_files_are_left_alone(root: Path) -> None:
    (root / "notes.md").write_text(block("bench.unheard_of"), encoding="utf-8")
    assert render_all(root, check=True) == 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1234, "1,234"),
        (1234.5, "1,234"),
        (100.0, "100"),
        (12.34, "12.3"),
        (0.25, "0.25"),
        (1.0, "1"),
        (None, ""),
    ],
)
def test_values_are_short(value: object, expected: str) -> None:
    assert render_value(value) == expected
