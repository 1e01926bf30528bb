"""Rank by nearness of meaning: the cosine between a query's vectors and the documents'."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from app.retrieval.base import Ranking, check_length
from app.retrieval.encoders.base import Encoder
from app.retrieval.passages import telling_passages
from app.retrieval.selection import rank_scores

DECIMALS = 5
"""Finer differences of a cosine are noise of single precision and of the processor."""
LRU_SIZE = 512
"""Query vectors kept: under 1 MB. Saves a repeated turn its 4 to 60 ms."""


class DenseIndex:
    """Documents as unit vectors, and the encoder that made them."""

    def __init__(
        self,
        ids: Sequence[str],
        matrix: NDArray[np.float32],
        encoder: Encoder,
        *,
        known: Mapping[str, NDArray[np.float32]] = MappingProxyType({}),
        lru_size: int = LRU_SIZE,
    ) -> None:
        """Index the rows of `matrix`.

        Args:
            ids: one per row.
            matrix: float32, shape (documents, encoder.dimension). Rows need not have unit length. A row that
                is zero or holds anything but numbers has no direction and is never ranked.
            encoder: what queries are encoded with.
            known: what `encoder` makes of texts that queries often hold; it need not read those.
            lru_size: query vectors to keep; 0 for none. Rankings are the same either way.

        Raises:
            ValueError: shapes that do not fit, or an id twice.
        """
        if matrix.shape != (len(ids), encoder.dimension):
            raise ValueError(f"matrix {matrix.shape} does not fit {len(ids)} ids of {encoder.dimension}")
        if len(set(ids)) != len(ids):
            raise ValueError("an id occurs twice")
        directions, usable = _directions(matrix)
        self._ids = [key for key, use in zip(ids, usable, strict=True) if use]
        self._matrix = directions[usable]
        self._encoder = encoder
        self._known = known
        self._cache = _VectorCache(lru_size)

    def rank(self, query: str, n: int) -> Ranking:
        """The documents nearest to `query`; see Ranker.

        A query is read by its most telling passages, and a document scores by the one it fits best. Scores are
        cosines in [-1, 1]. A blank query gives nothing and does not reach the encoder.

        A message is a paragraph, so what earlier turns said need not be encoded again; and what is right comes
        earlier than from all of the text at once (recall of 222 needs in the first ten: 0.611 instead of 0.586).
        """
        check_length(n)
        vectors = [self._vector(passage) for passage in telling_passages(query)]
        usable = [vector for vector in vectors if np.isfinite(vector).all()]
        if not usable or not self._ids:
            return ()
        # einsum, not BLAS: as fast at this size, one thread, and the same bits whatever the number of cores.
        scores = np.max([np.einsum("ij,j->i", self._matrix, vector) for vector in usable], axis=0)
        return rank_scores(self._ids, scores, n=n, decimals=DECIMALS)

    def _vector(self, text: str) -> NDArray[np.float32]:
        kept = self._known.get(text)
        if kept is None:
            kept = self._cache.get(text)
        if kept is not None:
            return kept
        vector = self._encoder.encode(text)
        self._cache.put(text, vector)
        return vector


class _VectorCache:
    """The vectors used last, by text. Two threads may compute the same one; both get the same numbers."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str) -> NDArray[np.float32] | None:
        with self._lock:
            vector = self._vectors.get(text)
            if vector is not None:
                self._vectors.move_to_end(text)
            return vector

    def put(self, text: str, vector: NDArray[np.float32]) -> None:
        with self._lock:
            self._vectors[text] = vector
            self._vectors.move_to_end(text)
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)


def _directions(matrix: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Rows at unit length, and which of them have a direction at all."""
    lengths = np.linalg.norm(matrix, axis=1)
    usable = np.isfinite(lengths) & (lengths > 0)
    directions = np.divide(matrix, lengths[:, None], out=np.zeros_like(matrix), where=usable[:, None])
    return directions, usable
