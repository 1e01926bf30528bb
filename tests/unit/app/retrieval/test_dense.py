from __future__ import annotations

import threading

import numpy as np
import pytest
from numpy.typing import NDArray

from app.records import PARAGRAPH
from app.retrieval import DenseIndex, Hit
from app.retrieval.index import build_matrix
from tests.unit.app.retrieval.doubles import DOCUMENTS, WordEncoder


class FixedEncoder:
    """Gives the vector it was told to."""

    name = "fixed"
    dimension = 2
    weights_sha256 = "1" * 64

    def __init__(self, *vector: float) -> None:
        self.vector = np.array(vector, np.float32)
        self.calls = 0

    def encode(self, text: str) -> NDArray[np.float32]:
        self.calls += 1
        return self.vector


def rows(*values: tuple[float, float]) -> NDArray[np.float32]:
    return np.array(values, np.float32)


def test_scores_are_cosines_rounded_to_five_decimals() -> None:
    index = DenseIndex(["a", "b", "c"], rows((3, 4), (5, 0), (-1, 0)), FixedEncoder(1, 0))
    assert index.rank("x", 3) == (Hit("b", 1.0), Hit("a", 0.6), Hit("c", -1.0))


def test_equals_stand_in_id_order() -> None:
    index = DenseIndex(["c", "a", "b"], rows((1, 0), (1, 1e-7), (2, 0)), FixedEncoder(1, 0))
    assert [hit.id for hit in index.rank("x", 2)] == ["a", "b"]


@pytest.mark.parametrize("bad", [(np.nan, 1), (np.inf, 1), (-np.inf, 0), (0, 0)])
def test_rows_without_direction_never_rank(bad: tuple[float, float]) -> None:
    index = DenseIndex(["a", "b"], rows(bad, (0, 1)), FixedEncoder(1, 0))
    assert [hit.id for hit in index.rank("x", 5)] == ["b"]
    assert DenseIndex(["a"], rows(bad), FixedEncoder(1, 0)).rank("x", 5) == ()


@pytest.mark.parametrize("bad", [(np.nan, 0), (np.inf, 0)])
def test_query_without_direction_finds_nothing(bad: tuple[float, float]) -> None:
    assert DenseIndex(["a"], rows((1, 0)), FixedEncoder(*bad)).rank("x", 5) == ()


@pytest.mark.parametrize("query", ["", "   ", "\n\u00a0"])
def test_blank_query_finds_nothing_and_is_not_encoded(query: str) -> None:
    encoder = FixedEncoder(1, 0)
    assert DenseIndex(["a"], rows((1, 0)), encoder).rank(query, 5) == ()
    assert encoder.calls == 0


def test_index_without_documents_finds_nothing() -> None:
    assert DenseIndex([], np.empty((0, 2), np.float32), FixedEncoder(1, 0)).rank("x", 5) == ()


def test_refuses_shapes_and_ids_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        DenseIndex(["a"], rows((1, 0), (0, 1)), FixedEncoder(1, 0))
    with pytest.raises(ValueError, match="twice"):
        DenseIndex(["a", "a"], rows((1, 0), (0, 1)), FixedEncoder(1, 0))
    with pytest.raises(ValueError, match="at least 1"):
        DenseIndex(["a"], rows((1, 0)), FixedEncoder(1, 0)).rank("x", 0)


def a_word_index(encoder: WordEncoder, lru_size: int) -> DenseIndex:
    ids, matrix = build_matrix(DOCUMENTS, encoder)
    encoder.asked.clear()
    return DenseIndex(ids, matrix, encoder, lru_size=lru_size)


@pytest.mark.parametrize("lru_size", [0, 1, 100])
def test_kept_vectors_change_no_answer(lru_size: int) -> None:
    index, plain = a_word_index(WordEncoder(), lru_size), a_word_index(WordEncoder(), 0)
    for query in ("forklift", "phone", "forklift", "forklift", "typing speed", "phone"):
        assert index.rank(query, 4) == plain.rank(query, 4)


def test_keeps_only_the_vectors_used_last() -> None:
    encoder = WordEncoder()
    index = a_word_index(encoder, 2)
    for query in ("a1", "b1", "a1", "c1", "a1", "b1"):
        index.rank(query, 1)
    assert encoder.asked == ["a1", "b1", "c1", "b1"]


def test_differently_spaced_text_is_encoded_once() -> None:
    encoder = WordEncoder()
    index = a_word_index(encoder, 2)
    assert index.rank("forklift  driver\n", 1) == index.rank("forklift driver", 1)
    assert encoder.asked == ["forklift driver"]


def test_long_query_scores_by_its_best_passage() -> None:
    encoder = WordEncoder()
    index = a_word_index(encoder, 0)
    story = "The garden by the harbour is open to dogs, boats and music on all days of summer. "
    ranking = index.rank(PARAGRAPH.join([story * 20, "Must haves are a good phone manner."]), 4)
    assert len(encoder.asked) == 2
    assert ranking[0].id == "phone-manner"


def test_known_texts_are_not_encoded_and_rank_the_same() -> None:
    encoder = WordEncoder()
    ids, matrix = build_matrix(DOCUMENTS, encoder)
    known = {"typing speed": encoder.encode("typing speed")}
    encoder.asked.clear()
    knowing, plain = DenseIndex(ids, matrix, encoder, known=known), DenseIndex(ids, matrix, WordEncoder())
    query = PARAGRAPH.join(["typing speed", "forklift"])
    assert knowing.rank(query, 4) == plain.rank(query, 4)
    assert encoder.asked == ["forklift"]


def test_threads_get_the_answers_of_one() -> None:
    index, expected = a_word_index(WordEncoder(), 2), a_word_index(WordEncoder(), 0)
    queries = ["forklift", "phone manner", "typing", "speed", "licence"]
    wrong: list[str] = []

    def work() -> None:
        for query in queries * 20:
            if index.rank(query, 4) != expected.rank(query, 4):
                wrong.append(query)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


class ListeningEncoder(FixedEncoder):
    """Keeps what it was given to read."""

    def __init__(self) -> None:
        super().__init__(1, 0)
        self.heard: list[str] = []

    def encode(self, text: str) -> NDArray[np.float32]:
        self.heard.append(text)
        return super().encode(text)


@pytest.mark.parametrize(
    ("query", "heard"),
    [
        ("We are looking for a Java developer, who also knows SQL.", "Java developer, knows SQL."),
        ("who are you?", "who are you?"),
        ("C++ or .NET", "C++ .NET"),
    ],
)
def test_the_encoder_reads_no_function_words(query: str, heard: str) -> None:
    encoder = ListeningEncoder()
    DenseIndex(["a"], rows((1, 0)), encoder).rank(query, 1)
    assert encoder.heard == [heard]
