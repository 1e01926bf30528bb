from __future__ import annotations

import math
import sys
from collections.abc import Mapping

import pytest

from app.retrieval import lexical
from app.retrieval.lexical import OkapiBM25, SparseBM25, build_lexical, term_weight
from tests.unit.app.retrieval.doubles import DOCUMENTS


def test_small_catalogues_get_rank_bm25_and_large_ones_bm25s(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(build_lexical(DOCUMENTS), OkapiBM25)
    monkeypatch.setattr(lexical, "LARGE_CATALOGUE", 3)
    assert isinstance(build_lexical(DOCUMENTS), SparseBM25)


def test_weight_is_lucenes_and_never_negative() -> None:
    assert term_weight(2, 4) == pytest.approx(math.log(2))
    assert all(term_weight(count, 10) > 0 for count in range(1, 11))


@pytest.mark.parametrize(("count", "documents", "tells"), [(12, 20, True), (13, 20, False), (19, 19, True)])
def test_words_of_most_documents_weigh_nothing_once_there_are_twenty(
    count: int, documents: int, tells: bool
) -> None:
    assert (term_weight(count, documents) > 0) is tells


def catalogue() -> Mapping[str, str]:
    """Forty documents that share their common words; one is about the rare one."""
    common = "Multi-choice test that measures knowledge of"
    subjects = {f"subject-{number:02}": f"{common} subject{number}x and theory" for number in range(39)}
    return subjects | {"kubernetes-new": f"{common} Kubernetes"}


@pytest.mark.parametrize(
    "query",
    ["new multi-choice test that measures knowledge of Kubernetes (New)", "Kubernetes", "kubernetes test"],
)
def test_filler_in_the_query_changes_nothing(query: str) -> None:
    ranking = build_lexical(catalogue()).rank(query, 10)
    assert [hit.id for hit in ranking] == ["kubernetes-new"]
    assert ranking == build_lexical(catalogue()).rank("Kubernetes", 10)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("dot net MVC", "net-mvc"),
        ("NodeJS services", "node-js"),
        ("asp net with c sharp", "asp-net-with-c"),
        ("node dot js", "node-js"),
        (".NET", "net-mvc"),
        ("Excel 365 simulation for an office junior", "excel-365"),
    ],
)
def test_casual_spelling_reaches_the_catalogue_form(query: str, first: str) -> None:
    documents = {
        "net-mvc": ".NET MVC",
        "node-js": "Node.js",
        "asp-net-with-c": "ASP .NET with C# and the whole tool chain around it",
        "networking": "Networking and Implementation",
        "c-programming": "C Programming",
        "excel-365": "Microsoft Excel 365, a simulation",
        "word-365": "Microsoft Word 365, a simulation",
    }
    ranking = build_lexical(documents).rank(query, 5)
    assert ranking[0].id == first
    assert "networking" not in {hit.id for hit in ranking}


def test_long_advert_does_not_drown_its_must_haves() -> None:
    history = (
        "In the summer of our second year we moved to a house by the harbour. We like music, boats and dogs. "
        "Our kitchen serves all three hundred of us, and our garden is open to the whole town on Sundays. "
    )
    documents = {
        f"other-{n:02}": f"summer house harbour music boats garden kitchen town x{n}y" for n in range(20)
    }
    documents["jenkins"] = "Jenkins"
    ranking = build_lexical(documents).rank(history * 10 + "Must haves: Jenkins, Docker, Selenium.", 25)
    assert "jenkins" in {hit.id for hit in ranking}
    whole = build_lexical(documents).rank("Must haves: Jenkins, Docker, Selenium.", 25)
    assert whole[0].score == next(hit.score for hit in ranking if hit.id == "jenkins")


def test_small_catalogue_does_not_import_the_large_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "bm25s", raising=False)
    build_lexical(DOCUMENTS)
    assert "bm25s" not in sys.modules
