"""Is the process alive, and does it serve?"""

from __future__ import annotations

from fastapi import APIRouter, Response

from app.api.dependencies import RuntimeDep
from app.schemas import HealthView, PartView, ReadyView

router = APIRouter(tags=["health"])


@router.get("/health", summary="Is the process alive?")
async def health() -> HealthView:
    """Always 200 from the moment the process listens, also while it warms up."""
    return HealthView()


@router.get(
    "/ready",
    summary="Are requests served, and with what?",
    responses={
        503: {"model": ReadyView, "description": "Still loading, or loading failed; `parts` says why"}
    },
)
async def ready(runtime: RuntimeDep, response: Response) -> ReadyView:
    """200 once the catalogue, the knowledge and lexical search are loaded.

    Dense search attaches later; without it turns are served all the same, and this says so.
    """
    response.status_code = 200 if runtime.ready else 503
    return ReadyView(
        ready=runtime.ready,
        parts={name: PartView(state=part.state, detail=part.detail) for name, part in runtime.parts.items()},
    )
