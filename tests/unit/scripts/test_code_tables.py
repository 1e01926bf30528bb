"""Tables from the code: whatever registers itself has to be described."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from eval.evaluators.registry import known_evaluators
from scripts import code_tables
from scripts.code_tables import TABLES, render_table
from scripts.render_docs import render_document


@pytest.mark.parametrize("name", sorted(TABLES))
def test_each_table_has_rows(name: str) -> None:
    lines = render_table(name).strip().splitlines()
    assert len(lines) > 2
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1


def test_all_thirteen_are_in_the_table() -> None:
    text = render_table("evaluators")
    assert all(f"| {name} |" in text for name in known_evaluators())


def test_an_evaluator_without_a_meaning_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    blank = {name: replace(spec, meaning=" ") for name, spec in known_evaluators().items()}
    monkeypatch.setattr(code_tables, "known_evaluators", lambda: blank)
    with pytest.raises(ValueError, match="accuracy is not described in full"):
        render_table("evaluators")


def test_blocks_are_filled_and_broken_ones_complain(tmp_path: Path) -> None:
    filled = render_document("<!-- code:targets -->old<!-- /code -->", tmp_path)
    assert "recommender" in filled
    assert "old" not in filled
    with pytest.raises(ValueError, match="no table 'nonsense'"):
        render_document("<!-- code:nonsense --><!-- /code -->", tmp_path)
    with pytest.raises(ValueError, match="does not end"):
        render_document("<!-- code:targets -->", tmp_path)
