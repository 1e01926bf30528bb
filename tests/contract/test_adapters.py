"""Every channel gives the same payload for the same dialogue, and turns every failure into data."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, fields, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from app.api.chat import respond_to
from app.api.dependencies import CatalogSide, Report
from app.config import ObservabilitySettings, Settings
from app.main import create_app
from app.schemas import ChatRequest
from eval.adapters.api import ApiAdapter
from eval.adapters.base import Adapter, AdapterOptions, AdapterSpec
from eval.adapters.inprocess import InProcessAdapter
from eval.adapters.registry import find_adapter, known_adapters
from eval.adapters.wire import body_faults, read_body
from eval.errors import AdapterError
from eval.records import ChatMessage, Payload
from tests.chat_stream_server import LOGIN, OTP, Chat, serve
from tests.loopback import run_app, wait_until_ready

DIALOGUE = (
    ChatMessage("user", "Mid-level Java developer with SQL, for selection."),
    ChatMessage("assistant", "Which level?"),
    ChatMessage("user", "Mid level, as I said. ₹ हिन्दी 😀"),
)


class Service:
    """A loopback server; `answer` may be swapped by a test."""

    def __init__(self, side: CatalogSide) -> None:
        self.side = side
        self.answer: Any = self.real
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["content-length"]))
                status, body = service.answer(content)
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def real(self, content: bytes) -> tuple[int, bytes]:
        response, _ = respond_to(ChatRequest.model_validate_json(content).to_history(), self.side)
        return 200, response.model_dump_json().encode()


@pytest.fixture
def service(catalog_side: CatalogSide) -> Iterator[Service]:
    running = Service(catalog_side)
    yield running
    running.server.shutdown()
    running.server.server_close()


Backing = Callable[[Service, pytest.MonkeyPatch, Path], AbstractContextManager[AdapterOptions]]


@contextmanager
def plain(service: Service, _: pytest.MonkeyPatch, __: Path) -> Iterator[AdapterOptions]:
    yield AdapterOptions(url=service.url, dense=False)


@contextmanager
def behind_a_password(service: Service, patch: pytest.MonkeyPatch, _: Path) -> Iterator[AdapterOptions]:
    """The same replies over a stream; the thread hears what the user says and never what it is told it said."""
    said = [message.content for message in DIALOGUE if message.role == "user"]
    reply = InProcessAdapter(service.side).ask(DIALOGUE).ai_response
    patch.setenv("OTP_WS_LOGIN", LOGIN)
    patch.setenv("OTP_WS_OTP", OTP)
    with serve(Chat(answer=lambda asked: reply if asked == said else "Which level?")) as chat:
        yield AdapterOptions(url=chat.url)


@contextmanager
def recorded(service: Service, _: pytest.MonkeyPatch, folder: Path) -> Iterator[AdapterOptions]:
    payload = InProcessAdapter(service.side).ask(DIALOGUE)
    line = {"messages": [asdict(message) for message in DIALOGUE], "payload": asdict(payload)}
    (folder / "answers.jsonl").write_text(json.dumps(line), encoding="utf-8")
    yield AdapterOptions(recording=folder / "answers.jsonl")


@contextmanager
def on_the_page(service: Service, _: pytest.MonkeyPatch, __: Path) -> Iterator[AdapterOptions]:
    def load(_: Settings, report: Report) -> CatalogSide:
        for part in ("catalog", "knowledge", "lexical", "router"):
            report(part, "loaded", "with the tests")  # type: ignore[arg-type]
        return service.side

    settings = Settings(_env_file=None, observability=ObservabilitySettings(log_level="error"))  # type: ignore[call-arg]
    app = create_app(settings, catalog_loader=load, dense_loader=lambda *_: None)
    with run_app(app) as url:
        wait_until_ready(url)
        yield AdapterOptions(url=url)


BACKINGS: dict[str, Backing] = {
    "api": plain,
    "inprocess": plain,
    "otp_ws": behind_a_password,
    "replay": recorded,
    "ui": on_the_page,
}
MEASURED = (
    "latency_ms",
    "ui_latency_ms",
    "ttft_ms",
    "chunk_count",
    "stream_duration_ms",
    "tokens_per_sec",
    "stream_intact",
)
CARRIED = {"ai_response": "", "recommendations": (), "ends": None}


def test_every_channel_is_held_to_the_contract_and_described() -> None:
    described = (Path(__file__).parents[2] / "docs" / "channels.md").read_text(encoding="utf-8")
    assert set(BACKINGS) == set(known_adapters())
    for name, spec in known_adapters().items():
        assert f"## `{name}`" in described
        assert spec.summary
        assert spec.carries <= CARRIED.keys()
        assert spec.measures <= set(MEASURED)


@pytest.fixture(params=sorted(known_adapters()))
def spec(request: pytest.FixtureRequest) -> AdapterSpec:
    return find_adapter(request.param)


@pytest.fixture
def adapter(
    spec: AdapterSpec, service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Adapter]:
    with BACKINGS[spec.name](service, monkeypatch, tmp_path) as options:
        try:
            built = spec.build(options)
        except AdapterError as exc:
            if spec.name != "ui" or os.environ.get("CI"):
                raise
            pytest.skip(str(exc))
        yield built
        built.close()


def test_each_channel_gives_the_same_answer(
    spec: AdapterSpec, adapter: Adapter, catalog_side: CatalogSide
) -> None:
    reference = InProcessAdapter(catalog_side).ask(DIALOGUE)
    payload = adapter.ask(DIALOGUE)
    assert payload.question == DIALOGUE[-1].content
    assert (payload.status, payload.faults, payload.error) == ("ok", (), None)
    assert payload.source == spec.name
    for part, empty in CARRIED.items():
        assert getattr(payload, part) == (getattr(reference, part) if part in spec.carries else empty), part
    for measure in MEASURED:
        assert (getattr(payload, measure) is not None) is (measure in spec.measures), measure
    assert all(getattr(payload, measure) > 0 for measure in spec.measures)


def test_the_same_dialogue_twice_gives_the_same_payload_but_for_time(adapter: Adapter) -> None:
    nothing = dict.fromkeys(MEASURED)
    one, two = (replace(adapter.ask(DIALOGUE), **nothing) for _ in range(2))
    assert one == two


def test_a_message_that_the_wire_refuses_is_a_failed_payload(adapter: Adapter) -> None:
    payload = adapter.ask([])
    assert payload.status in ("failed", "unreachable")
    assert payload.error


def test_each_channel_says_what_it_asks(adapter: Adapter) -> None:
    assert adapter.target
    assert isinstance(adapter.notes, tuple)


def test_missing_dense_side_is_said() -> None:
    assert "degraded" in find_adapter("inprocess").build(AdapterOptions(dense=False)).notes[0]


@pytest.mark.parametrize(
    ("status", "body", "outcome", "fault"),
    [
        (500, b"oops", "failed", "status 500"),
        (422, b"{}", "failed", "status 422"),
        (200, b"<html>", "malformed", "not JSON"),
        (200, b"[]", "malformed", "not an object"),
        (200, b'{"reply": "x"}', "ok", "end_of_conversation is missing"),
        (200, b'{"reply": "x", "recommendations": null, "end_of_conversation": false}', "ok", None),
    ],
)
def test_what_http_can_do_wrong(
    service: Service, status: int, body: bytes, outcome: str, fault: str | None
) -> None:
    service.answer = lambda _: (status, body)
    adapter = find_adapter("api").build(AdapterOptions(url=service.url))
    payload = adapter.ask(DIALOGUE)
    adapter.close()
    assert payload.status == outcome
    assert (fault is None and payload.faults == ()) or any(str(fault) in f for f in payload.faults)
    assert payload.answered


def test_nobody_there() -> None:
    payload = find_adapter("api").build(AdapterOptions(url="http://127.0.0.1:9")).ask(DIALOGUE)
    assert (payload.status, payload.latency_ms, payload.answered) == ("unreachable", None, False)


def test_too_late(service: Service) -> None:
    def slowly(_: bytes) -> tuple[int, bytes]:
        time.sleep(0.6)
        return 200, b"{}"

    service.answer = slowly
    payload = find_adapter("api").build(AdapterOptions(url=service.url, timeout_s=0.2)).ask(DIALOGUE)
    assert payload.status == "timeout"
    assert payload.late


def test_an_exception_in_the_pipeline_is_data(catalog_side: CatalogSide) -> None:
    class Raises:
        def respond(self, history: object) -> Any:
            raise RuntimeError("boom")

    payload = InProcessAdapter(replace(catalog_side, responder=Raises())).ask(DIALOGUE)
    assert (payload.status, payload.error) == ("failed", "RuntimeError: boom")


def test_registry_knows_each_channel_by_its_file_and_helps_with_typos() -> None:
    assert set(known_adapters()) >= {"api", "inprocess", "otp_ws", "replay", "ui"}
    with pytest.raises(AdapterError, match=r"did you mean 'inprocess'"):
        find_adapter("inproces")
    with pytest.raises(AdapterError, match="--url"):
        find_adapter("api").build(AdapterOptions())


def test_payload_holds_what_every_channel_will_need() -> None:
    names = {field.name for field in fields(Payload)}
    assert names >= {"question", "ai_response", "context", "status", "source", "latency_ms", "ui_latency_ms", "ttft_ms",
                     "chunk_count", "stream_duration_ms", "tokens_per_sec", "recommendations"}  # fmt: skip


ITEM = {"name": "A", "url": "https://x/view/a/", "test_type": "K"}
GOOD = {"reply": "x", "recommendations": [ITEM], "end_of_conversation": False}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, None),
        ({"recommendations": None}, None),
        ({"recommendations": []}, None),
        ({"reply": " "}, "no words"),
        ({"end_of_conversation": "no"}, "not a boolean"),
        ({"recommendations": "a"}, "neither"),
        ({"recommendations": [ITEM, {**ITEM, "url": "https://y/A"}]}, "twice"),
        ({"recommendations": [{**ITEM, "score": 1}]}, "other keys"),
        ({"recommendations": [{**ITEM, "name": ""}]}, "blank"),
        ({"recommendations": [{**ITEM, "url": f"https://x/{n}"} for n in range(11)]}, "more than 10"),
        ({"debug": 1}, "extra key debug"),
    ],
)
def test_every_departure_from_the_contract_is_named(change: dict[str, Any], fault: str | None) -> None:
    faults = body_faults({**GOOD, **change})
    assert (fault is None and faults == ()) or any(str(fault) in found for found in faults)


@pytest.mark.parametrize(
    "body", [None, 3, "x", [], {"recommendations": [1, None]}, {"reply": 7, "recommendations": {}}]
)
def test_no_body_is_too_broken_to_be_read(body: object) -> None:
    payload = Payload(**{"question": "q", **read_body(body)})
    assert payload.faults
    assert json.dumps(payload.ids)


def test_api_adapter_is_built_with_a_client_of_its_own(service: Service) -> None:
    assert isinstance(find_adapter("api").build(AdapterOptions(url=service.url)), ApiAdapter)
