"""What people say to a list that stands: the share that is read right does not fall."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from app.api.dependencies import CatalogSide
from app.pipeline import Pipeline
from app.records import Act, History, Message

UTTERANCES = Path(__file__).resolve().parents[1] / "data" / "utterances.jsonl"
FLOOR = 0.90
"""Measured 0.92 of 340 when the file was written; the misses are open, none of them is hidden."""
KEEPS_LIST = (Act.REFUSE, Act.CLARIFY, Act.COMPARE)


def test_most_wordings_are_read_right(pipeline: Pipeline, catalog_side: CatalogSide) -> None:
    rows = [json.loads(line) for line in UTTERANCES.read_text(encoding="utf-8").splitlines()]
    wrong = [row["id"] for row in rows if not _is_right(row, pipeline, catalog_side)]
    assert 1 - len(wrong) / len(rows) >= FLOOR, wrong


def _is_right(row: dict[str, Any], pipeline: Pipeline, side: CatalogSide) -> bool:
    listed = [side.catalog[key] for key in row["list"]]
    shown = "\n".join(f"{place}. {item.name} ({item.test_type})" for place, item in enumerate(listed, 1))
    before = [Message(turn["role"], turn["content"]) for turn in row.get("before") or []]
    reply, trace = pipeline.respond(
        History((
            Message("user", row["need"]),
            Message("assistant", f"Here is a shortlist.\n{shown}"),
            *before,
            Message("user", row["say"]),
        ))
    )  # fmt: skip
    standing = set(row["list"]) if trace.decision.act in KEEPS_LIST else set()
    got = set(reply.recommendations) or standing
    return (
        reply.ends == row["ends"]
        and (row.get("result") is None or got == set(row["result"]))
        and got.issuperset(row.get("must") or ())
        and not got.intersection(row.get("must_not") or ())
    )
