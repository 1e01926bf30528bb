"""The golden questions of `data/retail/golden.jsonl`: what a right answer is, by two independent statements."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from eval.errors import DatasetError
from eval.sandbox.graph import FOLDER


@dataclass(frozen=True, slots=True)
class Golden:
    """A question over the data of one seed."""

    id: str
    family: str
    language: Literal["en", "hi"]
    tenant_id: int
    question: str
    sql: tuple[str, str]
    """Two formulations that share as little as they can and give the same rows."""
    contrast: str
    """A near miss (other brand, period or company) whose rows differ: the proof that the question discriminates."""
    expect: Literal["rows", "empty"]
    unit: str
    as_of: str
    seed: int
    tables: tuple[str, ...]
    """Tables of the first formulation."""
    stale_when: str


def load_golden(path: Path = FOLDER / "golden.jsonl") -> tuple[Golden, ...]:
    """All golden questions.

    Raises:
        DatasetError: naming the line.
    """
    found: list[Golden] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            first, second = row.pop("sql")
            found.append(Golden(**{**row, "tables": tuple(row["tables"])}, sql=(first, second)))
        except (ValueError, KeyError, TypeError) as exc:
            raise DatasetError(f"{path.name}, line {number}: {exc!r}") from exc
    if len({golden.id for golden in found}) < len(found):
        raise DatasetError(f"{path.name}: an id is taken twice")
    return tuple(found)
