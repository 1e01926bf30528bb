"""What is cheap comes first: the database after the structure, the judge after both."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from eval.sql.cli import CASES
from eval.sql.grade import grade
from eval.sql.graph import load_graph
from eval.sql.reader import ReaderOptions
from eval.sql.records import Ask, Audit, Finding, Severity, Verdict

GRAPH = load_graph(CASES / "graph.json")


@dataclass
class CountingJudge:
    """Says `opinion` and counts how often it was paid."""

    opinion: Finding | None = None
    asked: list[str] = field(default_factory=list)

    def __call__(self, question: str, audit: Audit) -> Finding | None:
        self.asked.append(audit.sql)
        return self.opinion


@pytest.fixture
def database(tmp_path: Path) -> ReaderOptions:
    connection = sqlite3.connect(tmp_path / "shop.db")
    connection.executescript("CREATE TABLE stores (store_id INTEGER, tenant_id INTEGER)")
    connection.close()
    return ReaderOptions(tmp_path / "shop.db")


@pytest.mark.parametrize(
    ("sql", "verdict", "paid"),
    [
        ("SELECT COUNT(*) FROM stores WHERE tenant_id = 7", Verdict.PASSED, 1),
        ("SELECT store_id FROM stores WHERE tenant_id = 7 LIMIT 3", Verdict.WARNED, 1),
        ("SELECT COUNT(*) FROM stores", Verdict.FAILED, 0),
        ("DROP TABLE stores", Verdict.FAILED, 0),
        ("SELECT FROM", Verdict.UNKNOWN, 0),
        ("SELECT city FROM stores WHERE tenant_id = 7", Verdict.FAILED, 0),
    ],
)
def test_the_judge_is_spared(database: ReaderOptions, sql: str, verdict: Verdict, paid: int) -> None:
    judge = CountingJudge()
    found = grade("How many stores?", sql, "sqlite", GRAPH, ask=Ask("7"), database=database, judge=judge)
    assert (found.audit.verdict, len(judge.asked), found.judged) == (verdict, paid, bool(paid))


def test_what_the_judge_says_counts() -> None:
    judge = CountingJudge(Finding("judge", Severity.ERROR, "answers another question"))
    found = grade(
        "q", "SELECT COUNT(*) FROM stores WHERE tenant_id = 7", "mysql", GRAPH, ask=Ask("7"), judge=judge
    )
    assert found.audit.verdict is Verdict.FAILED
    assert not found.dry_run


def test_the_database_refuses_what_the_graph_still_knows(database: ReaderOptions) -> None:
    found = grade(
        "q", "SELECT city FROM stores WHERE tenant_id = 7", "sqlite", GRAPH, ask=Ask("7"), database=database
    )
    assert found.audit.rules == {"dry_run"}
    assert "no such column" in found.audit.findings[0].message
