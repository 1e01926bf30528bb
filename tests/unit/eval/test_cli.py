"""The command line's exit codes, and that a second run with --resume does nothing twice."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval import store
from eval.cli import app

RUNNER = CliRunner()
ONE = ["--splits", "dev", "--only", "dev-01", "--no-dense"]


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(store, "STORE", tmp_path)
    return tmp_path


def test_a_single_case_is_inconclusive(own_store: Path) -> None:
    result = RUNNER.invoke(app, ["replay", *ONE, "--run", "one", "--junit", str(own_store / "j.xml")])
    assert result.exit_code == 3, result.output
    assert "inconclusive" in result.output
    assert (own_store / "one.html").exists()
    assert (own_store / "j.xml").exists()


def test_an_empty_selection_is_broken() -> None:
    result = RUNNER.invoke(app, ["replay", "--only", "no such conversation", "--no-dense"])
    assert result.exit_code == 1
    assert "no conversations" in result.output


def test_an_unreachable_service_is_broken_and_scores_nothing() -> None:
    result = RUNNER.invoke(
        app, ["replay", "--splits", "dev", "--only", "dev-0", "--url", "http://127.0.0.1:9"]
    )
    assert result.exit_code == 1, result.output
    assert "recall@10 none" in result.output


def test_resume_keeps_what_is_there(own_store: Path) -> None:
    assert RUNNER.invoke(app, ["replay", *ONE, "--run", "r"]).exit_code == 3
    path = own_store / "r.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:50])
    assert RUNNER.invoke(app, ["replay", *ONE, "--run", "r"]).exit_code == 1
    assert RUNNER.invoke(app, ["replay", *ONE, "--resume"]).exit_code == 3
    again = path.read_bytes().splitlines(keepends=True)
    assert again[:3] == lines[:3]
    assert len(again) == len(lines)
    before = path.read_bytes()
    assert RUNNER.invoke(app, ["replay", *ONE, "--run", "r", "--resume"]).exit_code == 3
    assert path.read_bytes() == before


def test_report_of_a_stored_run_and_of_none() -> None:
    RUNNER.invoke(app, ["replay", *ONE, "--run", "r"])
    assert RUNNER.invoke(app, ["report", "r", "--baseline", "r"]).exit_code == 3
    assert RUNNER.invoke(app, ["report", "none"]).exit_code == 1


@pytest.mark.parametrize("wrong", [["--splits", "moon"], ["--modes", ""], ["--users", "me"]])
def test_wrong_choices_are_explained(wrong: list[str]) -> None:
    result = RUNNER.invoke(app, ["replay", *wrong])
    assert result.exit_code == 2
    assert "choose" in result.output


def test_recall_runs_every_arm_and_says_which_is_not_loaded() -> None:
    result = RUNNER.invoke(app, ["recall", *ONE, "--run", "r"])
    assert "dev, dense" in result.output
    assert "degraded" in result.output


def test_a_provider_and_an_address_exclude_each_other() -> None:
    result = RUNNER.invoke(app, ["replay", *ONE, "--url", "http://127.0.0.1:9", "--provider", "groq"])
    assert result.exit_code == 2
    assert "exclude each other" in " ".join(result.output.split())
    assert RUNNER.invoke(app, ["replay", *ONE, "--provider", "offline", "--run", "r"]).exit_code == 3
