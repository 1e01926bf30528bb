"""One contract for both BM25 engines, and the dense index where it shares it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import pytest

from app.retrieval import Ranker, tokenize
from app.retrieval.dense import DenseIndex
from app.retrieval.index import build_matrix
from app.retrieval.lexical import OkapiBM25, SparseBM25
from tests.unit.app.retrieval.doubles import DOCUMENTS, WordEncoder

Build = Callable[[Mapping[str, str]], Ranker]


def build_dense(documents: Mapping[str, str]) -> Ranker:
    encoder = WordEncoder()
    ids, matrix = build_matrix(documents, encoder)
    return DenseIndex(ids, matrix, encoder)


lexical = pytest.mark.parametrize("build", [OkapiBM25, SparseBM25])
every = pytest.mark.parametrize("build", [OkapiBM25, SparseBM25, build_dense])


def random_documents(count: int, seed: int) -> dict[str, str]:
    chance = random.Random(seed)
    words = [f"{letter}{other}word" for letter in "bcdfgh" for other in "aeiou"]
    weights = [1 / (place + 1) for place in range(len(words))]
    return {
        f"id{number:04}": " ".join(chance.choices(words, weights, k=chance.randint(0, 12)))
        for number in range(count)
    }


@every
def test_best_first_ties_by_id_and_at_most_n(build: Build) -> None:
    ranker = build(DOCUMENTS)
    ranking = ranker.rank("forklift licence", 3)
    assert ranking[0].id == "forklift-licence"
    assert list(ranking) == sorted(ranking, key=lambda hit: (-hit.score, hit.id))
    assert ranker.rank("forklift licence", 1) == ranking[:1]


@every
@pytest.mark.parametrize("n", [0, -1])
def test_refuses_a_length_that_holds_nothing(build: Build, n: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        build(DOCUMENTS).rank("forklift", n)


@every
@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_blank_query_gives_nothing(build: Build, query: str) -> None:
    assert build(DOCUMENTS).rank(query, 5) == ()


@every
def test_order_in_which_documents_come_changes_nothing(build: Build) -> None:
    turned = dict(reversed(DOCUMENTS.items()))
    assert build(turned).rank("forklift speed", 5) == build(DOCUMENTS).rank("forklift speed", 5)


@every
def test_same_question_same_answer(build: Build) -> None:
    ranker = build(random_documents(60, seed=1))
    assert len({ranker.rank("baword cuword daword", 10) for _ in range(5)}) == 1


@lexical
@pytest.mark.parametrize("query", ["🔥🔥", "+++", "।।", "the of and", "zzz unknown words"])
def test_query_that_shares_no_word_gives_nothing(build: Build, query: str) -> None:
    assert build(DOCUMENTS).rank(query, 5) == ()


@lexical
def test_word_in_exactly_half_of_a_handful_ranks_its_documents(build: Build) -> None:
    ranking = build(DOCUMENTS).rank("forklift", 4)
    assert [hit.id for hit in ranking] == ["forklift-licence", "forklift-safety"]
    assert all(hit.score > 0 for hit in ranking)


@lexical
@pytest.mark.parametrize("count", [1, 2, 3, 19])
def test_word_in_all_of_a_handful_still_ranks_them(build: Build, count: int) -> None:
    assert len(build({f"id{n}": "forklift" for n in range(count)}).rank("forklift", 50)) == count


@lexical
def test_word_in_most_of_many_neither_finds_nor_hides(build: Build) -> None:
    documents = {f"id{n:02}": "test of skill" for n in range(30)} | {"rare": "test of kubernetes"}
    assert build(documents).rank("test", 5) == ()
    assert build(documents).rank("kubernetes test", 5) == build(documents).rank("kubernetes", 5)
    assert [hit.id for hit in build(documents).rank("kubernetes", 5)] == ["rare"]


@lexical
def test_repetition_and_order_of_words_change_nothing(build: Build) -> None:
    ranker = build(random_documents(80, seed=2))
    assert ranker.rank("baword ceword baword", 20) == ranker.rank("ceword baword", 20)


@lexical
def test_documents_without_words_are_no_trouble(build: Build) -> None:
    assert build({"empty": "", "stop": "the of", "one": "forklift"}).rank("forklift", 5)[0].id == "one"
    assert build({"empty": "", "stop": "the of"}).rank("forklift", 5) == ()


@lexical
def test_no_documents_are_refused_with_a_reason(build: Build) -> None:
    with pytest.raises(ValueError, match="no documents"):
        build({})


@pytest.mark.parametrize("count", [3, 19, 20, 200])
def test_both_engines_give_the_same_scores(count: int) -> None:
    documents = random_documents(count, seed=count)
    okapi, sparse = OkapiBM25(documents), SparseBM25(documents)
    vocabulary = sorted({token for text in documents.values() for token in tokenize(text)})
    chance = random.Random(7)
    for _ in range(30):
        query = " ".join(chance.choices(vocabulary, k=chance.randint(1, 8)))
        assert okapi.rank(query, 50) == sparse.rank(query, 50)
