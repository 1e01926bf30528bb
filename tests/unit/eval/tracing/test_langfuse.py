from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from eval.errors import EvalError
from eval.tracing.base import CaseTrace, TraceCounts, TraceScore
from eval.tracing.langfuse import LangfuseTracer, TracingSettings, build_tracer

TRACE = CaseTrace(
    "run-1", "case-1", "api", "A cook?", "Culinary Skills (New). Bearer abc.def", "pass",
    (TraceScore("accuracy", 0.75, "all there"), TraceScore("safety", None, "no detector"), TraceScore("latency", 0.0)),
    {"family": "cook"},
)  # fmt: skip


class Client:
    """Stands in for the SDK's client and remembers what it was told."""

    def __init__(self, *, fails: bool = False, hold: threading.Event | None = None) -> None:
        self.spans: list[dict[str, Any]] = []
        self.scores: list[dict[str, Any]] = []
        self.closed = False
        self._fails = fails
        self._hold = hold

    def create_trace_id(self, *, seed: str) -> str:
        return f"id-of-{seed}"

    def start_observation(self, **told: Any) -> Client:
        if self._hold is not None:
            self._hold.wait(20)
        if self._fails:
            raise ConnectionError("no")
        self.spans.append(told)
        return self

    def end(self) -> None:
        return

    def create_score(self, **told: Any) -> None:
        self.scores.append(told)

    def shutdown(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "EVAL_TRACING",
        "LANGFUSE_PUBLIC_KEY",
        "LANGFUSE_SECRET_KEY",
        "LANGFUSE_HOST",
        "LANGFUSE_BASE_URL",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(TracingSettings.model_config, "env_file", None)


def test_a_case_is_one_span_with_a_score_for_each_dimension_that_has_one() -> None:
    client = Client()
    tracer = LangfuseTracer(lambda: client)
    tracer.send(TRACE)
    assert tracer.close() == TraceCounts(handed_over=1)
    (span,) = client.spans
    assert span["trace_context"] == {"trace_id": "id-of-run-1/api/case-1"}
    assert {score["name"]: score["value"] for score in client.scores} == {"accuracy": 0.75, "latency": 0.0}
    assert span["metadata"]["unscored"] == {"safety": "no detector"}
    assert (span["metadata"]["verdict"], span["metadata"]["family"]) == ("pass", "cook")
    assert client.closed


def test_what_looks_like_a_key_is_blotted_out() -> None:
    client = Client()
    tracer = LangfuseTracer(lambda: client)
    tracer.send(TRACE)
    tracer.close()
    assert "abc.def" not in repr(client.spans)


def test_the_same_case_of_the_same_run_is_the_same_trace() -> None:
    client = Client()
    tracer = LangfuseTracer(lambda: client)
    tracer.send(TRACE)
    tracer.send(TRACE)
    tracer.close()
    assert len({span["trace_context"]["trace_id"] for span in client.spans}) == 1
    assert len({score["score_id"] for score in client.scores}) == 2


def test_a_library_that_raises_fails_nothing() -> None:
    tracer = LangfuseTracer(lambda: Client(fails=True))
    tracer.send(TRACE)
    assert tracer.close() == TraceCounts(failed=1)


def test_a_library_that_cannot_be_built_fails_nothing() -> None:
    def build() -> Client:
        raise ImportError("no")

    tracer = LangfuseTracer(build)
    tracer.send(TRACE)
    assert tracer.close() == TraceCounts(failed=1)


def test_a_library_that_hangs_drops_what_is_too_much_and_blocks_nobody() -> None:
    hold = threading.Event()
    tracer = LangfuseTracer(lambda: Client(hold=hold), capacity=5, close_s=0.2)
    begin = time.perf_counter()
    for _ in range(1_000):
        tracer.send(TRACE)
    counts = tracer.close()
    took_s = time.perf_counter() - begin
    hold.set()
    assert took_s < 5
    assert counts.handed_over == 0
    assert counts.dropped >= 999


def test_it_is_off_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk")
    assert build_tracer() is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"EVAL_TRACING": "langfuse"}, "needs LANGFUSE_PUBLIC_KEY"),
        ({"EVAL_TRACING": "langfuse", "LANGFUSE_PUBLIC_KEY": "pk"}, "needs LANGFUSE_PUBLIC_KEY"),
        ({"EVAL_TRACING": "phoenix"}, "EVAL_TRACING"),
    ],
)
def test_what_is_missing_is_named(
    given: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(EvalError, match=message):
        build_tracer()


# --- the real library ---------------------------------------------------------------------------


def traced(url: str, monkeypatch: pytest.MonkeyPatch, cases: int = 3) -> tuple[TraceCounts, float]:
    pytest.importorskip("langfuse")
    monkeypatch.setenv("EVAL_TRACING", "langfuse")
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", f"pk-{url}")  # the library keeps one client for each key
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk-secret")
    monkeypatch.setenv("LANGFUSE_BASE_URL", url)
    tracer = build_tracer()
    assert tracer is not None
    for _ in range(cases):
        tracer.send(TRACE)
    begin = time.perf_counter()
    counts = tracer.close()
    return counts, time.perf_counter() - begin


def test_the_library_sends_spans_and_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_any() as (url, seen):
        counts, _ = traced(url, monkeypatch)
    assert counts == TraceCounts(handed_over=3)
    bodies = b"".join(body for _, body in seen)
    assert any("otel" in path for path, _ in seen)
    assert b'"name":"accuracy","value":0.75' in bodies
    assert b'"name":"safety"' not in bodies


def test_a_server_that_cannot_be_reached_costs_only_the_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        counts, took_s = traced(f"http://127.0.0.1:{taken.getsockname()[1]}", monkeypatch)
    assert counts.failed == 0
    assert took_s < 10


def test_a_server_that_fails_costs_only_the_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_any(500) as (url, _):
        _, took_s = traced(url, monkeypatch)
    assert took_s < 10


@contextmanager
def serve_any(status: int = 200) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """A server that takes bodies of any kind, which the one for models does not."""
    seen: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append((self.path, self.rfile.read(int(self.headers.get("content-length") or 0))))
            body = b'{"successes": [], "errors": []}'
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
