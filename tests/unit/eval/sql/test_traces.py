"""The statement that ran, not a draft and not one that failed; late traces are waited for, but not for ever."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from eval.errors import DatasetError
from eval.sql.langfuse import LangfuseTraces, Patience
from eval.sql.traces import ExecutedStatement, NoStatement, executed_statement, load_traces


def step(name: str, end: str, **fields: Any) -> dict[str, Any]:
    return {"id": name, "type": "SPAN", "name": name, "endTime": f"2026-01-01T10:00:{end}Z", **fields}


DRAFT = step("write", "01", type="GENERATION", output={"sql": "SELECT 'draft'"})
FAILED = step("run", "02", level="ERROR", input={"sql": "SELECT 'failed'"})
REFUSED = step("run", "03", input={"sql": "SELECT 'refused'"}, output={"error": "no such table"})
RAN = step("run", "04", input={"sql": "SELECT 'ran'"}, output={"rows": [[1], [2]]})
LATER_DRAFT = step("propose alternative", "05", output={"query": "SELECT 'later draft'"})


def test_drafts_and_failures_are_passed_over() -> None:
    found = executed_statement({"id": "t", "observations": [LATER_DRAFT, RAN, DRAFT, REFUSED, FAILED]})
    tried = ("SELECT 'failed'", "SELECT 'refused'", "SELECT 'ran'")
    assert found == ExecutedStatement("SELECT 'ran'", "run", confirmed=True, row_count=2, tried=tried)


def test_the_last_of_two_that_ran() -> None:
    again = step("run again", "09", input={"sql": "SELECT 'again'"}, output={"row_count": 0, "error": None})
    found = executed_statement({"observations": [again, RAN]})
    assert isinstance(found, ExecutedStatement)
    assert (found.sql, found.confirmed, found.row_count) == ("SELECT 'again'", True, 0)


@pytest.mark.parametrize(
    "output",
    [
        {"query": "SELECT 1"},
        '{"query": "SELECT 1"}',
        {"result_of": {"calls": [{"arguments": '{"sql": "SELECT 1"}'}]}},
        "-- a note\nSELECT 1",
    ],
)
def test_a_statement_deep_in_a_grandchild(output: object) -> None:
    inner = step("tool", "02", output=output)
    nested = {"observations": [step("agent", "03", children=[step("chain", "03", children=[inner])])]}
    found = executed_statement(nested)
    assert isinstance(found, ExecutedStatement)
    assert (found.sql.splitlines()[-1], found.confirmed) == ("SELECT 1", False)


@pytest.mark.parametrize(
    "observations", [[], [DRAFT], [FAILED], [step("search", "01", input={"query": "sales of Pune"})], "x"]
)
def test_nothing_that_ran_is_absent(observations: object) -> None:
    found = executed_statement({"observations": observations})
    assert isinstance(found, NoStatement)
    assert found.kind == "absent"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"id": "a", "observations": []}),
        json.dumps([{"id": "a"}]),
        json.dumps({"data": [{"id": "a"}]}),
        '{"id": "a"}\n{"id": "b"}\n',
    ],
)
def test_trace_files(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.json").write_text(text)
    assert "a" in load_traces(tmp_path / "t.json")


@pytest.mark.parametrize("text", ["", "{", "[1]", "3", '{"no": "id"}', '[{"id": "a"}, {"id": "a"}]'])
def test_files_that_are_no_traces(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(DatasetError, match=r"t\.json"):
        load_traces(tmp_path / "t.json")
    with pytest.raises(DatasetError):
        load_traces(tmp_path / "none.json")


Answer = Callable[[str, int], tuple[int, object]]


class Server:
    """Langfuse on loopback: `answer` gets the path and how often it was asked for."""

    def __init__(self) -> None:
        self.answer: Answer = lambda _path, _count: (404, {})
        self.seen: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.seen.append(self.path)
                status, body = server.answer(self.path, server.seen.count(self.path))
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args: object) -> None:
                return

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.http.shutdown()
    made.http.server_close()


class Clock:
    """Time that passes only by waiting."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def wait(self, pause_s: float) -> None:
        self.pauses.append(pause_s)
        self.now += pause_s


def ask(url: str, limit_s: float = 30.0) -> tuple[ExecutedStatement | NoStatement, list[float]]:
    clock = Clock()
    with httpx.Client(base_url=url, auth=("pk", "sk"), timeout=5.0, trust_env=False) as client:
        found = LangfuseTraces(client, Patience(limit_s, clock.wait, lambda: clock.now)).statement("t1")
    return found, clock.pauses


def test_a_late_trace_with_ids_for_steps(server: Server) -> None:
    def answer(path: str, count: int) -> tuple[int, object]:
        if path.endswith("/traces/t1"):
            return (404, {}) if count < 4 else (200, {"id": "t1", "observations": ["o1"]})
        return (404, {}) if count < 2 else (200, RAN)

    server.answer = answer
    found, pauses = ask(server.url)
    assert isinstance(found, ExecutedStatement)
    assert found.sql == "SELECT 'ran'"
    assert pauses == [0.5, 1.0, 2.0, 4.0]


def test_a_trace_whose_steps_come_later(server: Server) -> None:
    server.answer = lambda _path, count: (200, {"id": "t1", "observations": [RAN] if count > 2 else [DRAFT]})
    found, pauses = ask(server.url)
    assert isinstance(found, ExecutedStatement)
    assert len(pauses) == 2


def test_the_wait_has_an_end(server: Server) -> None:
    found, pauses = ask(server.url, limit_s=20.0)
    assert isinstance(found, NoStatement)
    assert found.kind == "late"
    assert sum(pauses) == pytest.approx(20.0)


@pytest.mark.parametrize(("status", "body"), [(401, {}), (200, b"<html>"), (200, [])])
def test_a_refusal_is_not_waited_for(server: Server, status: int, body: object) -> None:
    server.answer = lambda _path, _count: (status, body)
    found, pauses = ask(server.url)
    assert isinstance(found, NoStatement)
    assert (found.kind, pauses) == ("refused", [])


def test_a_server_that_is_not_there() -> None:
    found, pauses = ask("http://127.0.0.1:9", limit_s=1.0)
    assert isinstance(found, NoStatement)
    assert found.kind == "unreachable"
    assert pauses
