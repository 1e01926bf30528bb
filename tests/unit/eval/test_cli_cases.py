"""`run`, `mutation`, `consistency` and `compare` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval import run_eval, store
from eval.cli import app

RUNNER = CliRunner()
FEW = ["--only", "accept-", "--no-dense"]


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(store, "STORE", tmp_path)
    return tmp_path


def test_a_run_writes_rows_report_and_junit_and_is_resumed(own_store: Path) -> None:
    first = RUNNER.invoke(app, ["run", *FEW, "--run", "r", "--junit", str(own_store / "j.xml")])
    assert first.exit_code == 3, first.output
    path = own_store / "r.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    assert {json.loads(line)["kind"] for line in lines} == {"info", "case"}
    assert "eval.cases" in (own_store / "j.xml").read_text(encoding="utf-8")
    path.write_bytes(b"".join(lines[:3]) + lines[3][:80])
    assert RUNNER.invoke(app, ["run", *FEW, "--run", "r", "--resume"]).exit_code == 3
    again = path.read_bytes().splitlines(keepends=True)
    assert again[:3] == lines[:3]
    assert len(again) == len(lines)
    html = (own_store / "r.html").read_bytes()
    assert RUNNER.invoke(app, ["report", "r"]).exit_code == 3
    assert (own_store / "r.html").read_bytes() == html


def test_consistency_asks_every_case_again(own_store: Path) -> None:
    found = RUNNER.invoke(app, ["consistency", "--runs", "2", *FEW, "--run", "c"])
    assert "verdict flips in 0, figures differ in 0" in found.output
    assert "Consistency" in (own_store / "c.html").read_text(encoding="utf-8")


def test_compare_says_what_changed_and_refuses_other_cases() -> None:
    for name in ("one", "two"):
        RUNNER.invoke(app, ["run", *FEW, "--run", name])
    RUNNER.invoke(app, ["run", "--only", "accept-d", "--no-dense", "--run", "less"])
    same = RUNNER.invoke(app, ["compare", "one", "two"])
    assert same.exit_code == 3, same.output  # too few families to decide
    assert "verdicts: 0 worse, 0 better" in same.output
    less = RUNNER.invoke(app, ["compare", "one", "less"])
    assert less.exit_code == 1
    assert "not the same cases" in less.output


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["run", "--target", "recomender"], "no target 'recomender'"),
        (["run", "--channel", "telepathy"], "no channel 'telepathy'"),
        (["run", "--profile", "fulll"], "no profile 'fulll'"),
        (["run", "--enable", "tone"], "no dimension 'tone'"),
        (["run", "--channel", "api"], "--url"),
        (["run", "--only", "no such case"], "no golden case"),
        (["run", "--judge", "openai"], "OPENAI_API_KEY"),
        (["compare", "a", "b"], "there is no run"),
        (["mutation", "--recorded", "gone", "--no-dense"], "there is no run"),
    ],
)
def test_bad_input_gets_one_clear_line(words: list[str], complaint: str) -> None:
    found = RUNNER.invoke(app, words)
    assert found.exit_code == 1, found.output
    assert complaint in found.output
    assert "Traceback" not in found.output


def test_an_unreachable_service_is_broken_and_scores_nothing() -> None:
    found = RUNNER.invoke(
        app, ["run", "--channel", "api", "--url", "http://127.0.0.1:9", "--only", "accept-"]
    )
    assert found.exit_code == 1, found.output
    assert "mean none" in found.output


def test_run_eval_is_the_same_command() -> None:
    assert run_eval.arguments(["--mode", "ui", "--only", "x"]) == ["run", "--channel", "ui", "--only", "x"]
    assert run_eval.arguments(["--mode=all"]) == ["run", "--channel=all"]
