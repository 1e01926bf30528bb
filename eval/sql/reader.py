"""Reads an SQLite database and cannot do anything else: read-only file, authorizer, time limit, row limit."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from eval.errors import DatasetError

Value = str | int | float | bytes | None
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_REFUSED_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}
_STEPS_BETWEEN_LOOKS = 2_000
"""SQLite instructions between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """Where to read and how much."""

    database: Path
    attached: Mapping[str, Path] | None = None
    """Further database files by the schema name that statements call them by."""
    time_limit_ms: int = 5_000
    row_limit: int = 10_000


@dataclass(frozen=True, slots=True)
class Rows:
    """The result of a query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    complete: bool = True
    """False when the row limit cut it short."""


@dataclass(frozen=True, slots=True)
class ReadFailure:
    """Why there is no result."""

    kind: Literal["error", "refused", "timeout"]
    message: str


def dry_run(sql: str, options: ReaderOptions) -> ReadFailure | None:
    """Let SQLite prepare `sql` without running it; None when it would run.

    Raises:
        DatasetError: a database file is not there or is none.
    """
    result = _execute(f"EXPLAIN {sql}", options, {})
    return result if isinstance(result, ReadFailure) else None


def read(
    sql: str, options: ReaderOptions, parameters: Mapping[str, Value] | None = None
) -> Rows | ReadFailure:
    """Run `sql` as it stands and give its rows; `parameters` are for names such as `:as_of` in it.

    Raises:
        DatasetError: a database file is not there or is none.
    """
    return _execute(sql, options, parameters or {})


def _execute(sql: str, options: ReaderOptions, parameters: Mapping[str, Value]) -> Rows | ReadFailure:
    with _connection(options) as connection:
        deadline = time.monotonic() + options.time_limit_ms / 1000
        connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS_BETWEEN_LOOKS)
        connection.set_authorizer(_authorize)
        try:
            cursor = connection.execute(sql, dict(parameters))
            found = cursor.fetchmany(options.row_limit + 1)
        except (sqlite3.Error, sqlite3.Warning, OverflowError, ValueError) as exc:
            return _failure(exc)
        columns = tuple(each[0] for each in cursor.description or ())
        complete = len(found) <= options.row_limit
        return Rows(columns, tuple(tuple(row) for row in found[: options.row_limit]), complete)


@contextmanager
def _connection(options: ReaderOptions) -> Iterator[sqlite3.Connection]:
    files = {"": options.database, **(options.attached or {})}
    for path in files.values():
        if not path.is_file():
            raise DatasetError(f"{path}: no such database")
    connection = sqlite3.connect(
        f"{options.database.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None
    )
    try:
        for name, path in files.items():
            if name:
                connection.execute(
                    "ATTACH DATABASE ? AS " + _quoted(name), (f"{path.resolve().as_uri()}?mode=ro",)
                )
        connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        yield connection
    except sqlite3.DatabaseError as exc:
        raise DatasetError(f"{options.database}: is no SQLite database ({exc})") from exc
    finally:
        connection.close()


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _REFUSED_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _failure(exc: Exception) -> ReadFailure:
    code = getattr(exc, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_INTERRUPT:
        return ReadFailure("timeout", "took longer than allowed")
    if code == sqlite3.SQLITE_AUTH or "authoriz" in str(exc) or "prohibited" in str(exc):
        return ReadFailure("refused", str(exc))
    return ReadFailure("error", str(exc))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
