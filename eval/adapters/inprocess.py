"""The pipeline in this process: no server, no network, and what the turn trace shows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from app.api.chat import respond_to, take_turn
from app.api.dependencies import CatalogSide
from app.composition import load_catalog_side, load_dense_side
from app.config import load_settings
from app.errors import RecommenderError
from app.observability import configure_logging
from app.records import History, TurnTrace
from app.schemas import ChatRequest, ChatResponse
from eval.adapters.base import AdapterOptions, AdapterSpec
from eval.adapters.wire import read_body
from eval.errors import AdapterError
from eval.records import ChatMessage, Payload

NAME = "inprocess"


class InProcessAdapter:
    """Asks the loaded pipeline. The answer passes through the same wire schema as over HTTP."""

    def __init__(self, side: CatalogSide, notes: tuple[str, ...] = (), timeout_s: float = 30.0) -> None:
        self.side = side
        self.notes = notes
        self._timeout_s = timeout_s
        self._loop = asyncio.Runner()
        """For turns that wait for a language model; one for all, because connections belong to it."""

    @property
    def target(self) -> str:
        """What answers."""
        return f"app.pipeline in this process, {len(self.side.catalog)} assessments"

    def ask(self, messages: Sequence[ChatMessage]) -> Payload:
        """One turn; an exception of the pipeline becomes a failed payload that names it."""
        question = messages[-1].content if messages else ""
        start = time.perf_counter()
        try:
            request = ChatRequest.model_validate(
                {"messages": [{"role": m.role, "content": m.content} for m in messages]}
            )
            response, trace = self._turn(request.to_history())
        except Exception as exc:  # noqa: BLE001 - whatever the target does is data
            error = f"{type(exc).__name__}: {exc}"
            return Payload(question, status="failed", source=NAME, error=error, faults=(error,))
        latency_ms = (time.perf_counter() - start) * 1000
        fields = read_body(response.model_dump(mode="json"))
        fields.setdefault("status", "timeout" if latency_ms > self._timeout_s * 1000 else "ok")
        return Payload(
            question=question,
            source=NAME,
            latency_ms=round(latency_ms, 3),
            context=tuple(hit.id for hit in trace.candidates),
            degraded=trace.degraded,
            router=trace.routing.router,
            input_tokens=trace.routing.input_tokens,
            output_tokens=trace.routing.output_tokens,
            act=f"{trace.decision.act.value}/{trace.decision.rule}",
            **fields,
        )

    def _turn(self, history: History) -> tuple[ChatResponse, TurnTrace]:
        if self.side.routed is None:
            return respond_to(history, self.side)
        return self._loop.run(self._routed_turn(history))

    async def _routed_turn(self, history: History) -> tuple[ChatResponse, TurnTrace]:
        deadline = asyncio.get_running_loop().time() + self._timeout_s
        return await take_turn(history, self.side, deadline, asyncio.to_thread)

    def close(self) -> None:
        """Let go of the model's connections."""
        if self.side.routed is not None:
            self._loop.run(self.side.routed.router.close())
        self._loop.close()


def build(options: AdapterOptions) -> InProcessAdapter:
    """Load the pipeline, with its dense side when that is wanted and its files are there.

    Raises:
        AdapterError: the catalogue side cannot be loaded.
    """
    try:
        settings = load_settings()
        if options.provider:
            settings = settings.model_copy(update={"llm_provider": options.provider})
        configure_logging("auto", "error")
        side = load_catalog_side(settings, lambda *_: None)
    except RecommenderError as exc:
        raise AdapterError(f"the pipeline cannot be loaded: {exc}") from exc
    notes: list[str] = []
    if not options.dense or settings.retrieval.encoder == "none":
        notes.append("degraded: searched by words only, the dense side was switched off")
    else:
        try:
            load_dense_side(settings, side, lambda *_: None)
        except (RecommenderError, ImportError, OSError) as exc:
            notes.append(f"degraded: searched by words only, the dense side did not load ({exc})")
    return InProcessAdapter(side, tuple(notes), options.timeout_s)


ADAPTER = AdapterSpec(NAME, "the pipeline in this process", build)
