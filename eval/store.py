"""Runs on disk: one file of JSON lines each, only ever appended to.

The first line says what is run; every further line is one finished piece with its key. A run that was killed
is resumed: what is there is kept, what is missing is run, and a line that the kill cut short is cut off. Two
processes never write one run at the same time.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from pydantic import ValidationError

from eval.errors import StoreError
from eval.records import (
    INFO_ADAPTER,
    ROW_ADAPTERS,
    CaseResult,
    ConversationResult,
    LawResult,
    MutationRow,
    ProbeResult,
    RecallRow,
    Row,
    Run,
    RunInfo,
    kind_of,
)

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / "store"


def run_path(run_id: str) -> Path:
    """Where the run called `run_id` lies.

    Raises:
        StoreError: the id would lead out of the folder.
    """
    if not run_id or run_id != Path(run_id).name or run_id.startswith("."):
        raise StoreError(f"{run_id!r} is no name for a run")
    return STORE / f"{run_id}.jsonl"


class RunWriter:
    """Appends the rows of one run; knows which keys are there already."""

    def __init__(self, file: BinaryIO, info: RunInfo, keys: set[str]) -> None:
        self._file = file
        self.info = info
        self.keys = keys

    @classmethod
    def open(cls, path: Path, info: RunInfo, *, resume: bool = False) -> RunWriter:
        """Start a run, or go on with the one in `path`.

        Raises:
            StoreError: there is a run already and `resume` is off; it belongs to another state of the
                project; it is damaged beyond its last line; another process is writing it.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not resume:
            raise StoreError(f"{path} exists; go on with --resume or choose another --run")
        file = path.open("a+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            file.close()
            raise StoreError(f"{path} is being written by another process") from exc
        try:
            _cut_torn_line(file)
            stored, rows = _parse(path)
        except StoreError:
            file.close()
            raise
        if stored is None:
            writer = cls(file, info, set())
            writer._line({"kind": "info", "row": INFO_ADAPTER.dump_python(info, mode="json")})
            return writer
        if (stored.fingerprint, stored.target) != (info.fingerprint, info.target):
            file.close()
            raise StoreError(f"{path} was run on another state of cases, code or data, or on another target")
        return cls(file, stored, {row.key for row in rows})

    def add(self, row: Row) -> None:
        """Append one row, on disk when this returns.

        Raises:
            StoreError: the run has a row with this key.
        """
        if row.key in self.keys:
            raise StoreError(f"{row.key} has been run already")
        kind = kind_of(row)
        self._line({"kind": kind, "key": row.key, "row": ROW_ADAPTERS[kind].dump_python(row, mode="json")})
        self.keys.add(row.key)

    def _line(self, content: dict[str, object]) -> None:
        self._file.write(json.dumps(content, allow_nan=False).encode("ascii") + b"\n")
        self._file.flush()
        os.fdatasync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def load_run(path: Path) -> Run:
    """The run in `path`, as far as it went.

    Raises:
        StoreError: there is none, or it is damaged, or holds a key twice.
    """
    if not path.exists():
        raise StoreError(f"there is no run {path}")
    info, rows = _parse(path)
    if info is None:
        raise StoreError(f"{path} holds no run")
    return build_run(info, rows)


def build_run(info: RunInfo, rows: Iterable[Row]) -> Run:
    """Rows by kind, each in key order, so that a resumed run equals one in a piece."""
    ordered = sorted(rows, key=lambda row: row.key)
    return Run(
        info,
        conversations=tuple(row for row in ordered if isinstance(row, ConversationResult)),
        probes=tuple(row for row in ordered if isinstance(row, ProbeResult)),
        laws=tuple(row for row in ordered if isinstance(row, LawResult)),
        recall=tuple(row for row in ordered if isinstance(row, RecallRow)),
        cases=tuple(row for row in ordered if isinstance(row, CaseResult)),
        mutation=tuple(row for row in ordered if isinstance(row, MutationRow)),
    )


def _parse(path: Path) -> tuple[RunInfo | None, list[Row]]:
    info: RunInfo | None = None
    rows: list[Row] = []
    seen: set[str] = set()
    for number, line in enumerate(_whole_lines(path), start=1):
        try:
            content = json.loads(line)
            if content["kind"] == "info":
                info = INFO_ADAPTER.validate_python(content["row"])
                continue
            row = ROW_ADAPTERS[content["kind"]].validate_python(content["row"])
        except (ValueError, KeyError, TypeError, ValidationError) as exc:
            raise StoreError(f"{path}, line {number}: {exc}") from exc
        if row.key in seen:
            raise StoreError(f"{path}, line {number}: {row.key} is there twice")
        seen.add(row.key)
        rows.append(row)
    return info, rows


def _whole_lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from (line for line in file if line.endswith(b"\n"))


def _cut_torn_line(file: BinaryIO) -> None:
    """Remove what follows the last line end: a kill came in the middle of it."""
    file.seek(0)
    content = file.read()
    whole = content.rfind(b"\n") + 1
    if whole != len(content):
        file.truncate(whole)
    file.seek(0, os.SEEK_END)


def fingerprint(paths: Iterable[Path], *words: str) -> str:
    """Hash (sha256, 16 digits) of files and words, whatever the order in which the files are named."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    for word in words:
        digest.update(word.encode() + b"\0")
    return digest.hexdigest()[:16]
