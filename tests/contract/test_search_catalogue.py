"""Search over the real texts: symbols and casual spellings, filler words, queries that say nothing."""

from __future__ import annotations

import pytest

from app.api.dependencies import CatalogSide
from app.retrieval import Ranking, Retriever, build_lexical


def found(side: CatalogSide, query: str, n: int = 10) -> list[str]:
    return [hit.id for hit in side.searcher.search(query, n).fused]


# --- nothing to look for ---------------------------------------------------------------------------------


class _Refusing:
    """A ranker that nobody may ask."""

    def rank(self, query: str, n: int) -> Ranking:
        raise AssertionError(f"asked for {query!r}")


@pytest.mark.parametrize("query", ["☕☕", "***", "।।।", "\t \n", "⟶ ≠", "\u200b", "--- ###"])
def test_a_query_without_words_asks_no_ranker(query: str) -> None:
    candidates = Retriever(_Refusing(), _Refusing()).search(query, 10)
    assert (candidates.fused, candidates.lexical, candidates.dense) == ((), (), ())


def test_one_word_among_signs_is_looked_for(catalog_side: CatalogSide) -> None:
    assert found(catalog_side, "☕ *** docker ***")[0] == "docker-new"


def test_nothing_to_index_is_said_when_the_index_is_built() -> None:
    with pytest.raises(ValueError, match="no documents"):
        build_lexical({})


# --- words of half, of most and of one document -------------------------------------------------------------


@pytest.mark.parametrize("rest", [0, 2, 6])
def test_a_word_of_half_the_documents_still_finds_them(rest: int) -> None:
    documents = {
        "crane-a": "crane checks",
        "crane-b": "crane papers",
        "other-a": "spelling pace",
        "other-b": "voice tone",
        **{f"more-{n}": f"crane number{n}" if n % 2 else f"desk number{n}" for n in range(rest)},
    }
    ranked = [hit.id for hit in build_lexical(documents).rank("crane", 20)]
    holding = {key for key, text in documents.items() if "crane" in text}
    assert set(ranked) == holding


def test_one_document_can_be_searched() -> None:
    assert [hit.id for hit in build_lexical({"only": "loom repair"}).rank("loom", 5)] == ["only"]


@pytest.mark.parametrize(
    ("rare", "first"),
    [("Teradata", "teradata-development-new"), ("Zabbix", "zabbix-new"), ("Hibernate", "hibernate-new")],
)
@pytest.mark.parametrize(
    "dressed",
    [
        "{}",
        "some new (New) test of knowledge, to measure what people know about {}",
        "please find the best new multiple choice test for {} knowledge and skills, new",
    ],
)
def test_filler_does_not_move_the_one_that_is_meant(
    catalog_side: CatalogSide, rare: str, first: str, dressed: str
) -> None:
    assert found(catalog_side, dressed.format(rare))[0] == first


def test_no_document_has_a_negative_score(catalog_side: CatalogSide) -> None:
    candidates = catalog_side.searcher.search("new test of knowledge about Teradata", 50)
    assert all(hit.score > 0 for hit in candidates.lexical)


# --- technical names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "family"),
    [
        ("dotnet wpf", {"net-wpf-new"}),
        ("dot net wcf services", {"net-wcf-new"}),
        ("nodejs backend", {"node-js-new"}),
        ("Node JS", {"node-js-new"}),
        ("ASPNET with C-sharp", {"asp-net-with-c-new"}),
        ("asp dot net", {"asp-net-with-c-new", "asp-net-4-5"}),
        ("ado net", {"ado-net-new"}),
        ("vb dot net", {"vb-net-new"}),
        (".NET framework", {"net-framework-4-5"}),
        ("pl sql", {"oracle-plsql-new"}),
        ("express.js", {"expressjs-new"}),
        ("c plus plus", {"c-programming-new-4122"}),
        ("C#", {"c-programming-new-4039", "asp-net-with-c-new"}),
        ("html 5", {"html5-new"}),
    ],
)
def test_casual_spellings_find_their_family_first(
    catalog_side: CatalogSide, query: str, family: set[str]
) -> None:
    assert found(catalog_side, query)[0] in family


@pytest.mark.parametrize(
    ("query", "absent"),
    [
        (".NET", "networking-and-implementation-new"),
        ("networking of routers and switches", "net-wcf-new"),
        ("JavaScript", "core-java-advanced-level-new"),
        ("Java", "javascript-new"),
        ("R&D lead", "r-programming-new"),
        ("C#", "c-programming-new"),
    ],
)
def test_a_neighbour_by_letters_is_not_among_the_first(
    catalog_side: CatalogSide, query: str, absent: str
) -> None:
    assert absent not in found(catalog_side, query, 3)


def test_the_name_that_lost_a_word_is_found_by_its_real_one(catalog_side: CatalogSide) -> None:
    first = found(catalog_side, "hands-on task in Excel 365")[0]
    assert first in {"microsoft-excel-365-new", "microsoft-excel-365-essentials-new"}
    assert "\n" not in "".join(assessment.name for assessment in catalog_side.catalog)
