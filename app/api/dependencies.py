"""What the routes share: the state of loading, the worker threads, the settings."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal, Protocol
from urllib.parse import unquote

import structlog
from fastapi import Depends, Request
from starlette.exceptions import HTTPException

from app.api.admission import Admission
from app.catalog import Assessment, AssessmentId, Catalog
from app.errors import RecommenderError
from app.observability import Metrics, failure_fields, redact

if TYPE_CHECKING:  # numpy and the knowledge are read in the loading thread, not at import
    from app.config import Settings
    from app.knowledge import Knowledge
    from app.observability.tracing import TurnTracer
    from app.pipeline import RoutedPipeline, Searcher
    from app.records import History, Reply, TurnTrace

PartName = Literal["catalog", "knowledge", "lexical", "router", "dense"]
PartState = Literal["loading", "loaded", "off", "failed"]
Report = Callable[[PartName, PartState, str], None]

_SERVING: tuple[PartName, ...] = ("catalog", "knowledge", "lexical")
"""What a turn cannot do without."""

_log = structlog.get_logger(__name__)


class Responder(Protocol):
    """Answers a conversation; `app.pipeline.Pipeline` is one."""

    def respond(self, history: History) -> tuple[Reply, TurnTrace]:
        """The reply to the last message, and how it came about."""
        ...


@dataclass(frozen=True)
class CatalogSide:
    """What serves requests, with or without the dense side."""

    catalog: Catalog
    knowledge: Knowledge
    responder: Responder
    searcher: Searcher
    routed: RoutedPipeline | None = None
    """The same responder with a language model in it, where one was chosen."""

    @cached_property
    def _by_decoded_id(self) -> Mapping[str, AssessmentId]:
        return {unquote(assessment_id): assessment_id for assessment_id in self.catalog.ids}

    def find(self, path_id: str) -> Assessment | None:
        """The assessment meant by an id in a path, which arrives with its percent escapes decoded."""
        found = self.catalog.get(path_id)
        if found is None and (assessment_id := self._by_decoded_id.get(unquote(path_id))):
            found = self.catalog[assessment_id]
        return found


@dataclass(frozen=True, slots=True)
class Part:
    """State of one part of the service."""

    state: PartState
    detail: str


class Runtime:
    """One per application: what is loaded and where turns are computed."""

    def __init__(self, settings: Settings, metrics: Metrics, tracer: TurnTracer | None = None) -> None:
        self.settings = settings
        self.tracer = tracer
        self.metrics = metrics
        self.admission = Admission(settings.http.max_turns, metrics)
        self.workers = self._new_workers()
        """Own threads: a turn that overruns its deadline keeps its place here, so that they stay bounded."""
        self._side: Future[CatalogSide] | None = None
        self._lock = threading.Lock()
        self._parts: dict[PartName, Part] = dict.fromkeys((*_SERVING, "router", "dense"), Part("loading", ""))

    def report(self, part: PartName, state: PartState, detail: str) -> None:
        """Record what became of a part. Called from the loading thread."""
        with self._lock:
            self._parts[part] = Part(state, detail)
        _log.info("part", part=part, state=state, detail=detail)

    def _new_workers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.settings.http.worker_threads, "turn")

    def open(self) -> bool:
        """Get ready to serve; whether loading has to be started (an application may be started again)."""
        if self._side is None:
            return True
        self.workers = self._new_workers()
        return False

    def follow(self, side: Future[CatalogSide], dense: Future[None]) -> None:
        """Serve from `side` once it is there, and record how both loads end."""
        self._side = side
        side.add_done_callback(lambda done: self._record_end(done, (*_SERVING, "router")))
        dense.add_done_callback(lambda done: self._record_end(done, ("dense",)))

    def _record_end(self, done: Future[CatalogSide] | Future[None], parts: tuple[PartName, ...]) -> None:
        if done.cancelled() or (exc := done.exception()) is None:
            return
        if done is not self._side and self._side is not None and self._side.exception() is exc:
            for part in parts:
                self.report(part, "off", "needs the catalogue")
            return
        _log.error("loading_failed", parts=parts, **failure_fields(exc, with_text=True))
        reason = str(exc) if isinstance(exc, RecommenderError) else f"{type(exc).__name__}: {exc}"
        waiting = [part for part in parts if self._parts[part].state == "loading"]
        for number, part in enumerate(waiting):
            if number == 0:
                self.report(part, "failed", redact(reason))
            else:
                self.report(part, "off", f"not loaded, because {waiting[0]} failed")

    @property
    def parts(self) -> Mapping[PartName, Part]:
        """What is loaded, what is not, and why."""
        with self._lock:
            return dict(self._parts)

    @property
    def ready(self) -> bool:
        """Whether requests are answered from the catalogue."""
        return all(self.parts[part].state == "loaded" for part in _SERVING)

    async def serving(self) -> CatalogSide:
        """The catalogue side; waits while it loads, and raises what its loading raised."""
        if self._side is None:
            raise RuntimeError("the application's lifespan has not been started")
        if self._side.done():
            return self._side.result()
        return await asyncio.shield(asyncio.wrap_future(self._side))

    async def close(self) -> None:
        """Let go of the threads without waiting for a turn that overran, and of a model's connections."""
        self.workers.shutdown(wait=False, cancel_futures=True)
        side = self._side
        if side is not None and side.done() and side.exception() is None and (routed := side.result().routed):
            await routed.router.close()


async def get_runtime(request: Request) -> Runtime:
    """The runtime of the application that serves this request."""
    runtime: Runtime = request.app.state.runtime
    return runtime


async def require_json(request: Request) -> None:
    """Refuse a body that is declared as something other than JSON; no declaration counts as JSON."""
    declared = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if declared != "application/json" and not (
        declared.startswith("application/") and declared.endswith("+json")
    ):
        raise HTTPException(415, "The body has to be JSON, declared as 'content-type: application/json'.")


async def serving_side(request: Request, runtime: RuntimeDep) -> CatalogSide:
    """The catalogue side for routes that are nothing without it: 503 when it failed or takes too long."""
    try:
        async with asyncio.timeout_at(request.state.deadline - 0.5):
            return await runtime.serving()
    except TimeoutError:
        raise HTTPException(503, "The catalogue is still loading.") from None
    except (RecommenderError, ImportError, OSError) as exc:
        raise HTTPException(503, "The catalogue could not be loaded; /ready says why.") from exc


RuntimeDep = Annotated[Runtime, Depends(get_runtime)]
SideDep = Annotated[CatalogSide, Depends(serving_side)]
