"""What Prometheus reads."""

from __future__ import annotations

import multiprocessing
import os

from fastapi import APIRouter, Response

from app.api.dependencies import RuntimeDep
from app.observability.prometheus import MEDIA_TYPE, Gauge, process_gauges, render

router = APIRouter(tags=["health"])


@router.get(
    "/metrics",
    summary="Counters and timings for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(runtime: RuntimeDep) -> Response:
    """By route template, act, rule and stage; never a word, an address or a key of anybody.

    With several processes behind one port each scrape reaches one of them, which its label `worker` names.
    """
    gauges = [
        Gauge("turns_in_progress", "Turns computed or waiting.", runtime.admission.inside),
        Gauge("turns_most", "Turns above which the service says 503.", runtime.settings.http.max_turns),
        Gauge("ready", "1 when turns are served from the catalogue.", runtime.ready),
        Gauge("dense", "1 when dense search is attached.", runtime.parts["dense"].state == "loaded"),
        *process_gauges(),
    ]
    in_group = multiprocessing.parent_process() is not None
    common = (("worker", str(os.getpid())),) if in_group else ()
    return Response(render(runtime.metrics.snapshot(), gauges, common), media_type=MEDIA_TYPE)
