"""Turns as OpenTelemetry traces, sent over OTLP/HTTP. Off unless an address is set; an extra.

A turn is recorded when it is over, from the times that were measured anyway: the turn costs nothing more than
handing over one record, and a collector that is gone delays nobody (a batch in a thread, dropped when full).
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.errors import ConfigError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor

SERVICE = "assessment-recommender"


@dataclass(frozen=True, slots=True)
class TurnSpan:
    """What a trace says of a turn; no word of it."""

    seconds: float
    stage_ms: Mapping[str, float]
    attributes: Mapping[str, str | int | bool]
    failed: bool


class TurnTracer:
    """Writes a span for each turn and one below it for each stage."""

    def __init__(self, processor: SpanProcessor) -> None:
        """Hand the spans to `processor`."""
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider

        self._provider = TracerProvider(resource=Resource.create({"service.name": SERVICE}))
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer(SERVICE)

    def record(self, turn: TurnSpan, traceparent: str = "") -> None:
        """One turn that ended now, below the caller's span where `traceparent` (W3C) names one.

        Stages follow each other in the order of `stage_ms`; what lies between them is at the end.
        """
        from opentelemetry.trace import Status, StatusCode, set_span_in_context
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        parent = TraceContextTextMapPropagator().extract({"traceparent": traceparent})
        end = time.time_ns()
        at = end - round(turn.seconds * 1e9)
        span = self._tracer.start_span("turn", parent, attributes=dict(turn.attributes), start_time=at)
        for stage, milliseconds in turn.stage_ms.items():
            below = self._tracer.start_span(stage, set_span_in_context(span), start_time=at)
            at += round(milliseconds * 1e6)
            below.end(at)
        if turn.failed:
            span.set_status(Status(StatusCode.ERROR))
        span.end(end)

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()


def open_tracer(endpoint: str) -> TurnTracer | None:
    """A tracer that sends to `endpoint`, such as http://collector:4318/v1/traces; None when it is empty.

    Raises:
        ConfigError: the address cannot work, or OpenTelemetry is not installed.
    """
    if not endpoint:
        return None
    if not endpoint.startswith(("http://", "https://")):
        raise ConfigError("OBSERVABILITY__TRACES: an address with http:// or https:// is needed")
    try:
        found = importlib.util.find_spec("opentelemetry.exporter.otlp.proto.http")
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise ConfigError(
            "OBSERVABILITY__TRACES needs packages: pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http"
        )
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    return TurnTracer(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
