"""The labelled sets and how the audit does on those that it was not written on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.errors import DatasetError
from eval.sql.cli import CASES
from eval.sql.graph import load_graph
from eval.sql.labelled import LabelledStatement, load_labelled, read_ask
from eval.sql.records import DIALECTS, Ask
from eval.sql.registry import known_rules
from eval.sql.score import Counts, Outcome, by_pair, by_rule, by_statement, outcomes, table

TEST = load_labelled(CASES / "test.jsonl")
DEV = load_labelled(CASES / "dev.jsonl")


def a_line(**fields: object) -> str:
    return json.dumps({"id": "a", "dialect": "sqlite", "sql": "SELECT 1", **fields})


def test_the_measured_set_is_large_and_apart_from_the_one_rules_are_written_on() -> None:
    assert len(TEST) >= 250
    assert {each.dialect for each in TEST} == set(DIALECTS)
    assert {name for each in TEST for name in each.expect} >= known_rules().keys()
    assert not {" ".join(each.sql.lower().split()) for each in TEST} & {
        " ".join(each.sql.lower().split()) for each in DEV
    }


@pytest.mark.parametrize("statements", [DEV, TEST], ids=["dev", "test"])
def test_precision_and_recall(statements: tuple[LabelledStatement, ...]) -> None:
    found = outcomes(statements, load_graph(CASES / "graph.json"))
    for counts in (by_pair(found), by_statement(found)):
        for hits, of in (counts.precision, counts.recall):
            assert hits >= 0.96 * of


def an_outcome(found: set[str], expect: set[str]) -> Outcome:
    return Outcome(LabelledStatement("x", "sqlite", "SELECT 1", Ask(), frozenset(expect)), frozenset(found))


def test_counting() -> None:
    found = (
        an_outcome({"a"}, {"a"}),
        an_outcome({"b"}, {"a"}),
        an_outcome(set(), {"a"}),
        an_outcome({"b"}, set()),
    )
    assert by_pair(found) == Counts(1, 2, 2)
    assert by_statement(found) == Counts(2, 1, 1)
    assert by_rule(found)["b"] == Counts(0, 2, 0)
    text = table((an_outcome(set(), set()), *found))
    assert "5 statements, 2 with exactly" in text
    assert "none" in table((an_outcome(set(), set()),))
    assert "expected a, found b" in text


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ([a_line(expect=["no_such_rule"])], "no_such_rule"),
        ([a_line(), a_line()], "twice"),
        ([a_line(dialect="oracle")], "dialect"),
        ([a_line(ask={"period": {"start": "2025-02-01", "end": "2025-01-01"}})], "empty"),
        ([a_line(extra=1)], "extra"),
        (["{"], "JSON"),
        ([], "no statements"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, lines: list[str], what: str) -> None:
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    with pytest.raises(DatasetError, match=what):
        load_labelled(tmp_path / "x.jsonl")


def test_a_frame_that_cannot_be_used() -> None:
    assert read_ask('{"tenant": "7"}') == Ask("7")
    with pytest.raises(DatasetError, match="frame"):
        read_ask('{"tenants": "7"}')


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"joins": [{"many": "bills.none", "one": "stores.store_id"}]}, "bills.none"),
        ({"tables": 3}, "tables"),
    ],
)
def test_graphs_that_cannot_be_used(tmp_path: Path, change: dict[str, object], what: str) -> None:
    graph = json.loads((CASES / "graph.json").read_text()) | change
    (tmp_path / "g.json").write_text(json.dumps(graph))
    with pytest.raises(DatasetError, match=what):
        load_graph(tmp_path / "g.json")
    with pytest.raises(DatasetError, match="cannot be read"):
        load_graph(tmp_path / "none.json")
