"""Traces of turns: in memory, and over a real socket to a collector that reads OTLP."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from app.config import ObservabilitySettings, Settings
from app.errors import ConfigError
from app.observability.tracing import TurnSpan, TurnTracer, open_tracer
from app.records import History
from tests.conftest import ClientMaker
from tests.doubles import CannedResponder, StubLoader

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_stages_lie_one_behind_the_other_inside_the_turn() -> None:
    exporter = InMemorySpanExporter()
    tracer = TurnTracer(SimpleSpanProcessor(exporter))
    tracer.record(TurnSpan(0.010, {"understanding": 2.0, "reply": 3.0}, {"act": "recommend"}, False), PARENT)
    tracer.record(TurnSpan(0.010, {}, {}, failed=True), "nonsense")
    first, second, turn, failed = exporter.get_finished_spans()
    assert [span.name for span in (first, second, turn)] == ["understanding", "reply", "turn"]
    assert turn.start_time == first.start_time
    assert first.end_time == second.start_time == first.start_time + 2_000_000
    assert second.end_time == second.start_time + 3_000_000
    assert turn.end_time - turn.start_time == 10_000_000
    assert f"{turn.context.trace_id:032x}" == PARENT.split("-")[1]
    assert first.parent.span_id == turn.context.span_id
    assert turn.status.is_unset
    assert (failed.parent, failed.status.status_code.name) == (None, "ERROR")
    tracer.close()


@pytest.fixture
def collector() -> Iterator[tuple[str, list[bytes]]]:
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1/traces", bodies
    server.shutdown()
    server.server_close()


async def test_a_turn_reaches_a_collector_without_a_word_of_it(
    make_client: ClientMaker, collector: tuple[str, list[bytes]]
) -> None:
    address, bodies = collector
    chosen = Settings(observability=ObservabilitySettings(traces=address))
    message = {"messages": [{"role": "user", "content": "Java for Zanzibar"}]}
    async with make_client(chosen=chosen) as client:
        await client.post("/chat", json=message, headers={"traceparent": PARENT})
    names, attributes = set(), {}
    for body in bodies:
        assert b"Zanzibar" not in body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for span in (span for scope in resource.scope_spans for span in scope.spans):
                names.add(span.name)
                assert span.trace_id.hex() == PARENT.split("-")[1]
                attributes |= {each.key: each.value.string_value for each in span.attributes}
    assert names == {"turn", "understanding"}
    assert (attributes["act"], attributes["rule"]) == ("recommend", "enough")


async def test_a_failed_turn_is_traced_too(make_client: ClientMaker) -> None:
    def fail(_: History) -> None:
        raise RuntimeError("on purpose")

    exporter = InMemorySpanExporter()
    async with make_client(StubLoader(CannedResponder(fail))) as client:
        client.app.state.runtime.tracer = TurnTracer(SimpleSpanProcessor(exporter))  # type: ignore[attr-defined]
        await client.post("/chat", json={"messages": [{"role": "user", "content": "Java"}]})
    (span,) = exporter.get_finished_spans()
    assert span.status.status_code.name == "ERROR"
    assert dict(span.attributes or {})["degraded"] == "pipeline"


def test_no_address_no_tracer_and_a_wrong_one_is_said() -> None:
    assert open_tracer("") is None
    with pytest.raises(ConfigError, match="OBSERVABILITY__TRACES"):
        open_tracer("collector:4318")
