"""The golden set: cases of one target with what a good answer holds. One JSON file for each target.

A case asks one `question`, or holds a `conversation` whose last message is the one that is judged; messages of
the assistant in it are put into the history as they stand. `criteria` belong to the target, which checks them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from eval.errors import DatasetError
from eval.records import ChatMessage
from eval.store import ROOT

_KEYS = {
    "id", "family", "question", "conversation", "context", "expected_answer", "expected_answer_stale",
    "criteria", "tags",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """One case."""

    id: str
    family: str
    """Cases of one family are not independent of each other."""
    messages: tuple[ChatMessage, ...]
    """Said one after the other; ends with the user."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """What is known of who asks."""
    expected_answer: str = ""
    stale: bool = False
    """The expected answer may have stopped being true."""
    criteria: Mapping[str, Any] = field(default_factory=dict)
    """What has to hold of the answer, in the target's terms."""
    tags: tuple[str, ...] = ()

    @property
    def asked(self) -> str:
        """Everything the user says, in order."""
        return "\n".join(message.content for message in self.messages if message.role == "user")


def golden_path(name: str) -> Path:
    """Where the golden set called `name` lies."""
    return ROOT / "data" / f"{name}.json"


def load_golden(path: Path) -> tuple[GoldenCase, ...]:
    """All cases of the set in `path`, in file order.

    Raises:
        DatasetError: naming the file, the case and what is wrong with it, or an id that two cases share.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["cases"]
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise DatasetError(f"{path.name} cannot be read: {exc!r}") from exc
    cases = tuple(_parse(path.name, number, row) for number, row in enumerate(rows, 1))
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise DatasetError(f"{path.name}: two cases are called {case.id!r}")
        seen.add(case.id)
    return cases


def _parse(file: str, number: int, row: Mapping[str, Any]) -> GoldenCase:
    try:
        if unknown := sorted(row.keys() - _KEYS):
            raise ValueError(f"unknown keys {unknown}")  # noqa: TRY301
        if ("question" in row) is ("conversation" in row):
            raise ValueError("exactly one of question and conversation")  # noqa: TRY301
        said = [{"role": "user", "content": row["question"]}] if "question" in row else row["conversation"]
        messages = tuple(
            ChatMessage(cast('Literal["user", "assistant"]', each["role"]), str(each["content"]))
            for each in said
        )
        if not messages or messages[-1].role != "user":
            raise ValueError("the conversation does not end with the user")  # noqa: TRY301
        return GoldenCase(
            id=str(row["id"]),
            family=str(row["family"]),
            messages=messages,
            context=dict(row["context"]),
            expected_answer=str(row["expected_answer"]),
            stale=bool(row.get("expected_answer_stale", False)),
            criteria=dict(row["criteria"]),
            tags=tuple(map(str, row["tags"])),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise DatasetError(f"{file}, case {number} ({row.get('id', 'without id')}): {exc!r}") from exc
