"""The rankers and their merged ranking."""

from __future__ import annotations

from dataclasses import dataclass

from app.retrieval.base import Ranker, Ranking, check_length
from app.retrieval.fusion import fuse
from app.retrieval.text import tokenize

DEPTH = 50
"""Hits taken from each ranker: enough that what is good in both lists but first in neither can win."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a search found, and by which way."""

    fused: Ranking = ()
    lexical: Ranking = ()
    dense: Ranking = ()
    dense_used: bool = False
    """Whether meaning was asked as well as words."""


class Retriever:
    """Search by words, and by meaning as soon as that side is there. Safe to call from several threads."""

    def __init__(self, lexical: Ranker, dense: Ranker | None = None, names: Ranker | None = None) -> None:
        """Search with `lexical`, with `dense` if it is ready, and by whole `names` if there are any."""
        self._lexical = lexical
        self._dense = dense
        self._names = names

    @property
    def has_dense(self) -> bool:
        """Whether searches ask for meaning too."""
        return self._dense is not None

    def set_dense(self, dense: Ranker | None) -> None:
        """Attach the side that loads in the background, or take it away.

        A search that runs meanwhile keeps what it began with; no search sees half of either.
        """
        self._dense = dense

    def search(self, query: str, n: int) -> Candidates:
        """The best `n` for `query`, merged by reciprocal rank.

        A query without a single word (blank, emoji, punctuation, function words only) finds nothing, and
        neither ranker is asked.

        Raises:
            ValueError: if `n` < 1.
        """
        check_length(n)
        if not tokenize(query):
            return Candidates()
        dense = self._dense  # read once: set_dense may run meanwhile
        depth = max(n, DEPTH)
        by_words = self._lexical.rank(query, depth)
        by_meaning = dense.rank(query, depth) if dense is not None else ()
        by_name = self._names.rank(query, depth) if self._names is not None else ()
        return Candidates(
            fused=fuse((by_words, by_meaning, by_name), n=n),
            lexical=by_words,
            dense=by_meaning,
            dense_used=dense is not None,
        )
