"""Langfuse, through its own SDK (extra `langfuse`): a trace for each case with the scores on it.

The SDK works in a daemon thread of ours behind a bounded queue. A server that cannot be reached, hangs or fails
costs the traces and, at the end, at most `CLOSE_S` seconds.
"""

from __future__ import annotations

import importlib.util
import queue
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import structlog
from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.observability import redact
from eval.errors import EvalError
from eval.tracing.base import CaseTrace, TraceCounts, Tracer

CAPACITY = 10_000
"""Traces that may wait; one more is dropped."""
CLOSE_S = 5.0
CALL_S = 5
"""For one request of the SDK, which takes whole seconds."""
_log = structlog.get_logger(__name__)


class TracingSettings(BaseSettings):
    """Whether graded cases are traced, and where to."""

    model_config = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True)

    eval_tracing: Literal["off", "langfuse"] = Field("off", description="Off even when keys are set.")
    langfuse_public_key: str = Field("", description="Public key of the project.")
    langfuse_secret_key: SecretStr | None = Field(None, description="Secret key of the project.")
    langfuse_base_url: str = Field(
        "https://cloud.langfuse.com",
        validation_alias=AliasChoices("LANGFUSE_BASE_URL", "LANGFUSE_HOST"),
        description="Address of the server.",
    )


def build_tracer() -> Tracer | None:
    """The tracer of EVAL_TRACING; None when it is off. Opens no connection.

    Raises:
        EvalError: a key or the SDK is missing, or a setting is wrong.
    """
    try:
        settings = TracingSettings()
    except ValidationError as exc:
        names = ", ".join("__".join(map(str, error["loc"])).upper() for error in exc.errors())
        raise EvalError(f"{names}: cannot be used") from None
    if settings.eval_tracing == "off":
        return None
    secret = settings.langfuse_secret_key
    if not settings.langfuse_public_key or secret is None or not secret.get_secret_value():
        raise EvalError("EVAL_TRACING=langfuse needs LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY")
    if importlib.util.find_spec("langfuse") is None:
        raise EvalError("EVAL_TRACING=langfuse needs a package: pip install langfuse")
    return LangfuseTracer(lambda: _client(settings, secret))


def _client(settings: TracingSettings, secret: SecretStr) -> Any:
    from langfuse import Langfuse
    from opentelemetry.sdk.trace import TracerProvider

    return Langfuse(
        public_key=settings.langfuse_public_key,
        secret_key=secret.get_secret_value(),
        base_url=settings.langfuse_base_url,
        timeout=CALL_S,
        tracer_provider=TracerProvider(shutdown_on_exit=False),  # ours to close; nobody else's spans go there
    )


class LangfuseTracer:
    """Hands traces to the SDK, one after the other, in the background."""

    def __init__(
        self, build: Callable[[], Any], *, capacity: int = CAPACITY, close_s: float = CLOSE_S
    ) -> None:
        """Start the thread.

        Args:
            build: makes the SDK's client; called in the thread, since the import alone takes a while.
            capacity: traces that may wait.
            close_s: seconds that `close` may take.
        """
        self._build = build
        self._close_s = close_s
        self._waiting: queue.Queue[CaseTrace | None] = queue.Queue(capacity)
        self._counts = TraceCounts()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="langfuse", daemon=True)
        self._thread.start()

    def send(self, trace: CaseTrace) -> None:
        """Take one trace, or drop it when too many wait."""
        try:
            self._waiting.put_nowait(trace)
        except queue.Full:
            self._count(dropped=1)

    def close(self) -> TraceCounts:
        """Send what waits, within the time limit, and say what became of it all."""
        try:
            self._waiting.put(None, timeout=self._close_s / 2)
            self._thread.join(self._close_s / 2)
        except queue.Full:
            pass  # stuck: counted below
        left = sum(trace is not None for trace in tuple(self._waiting.queue))
        self._count(dropped=left)
        if self._thread.is_alive() or self._counts.dropped or self._counts.failed:
            _log.warning(
                "traces_incomplete", waiting=left, dropped=self._counts.dropped, failed=self._counts.failed
            )
        return self._counts

    def _run(self) -> None:
        try:
            client = self._build()
        except Exception as exc:  # noqa: BLE001 - whatever the SDK raises, the run goes on without traces
            _log.warning("tracing_off", error=type(exc).__name__)
            client = None
        while (trace := self._waiting.get()) is not None:
            self._hand_over(client, trace)
        if client is not None:
            try:
                client.shutdown()
            except Exception as exc:  # noqa: BLE001 - as above
                _log.warning("tracing_not_closed", error=type(exc).__name__)

    def _hand_over(self, client: Any, trace: CaseTrace) -> None:
        if client is None:
            self._count(failed=1)
            return
        try:
            write_trace(client, trace)
        except Exception as exc:  # noqa: BLE001 - as above
            _log.debug("trace_failed", case=trace.case, error=type(exc).__name__)
            self._count(failed=1)
        else:
            self._count(handed_over=1)

    def _count(self, *, handed_over: int = 0, dropped: int = 0, failed: int = 0) -> None:
        with self._lock:
            self._counts = replace(
                self._counts,
                handed_over=self._counts.handed_over + handed_over,
                dropped=self._counts.dropped + dropped,
                failed=self._counts.failed + failed,
            )


def write_trace(client: Any, trace: CaseTrace) -> None:
    """One case by the SDK's `client`: a span, and a score for each dimension that has one."""
    trace_id = client.create_trace_id(seed=trace.seed)
    unscored = {score.name: redact(score.reason) for score in trace.scores if score.value is None}
    span = client.start_observation(
        name=trace.case,
        trace_context={"trace_id": trace_id},
        input=redact(trace.question),
        output=redact(trace.answer),
        metadata={
            "run": trace.run,
            "channel": trace.channel,
            "verdict": trace.verdict,
            "unscored": unscored,
            **{name: redact(words) for name, words in trace.facts.items()},
        },
    )
    span.end()
    for score in trace.scores:
        if score.value is not None:
            client.create_score(
                name=score.name,
                value=score.value,
                trace_id=trace_id,
                score_id=f"{trace_id}-{score.name}",
                data_type="NUMERIC",
                comment=redact(score.reason),
            )
