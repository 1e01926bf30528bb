"""A query that is nothing but a name."""

from __future__ import annotations

import pytest

from app.retrieval import Hit, NameIndex, Retriever
from tests.unit.app.retrieval.doubles import Listed

NAMES = NameIndex([("dotnet", ".NET"), ("forms", ".net"), ("forms", "Win  Forms")])


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        (".net", ["dotnet", "forms"]),
        (" .NET ", ["dotnet", "forms"]),
        ("win forms", ["forms"]),
        ("win forms developer", []),
        ("", []),
    ],
)
def test_a_whole_name_finds_its_bearers(query: str, ids: list[str]) -> None:
    assert NAMES.rank(query, 5) == tuple(Hit(key, 1.0) for key in ids)


def test_a_ranking_of_no_length_is_refused() -> None:
    with pytest.raises(ValueError, match="length"):
        NAMES.rank(".net", 0)


def test_the_bearer_of_a_name_comes_before_what_only_shares_its_words() -> None:
    retriever = Retriever(Listed("shared", "dotnet"), Listed("shared", "dotnet"), NAMES)
    assert [hit.id for hit in retriever.search(".net", 1).fused] == ["dotnet"]
    assert [hit.id for hit in retriever.search(".net developer", 1).fused] == ["shared"]
