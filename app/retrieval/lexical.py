"""Rank by shared words (BM25).

Both engines give the same scores: Okapi term weights (k1, b) times Lucene's idf, ln(1 + (N - df + 0.5) /
(df + 0.5)), which is never negative. The classic idf turns negative for words in more than half of the
documents and is then floored at a share of the average, so that such words lift or hide documents at random.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from app.retrieval.base import Ranker, Ranking, check_length
from app.retrieval.passages import split_passages
from app.retrieval.selection import rank_scores
from app.retrieval.text import tokenize

LARGE_CATALOGUE = 5_000
"""Documents up to which rank-bm25 serves. A query takes 0.1 to 0.2 ms with either engine at 370 and at 5,000.
At 50,000 bm25s builds in 15 s instead of 22 and holds 440 MB instead of 560; at 370 its import costs more
than it gives."""

K1 = 1.5
B = 0.75
COMMON_SHARE = 0.6
"""A word in more than this share of the documents tells nothing and weighs nothing..."""
COMMON_FROM = 20
"""...once there are this many: in a handful, a word that most have may be all there is to go by."""
DECIMALS = 6


def build_lexical(documents: Mapping[str, str]) -> Ranker:
    """A BM25 ranker over `documents` (id to text), with the engine that suits their number.

    A long query is read by passages, and a document scores by the one it fits best. In a passage each word
    counts once, however often it is repeated and wherever it stands. Only documents with a positive score are
    ranked.

    Raises:
        ValueError: if there are no documents.
    """
    if len(documents) > LARGE_CATALOGUE:
        return SparseBM25(documents)
    return OkapiBM25(documents)


def term_weight(document_frequency: int, documents: int) -> float:
    """How much a word tells that stands in `document_frequency` of `documents`; at least 0."""
    if documents >= COMMON_FROM and document_frequency > COMMON_SHARE * documents:
        return 0.0
    return math.log1p((documents - document_frequency + 0.5) / (document_frequency + 0.5))


class _BM25(ABC):
    """What the two engines share."""

    def __init__(self, documents: Mapping[str, str]) -> None:
        """Index `documents` (id to text).

        Raises:
            ValueError: if there are none.
        """
        if not documents:
            raise ValueError("there are no documents to index")
        self._ids = sorted(documents)
        self._index([tokenize(documents[key]) for key in self._ids])

    def rank(self, query: str, n: int) -> Ranking:
        """Documents that share a telling word with `query`; see Ranker."""
        check_length(n)
        scores = np.zeros(len(self._ids))
        for passage in split_passages(query):
            # Sorted: a sum then does not depend on the order of the words, to the last bit.
            np.maximum(scores, self._scores(sorted(set(tokenize(passage)))), out=scores)
        return rank_scores(self._ids, scores, n=n, decimals=DECIMALS, above=0.0)

    @abstractmethod
    def _index(self, corpus: list[list[str]]) -> None:
        """Take in the tokens of all documents, in id order."""

    @abstractmethod
    def _scores(self, tokens: list[str]) -> NDArray[np.float64]:
        """Scores of all documents for `tokens`, which are distinct; float64, shape (documents,)."""


class OkapiBM25(_BM25):
    """rank-bm25, for catalogues up to a few thousand documents."""

    def _index(self, corpus: list[list[str]]) -> None:
        self._postings = _postings(corpus)

    def _scores(self, tokens: list[str]) -> NDArray[np.float64]:
        scores = np.zeros(len(self._ids))
        for token in tokens:
            if token in self._postings:
                rows, gains = self._postings[token]
                scores[rows] += gains
        return scores


class SparseBM25(_BM25):
    """bm25s, for large catalogues: all scores are computed when the index is built."""

    def _index(self, corpus: list[list[str]]) -> None:
        from bm25s import BM25  # slow to import, seldom needed

        frequencies = Counter(token for tokens in corpus for token in set(tokens))
        self._telling = {token for token, df in frequencies.items() if term_weight(df, len(corpus)) > 0}
        self._engine = BM25(k1=K1, b=B, method="atire", idf_method="lucene", dtype="float64")
        if self._telling:
            self._engine.index(corpus, show_progress=False)

    def _scores(self, tokens: list[str]) -> NDArray[np.float64]:
        known = [token for token in tokens if token in self._telling]
        if not known:
            return np.zeros(len(self._ids))
        return np.asarray(self._engine.get_scores(known), np.float64)


class _LuceneOkapi(BM25Okapi):  # type: ignore[misc]  # its base has no types
    """BM25Okapi with a weight that is never negative and without the floor for common words."""

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        self.idf = {token: term_weight(count, self.corpus_size) for token, count in nd.items()}


def _postings(corpus: Sequence[Sequence[str]]) -> dict[str, tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """For each telling word: rows of the documents that hold it, and what it adds to their scores.

    Asked at query time, rank-bm25 visits every document for every word (0.05 ms a word at 370). Its own
    formula worked out beforehand, and only where the word occurs, leaves additions: a query of 4,000 words
    takes 20 ms.
    """
    engine = _LuceneOkapi(corpus, k1=K1, b=B)
    engine.doc_len = np.array(engine.doc_len)  # it would convert its list on every call
    rows: dict[str, list[int]] = {}
    for row, tokens in enumerate(corpus):
        for token in dict.fromkeys(tokens):
            rows.setdefault(token, []).append(row)
    return {
        token: (np.array(where), np.array(engine.get_batch_scores([token], where)))
        for token, where in rows.items()
        if engine.idf[token] > 0
    }
