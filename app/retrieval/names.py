"""Rank by name: a query that is nothing but a name finds who bears it."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable

from app.retrieval.base import Hit, Ranking, check_length


class NameIndex:
    """Exact names, spelling of case and spaces aside.

    Short names ("g+", ".net") are made of words that many documents share, so neither words nor meaning tell
    which one bears them.
    """

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        """Index pairs of id and name; an id may have many names, a name many bearers."""
        bearers: defaultdict[str, set[str]] = defaultdict(set)
        for key, name in names:
            bearers[_plain(name)].add(key)
        self._bearers = {name: tuple(sorted(keys)) for name, keys in bearers.items()}

    def rank(self, query: str, n: int) -> Ranking:
        """Who bears the name `query`, score 1 each; see Ranker."""
        check_length(n)
        return tuple(Hit(key, 1.0) for key in self._bearers.get(_plain(query), ())[:n])


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
