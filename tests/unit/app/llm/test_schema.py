"""The schema that providers are given."""

from __future__ import annotations

import json

from app.llm.schema import answer_schema


def test_the_schema_holds_no_references() -> None:
    text = json.dumps(answer_schema())
    assert "$ref" not in text
    assert "$defs" not in text
    assert {"intent", "constraints", "edits"} <= answer_schema()["properties"].keys()
