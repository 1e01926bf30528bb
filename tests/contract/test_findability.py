"""Everything in the catalogue can be found: by its name, by what people call it, by what they say of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.api.dependencies import CatalogSide

PARAPHRASES = Path(__file__).resolve().parents[1] / "data" / "paraphrases.jsonl"
TOP = 3


def missed_by_name(side: CatalogSide) -> list[str]:
    return [
        assessment.name
        for assessment in side.catalog
        if assessment.id not in [hit.id for hit in side.searcher.search(assessment.name, TOP).fused]
    ]


@pytest.mark.parametrize("side", ["catalog_side", "dense_side"])
def test_every_assessment_is_found_by_its_own_name(side: str, request: pytest.FixtureRequest) -> None:
    loaded: CatalogSide = request.getfixturevalue(side)
    assert len(loaded.catalog) == 370
    assert missed_by_name(loaded) == []


@pytest.mark.parametrize("side", ["catalog_side", "dense_side"])
def test_assessments_are_found_by_their_aliases(side: str, request: pytest.FixtureRequest) -> None:
    loaded: CatalogSide = request.getfixturevalue(side)
    aliases = [(e.id, alias) for e in loaded.knowledge.entries.values() for alias in e.aliases]
    missed = [
        (id_, alias)
        for id_, alias in aliases
        if id_ not in [hit.id for hit in loaded.searcher.search(alias, TOP).fused]
    ]
    assert missed == []
    assert len(aliases) > 2_000


def test_most_paraphrases_are_found_among_ten(dense_side: CatalogSide) -> None:
    rows = [json.loads(line) for line in PARAPHRASES.read_text(encoding="utf-8").splitlines()]
    asked = [(row["id"], query) for row in rows for query in row["queries"]]
    missed = [
        pair
        for pair in asked
        if pair[0] not in [hit.id for hit in dense_side.searcher.search(pair[1], 10).fused]
    ]
    assert len({id_ for id_, _ in asked}) == 370
    assert 1 - len(missed) / len(asked) >= 0.95, missed
