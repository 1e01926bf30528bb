"""Each line of the threat model has its test."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_claim_names_a_test_that_exists() -> None:
    rows = [
        row
        for row in (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()
        if row.startswith("| ") and not row.startswith(("| ---", "| a caller |", "| who | what |"))
    ]
    assert len(rows) > 25
    for row in rows:
        named = re.search(r"\| `(tests/[\w/]+\.py)(?:::(\w+))?` \|$", row)
        assert named, row
        tree = ast.parse((ROOT / named[1]).read_text(encoding="utf-8"))
        names = {
            node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert named[2] is None or named[2] in names, row
