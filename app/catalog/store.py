"""Load the catalogue file and look assessments up by id."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from app.catalog.models import Assessment, AssessmentId, Duration, Level, TestType
from app.errors import CatalogError


class Catalog:
    """All assessments, in id order. Immutable after construction."""

    def __init__(self, assessments: Iterable[Assessment]) -> None:
        """Index `assessments`.

        Raises:
            CatalogError: if there is none, or an id occurs twice.
        """
        ordered = sorted(assessments, key=lambda assessment: assessment.id)
        self._by_id = {assessment.id: assessment for assessment in ordered}
        if not ordered:
            raise CatalogError("the catalogue is empty: run scripts/build_catalog.py")
        if len(self._by_id) != len(ordered):
            twice = next(a.id for a, b in pairwise(ordered) if a.id == b.id)
            raise CatalogError(f"the catalogue holds {twice!r} twice")

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Assessment]:
        return iter(self._by_id.values())

    def __contains__(self, assessment_id: object) -> bool:
        return assessment_id in self._by_id

    def __getitem__(self, assessment_id: str) -> Assessment:
        return self._by_id[AssessmentId(assessment_id)]

    def get(self, assessment_id: str) -> Assessment | None:
        """The assessment with this id, or None."""
        return self._by_id.get(AssessmentId(assessment_id))

    @property
    def ids(self) -> tuple[AssessmentId, ...]:
        """All ids, sorted."""
        return tuple(self._by_id)


def load_catalog(path: Path) -> Catalog:
    """Read a catalogue file written by scripts/build_catalog.py.

    Raises:
        CatalogError: naming the file and the row that is wrong.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as exc:
        raise CatalogError(f"{path} is missing: run scripts/build_catalog.py") from exc
    except (OSError, ValueError) as exc:
        raise CatalogError(f"{path} cannot be read ({exc}): run scripts/build_catalog.py") from exc
    if not isinstance(rows, list):
        raise CatalogError(f"{path} does not hold a JSON array")
    return Catalog(_parse_row(path, number, row) for number, row in enumerate(rows, start=1))


def _parse_row(path: Path, number: int, row: Mapping[str, Any]) -> Assessment:
    try:
        return Assessment(
            id=AssessmentId(row["id"]),
            entity_id=row["entity_id"],
            name=row["name"],
            url=row["url"],
            types=tuple(TestType(code) for code in row["types"]),
            minutes=row["minutes"],
            duration=Duration(row["duration"]),
            levels=tuple(Level(code) for code in row["levels"]),
            languages=tuple(row["languages"]),
            remote=row["remote"],
            adaptive=row["adaptive"],
        )
    except (KeyError, TypeError, ValueError) as exc:
        raise CatalogError(f"{path}, row {number}: {exc!r}") from exc
