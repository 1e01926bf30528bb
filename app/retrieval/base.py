"""What every ranker takes and gives. Ids are opaque strings: assessments, tables, anything with a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias


@dataclass(frozen=True, slots=True)
class Hit:
    """One ranked document."""

    id: str
    score: float
    """Higher is better; comparable within one ranking only."""


Ranking: TypeAlias = tuple[Hit, ...]
"""Hits, best first; equal scores in id order."""


class Ranker(Protocol):
    """Anything that orders its documents by how well they fit a query. Safe to call from several threads."""

    def rank(self, query: str, n: int) -> Ranking:
        """The best documents for `query`.

        Args:
            query: free text of any length; may be blank.
            n: longest ranking wanted.

        Returns:
            At most `n` hits; none if the query says nothing.

        Raises:
            ValueError: if `n` < 1.
        """
        ...


def check_length(n: int) -> None:
    """Refuse a ranking length that can hold nothing.

    Raises:
        ValueError: if `n` < 1.
    """
    if n < 1:
        raise ValueError(f"a ranking needs a length of at least 1, not {n}")
