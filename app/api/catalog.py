"""The catalogue for people and for a web page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Query

from app.api.dependencies import CatalogSide, RuntimeDep, SideDep
from app.api.problems import problem_docs
from app.catalog import Assessment, Level, TestType
from app.catalog.models import TYPE_LABELS
from app.errors import NotFoundError
from app.schemas import AssessmentPage, AssessmentView, clean_text

router = APIRouter(prefix="/assessments", tags=["catalogue"])

SEARCH_DEPTH = 100
"""Candidates looked at for a free text; more than anybody pages through."""

NEAREST = 10
"""How many are shown by meaning alone, when no assessment shares a word with the text."""

_WORD = re.compile(r"\w+")
Filter = Callable[[Assessment], bool]


@router.get("", summary="List or search assessments", responses=problem_docs(422, 429, 503))
async def list_assessments(
    runtime: RuntimeDep,
    side: SideDep,
    q: Annotated[str, Query(max_length=500, description="Free text; the best match comes first.")] = "",
    type: Annotated[list[TestType] | None, Query(description="Code letters; any of them.")] = None,  # noqa: A002
    level: Annotated[list[Level] | None, Query(description="Job levels; any of them.")] = None,
    language: Annotated[
        str, Query(max_length=60, description="Test language: `Spanish` means every regional form.")
    ] = "",
    max_minutes: Annotated[
        int | None, Query(ge=1, le=1_000, description="Longest; unknown minutes do not count as short.")
    ] = None,
    adaptive: Annotated[bool | None, Query(description="Adaptive or not.")] = None,
    limit: Annotated[int, Query(ge=1, le=100, description="Size of the page.")] = 20,
    offset: Annotated[int, Query(ge=0, le=10_000, description="How many to skip.")] = 0,
) -> AssessmentPage:
    """Assessments that pass every filter: in id order, or best match first when there is a free text."""
    found: Iterable[Assessment] = side.catalog
    if q.strip():
        loop = asyncio.get_running_loop()
        with runtime.admission.enter():
            found = await loop.run_in_executor(runtime.workers, search_assessments, side, clean_text(q))
    wanted = _filters(type or (), level or (), language.strip().lower(), max_minutes, adaptive)
    matching = [assessment for assessment in found if all(passes(assessment) for passes in wanted)]
    page = matching[offset : offset + limit]
    return AssessmentPage(
        total=len(matching),
        limit=limit,
        offset=offset,
        items=[_view(assessment, side) for assessment in page],
    )


@router.get("/{assessment_id}", summary="One assessment", responses=problem_docs(404, 422, 429, 503))
async def get_assessment(
    side: SideDep, assessment_id: Annotated[str, Path(description="Id, with or without its percent escapes.")]
) -> AssessmentView:
    """Everything known of one assessment."""
    assessment = side.find(assessment_id)
    if assessment is None:
        raise NotFoundError("The catalogue holds no assessment with this id.")
    return _view(assessment, side)


def search_assessments(side: CatalogSide, query: str) -> list[Assessment]:
    """Assessments that share a word with `query`, best first; the nearest by meaning when none does."""
    candidates = side.searcher.search(query, SEARCH_DEPTH)
    sharing = {hit.id for hit in candidates.lexical}
    ranked = [hit.id for hit in candidates.fused if hit.id in sharing] or [
        hit.id for hit in candidates.fused[:NEAREST]
    ]
    return [side.catalog[assessment_id] for assessment_id in ranked]


def _filters(
    types: Sequence[TestType],
    levels: Sequence[Level],
    language: str,
    max_minutes: int | None,
    adaptive: bool | None,
) -> list[Filter]:
    wanted: list[Filter] = []
    if types:
        wanted.append(lambda a: not set(types).isdisjoint(a.types))
    if levels:
        wanted.append(lambda a: not set(levels).isdisjoint(a.levels))
    if language:
        wanted.append(lambda a: any(speaks(name, language) for name in a.languages))
    if max_minutes is not None:
        wanted.append(lambda a: a.minutes is not None and a.minutes <= max_minutes)
    if adaptive is not None:
        wanted.append(lambda a: a.adaptive is adaptive)
    return wanted


def speaks(name: str, wanted: str) -> bool:
    """Whether the catalogue's language `name` is the wanted one or a regional form of it."""
    return set(_WORD.findall(wanted)) <= set(_WORD.findall(name.lower()))


def _view(assessment: Assessment, side: CatalogSide) -> AssessmentView:
    entry = side.knowledge.entries.get(assessment.id)
    return AssessmentView(
        id=assessment.id,
        name=assessment.name,
        url=assessment.url,
        test_type=assessment.test_type,
        types=[TYPE_LABELS[code] for code in assessment.types],
        minutes=assessment.minutes,
        duration=assessment.duration,
        levels=list(assessment.levels),
        languages=list(assessment.languages),
        remote=assessment.remote,
        adaptive=assessment.adaptive,
        summary=entry.summary if entry else "",
        topics=list(entry.topics) if entry else [],
    )
