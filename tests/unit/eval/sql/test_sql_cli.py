"""The command line: verdicts as exit codes, bad input in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval.cli import app

RUNNER = CliRunner()
GOOD = "SELECT COUNT(*) FROM stores WHERE tenant_id = 7"


@pytest.mark.parametrize(
    ("sql", "code", "shown"),
    [
        (GOOD, 0, "passed"),
        ("SELECT city FROM stores WHERE tenant_id = 7 LIMIT 2", 0, "limit_without_order"),
        ("SELECT COUNT(*) FROM stores", 2, "tenant_filter"),
        ("SELECT FROM", 3, "unknown"),
    ],
)
def test_audit(sql: str, code: int, shown: str) -> None:
    found = RUNNER.invoke(app, ["sql", "audit", sql, "--ask", '{"tenant": "7"}'])
    assert (found.exit_code, shown in found.output) == (code, True)
    assert RUNNER.invoke(app, ["sql", "audit", "-", "--ask", '{"tenant": "7"}'], input=sql).exit_code == code


def test_audit_as_json() -> None:
    found = RUNNER.invoke(app, ["sql", "audit", GOOD, "--json"])
    assert json.loads(found.output)["tables"] == ["stores"]


@pytest.mark.parametrize(
    "arguments",
    [["--dialect", "oracle"], ["--graph", "none.json"], ["--ask", "{"], ["--database", "none.db"]],
)
def test_bad_input_is_one_line(arguments: list[str]) -> None:
    found = RUNNER.invoke(app, ["sql", "audit", GOOD, *arguments])
    assert found.exit_code == 1
    assert len(found.output.strip().splitlines()) == 1
    assert found.output.startswith("broken: ")


def test_traces(tmp_path: Path) -> None:
    ran = {"id": "o", "type": "TOOL", "name": "run", "input": {"sql": GOOD}, "output": {"rows": []}}
    file = tmp_path / "t.jsonl"
    file.write_text(json.dumps({"id": "a", "observations": [ran]}))
    assert RUNNER.invoke(app, ["sql", "trace", str(file)]).exit_code == 0
    write = {
        "id": "w",
        "type": "TOOL",
        "name": "run",
        "level": "ERROR",
        "input": {"sql": "DELETE FROM stores"},
    }
    for steps in ([write, ran], [write]):
        file.write_text(json.dumps({"id": "a", "observations": steps}))
        found = RUNNER.invoke(app, ["sql", "trace", str(file)])
        assert (found.exit_code, "tried before: not a read: DELETE" in found.output) == (2, True)
    file.write_text(json.dumps({"id": "a", "observations": []}))
    found = RUNNER.invoke(app, ["sql", "trace", str(file)])
    assert (found.exit_code, "not evaluated" in found.output) == (3, True)


def test_a_langfuse_that_is_not_there_is_not_evaluated() -> None:
    found = RUNNER.invoke(app, ["sql", "langfuse", "t", "--url", "http://127.0.0.1:9", "--wait-s", "0"])
    assert (found.exit_code, "not evaluated" in found.output) == (3, True)


def test_score_and_rules(tmp_path: Path) -> None:
    wrong = {"id": "a", "dialect": "sqlite", "sql": "SELECT 1", "expect": ["fan_out"]}
    (tmp_path / "x.jsonl").write_text(json.dumps(wrong))
    found = RUNNER.invoke(app, ["sql", "score", str(tmp_path / "x.jsonl")])
    assert (found.exit_code, "expected fan_out, found nothing" in found.output) == (2, True)
    assert "fan_out" in RUNNER.invoke(app, ["sql", "rules"]).output
