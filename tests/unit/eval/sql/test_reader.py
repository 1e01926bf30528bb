"""The reader reads, and nothing else: a write, an attached file and an endless query all come back as failures."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from eval.errors import DatasetError
from eval.sql.reader import ReaderOptions, ReadFailure, Rows, dry_run, read


@pytest.fixture
def options(tmp_path: Path) -> ReaderOptions:
    for name in ("shop", "more"):
        connection = sqlite3.connect(tmp_path / f"{name}.db")
        connection.executescript(
            f"CREATE TABLE {name}_t (a INTEGER, b TEXT); INSERT INTO {name}_t VALUES (1, 'x'), (2, 'y')"
        )
        connection.close()
    return ReaderOptions(tmp_path / "shop.db", {"more": tmp_path / "more.db"})


def test_reads_across_attached_files(options: ReaderOptions) -> None:
    found = read("SELECT s.a, m.b FROM shop_t s JOIN more.more_t m ON m.a = s.a ORDER BY 1;", options)
    assert found == Rows(("a", "b"), ((1, "x"), (2, "y")))


def test_the_row_limit_is_said(options: ReaderOptions) -> None:
    found = read("SELECT a FROM shop_t ORDER BY a", ReaderOptions(options.database, row_limit=1))
    assert found == Rows(("a",), ((1,),), complete=False)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM shop_t",
        "UPDATE shop_t SET a = 9",
        "CREATE TABLE x (a)",
        "CREATE TEMP TABLE x (a)",
        "ATTACH 'other.db' AS other",
        "PRAGMA writable_schema = 1",
        "VACUUM",
        "BEGIN",
        "SELECT load_extension('x')",
    ],
)
def test_anything_else_is_refused(options: ReaderOptions, sql: str) -> None:
    before = options.database.read_bytes()
    found = read(sql, options)
    assert isinstance(found, ReadFailure)
    assert found.kind in ("refused", "error")
    assert sql == "VACUUM" or dry_run(sql, options) is not None  # SQLite explains that one, and runs nothing
    assert options.database.read_bytes() == before


def test_an_endless_query_is_stopped(options: ReaderOptions) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    limited = ReaderOptions(options.database, time_limit_ms=50)
    assert read(endless, limited) == ReadFailure("timeout", "took longer than allowed")
    assert dry_run(endless, limited) is None


def test_a_dry_run_sees_what_the_database_sees(options: ReaderOptions) -> None:
    assert dry_run("SELECT a FROM shop_t -- note", options) is None
    failure = dry_run("SELECT c FROM shop_t", options)
    assert failure is not None
    assert "no such column" in failure.message
    assert isinstance(read("SELECT 1; SELECT 2", options), ReadFailure)


def test_a_file_that_is_not_there_is_not_made(options: ReaderOptions, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no such database"):
        read("SELECT 1", ReaderOptions(tmp_path / "none.db"))
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "text.db").write_text("no database " * 100)
    with pytest.raises(DatasetError, match="no SQLite database"):
        read("SELECT 1", ReaderOptions(tmp_path / "text.db"))
