"""The rubrics of the evaluators, read from rubrics.json."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from eval.errors import JudgeError
from eval.judge.base import Rubric

_FILE = Path(__file__).with_name("rubrics.json")


@cache
def known_rubrics() -> dict[str, Rubric]:
    """All rubrics by evaluator."""
    rows = json.loads(_FILE.read_text(encoding="utf-8"))
    return {
        name: Rubric(row["criterion"], tuple(row["anchors"]), row.get("needs_context", False))
        for name, row in rows.items()
    }


def rubric_for(evaluator: str) -> Rubric:
    """The rubric of one evaluator.

    Raises:
        JudgeError: it has none.
    """
    known = known_rubrics()
    if evaluator not in known:
        raise JudgeError(f"no rubric for {evaluator!r}, there are {', '.join(known)}")
    return known[evaluator]
