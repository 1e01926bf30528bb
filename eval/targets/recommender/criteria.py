"""What a golden case of the recommender may ask of the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from eval.errors import DatasetError
from eval.probes import Wanted


@dataclass(frozen=True, slots=True)
class Criteria(Wanted):
    """The words of the probes, and what only a whole conversation can ask for."""

    may: tuple[str, ...] = ()
    """Defensible. None at all: what is neither must nor must_not was never judged."""
    dropped: tuple[str, ...] = ()
    """Shown before and dropped by the user."""
    refuses: bool | None = None
    """The last message has to be declined."""
    nothing_fits: bool | None = None
    """The catalogue has nothing for what is asked, and the answer has to say so."""


_KNOWN = {each.name for each in fields(Criteria)}


def read_criteria(row: Mapping[str, Any], case_id: str) -> Criteria:
    """The criteria of one case.

    Raises:
        DatasetError: naming the case and the unknown key.
    """
    if unknown := sorted(row.keys() - _KNOWN):
        raise DatasetError(f"{case_id}: unknown criteria {unknown}; known are {sorted(_KNOWN)}")
    fields_: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in row.items()
    }
    return Criteria(**fields_)
