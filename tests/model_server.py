"""A small server on this machine that speaks the wire format of each provider and fails on command."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "test-key-0123456789-nobody-may-see"


@dataclass(frozen=True)
class Served:
    """What the server does with one request."""

    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False
    """Take the request and say nothing until the server closes."""
    drops: bool = False
    """Close the connection without an answer."""


@dataclass
class ModelServer:
    """Answers requests in order from `plan`; the last entry is repeated."""

    plan: list[Served]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    """Path, headers in lower case, and parsed body of each request."""
    closing: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serve(*plan: Served) -> Iterator[ModelServer]:
    """Run a server for the block."""
    state = ModelServer(list(plan))
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            with lock:
                served = state.plan[min(len(state.requests), len(state.plan) - 1)]
                headers = {name.lower(): value for name, value in self.headers.items()}
                state.requests.append({"path": self.path, "headers": headers, "body": json.loads(raw)})
            if served.hangs:
                state.closing.wait(30)
            if served.hangs or served.drops:
                self.close_connection = True
                return
            body = served.body.encode()
            self.send_response(served.status)
            for name, value in {"content-type": "application/json", **served.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Silent."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *_: object) -> None:
            """A client that has hung up is expected here."""

    server = Server(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(frozen=True)
class Wire:
    """How one provider writes answers and errors."""

    address: Callable[[str], str]
    """From the server's address to the base URL."""
    path: str
    good: Callable[[str, str], str]
    """Body for a text and a reason to end ("stop", "length", "filter")."""
    none: str
    """Body of a 200 with nothing in it."""
    key_of: Callable[[dict[str, str]], str]
    cap_of: Callable[[dict[str, Any]], int]
    error: Callable[[int, str], str]

    def answers(self, text: str, finish: str = "stop") -> Served:
        """A 200."""
        return Served(body=self.good(text, finish))

    def fails(self, status: int, words: str = "something", **headers: str) -> Served:
        """An error in the provider's shape."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Served(status, self.error(status, words), named)


def _chat(text: str, finish: str) -> str:
    reason = {"filter": "content_filter"}.get(finish, finish)
    message = {"role": "assistant", "content": text}
    return json.dumps(
        {
            "id": "c-1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 321, "completion_tokens": 45, "total_tokens": 366},
        }
    )


def _candidates(text: str, finish: str) -> str:
    reason = {"stop": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY"}[finish]
    content = {"role": "model", "parts": [{"text": text}] if text else []}
    usage = {"promptTokenCount": 321, "candidatesTokenCount": 45, "totalTokenCount": 366}
    return json.dumps(
        {
            "candidates": [{"content": content, "finishReason": reason, "index": 0}],
            "usageMetadata": usage,
        }
    )


def _chat_error(status: int, words: str) -> str:
    return json.dumps({"error": {"message": words, "type": "error", "code": str(status)}})


def _google_error(status: int, words: str) -> str:
    return json.dumps({"error": {"code": status, "message": words, "status": "ERROR"}})


def _bearer(headers: dict[str, str]) -> str:
    return headers.get("authorization", "").removeprefix("Bearer ")


def _google_key(headers: dict[str, str]) -> str:
    return headers.get("x-goog-api-key", "")


_NO_CHOICES = json.dumps(
    {"id": "c-2", "object": "chat.completion", "created": 1, "model": "m", "choices": []}
)


def _google_cap(body: dict[str, Any]) -> int:
    return int(body["generationConfig"]["maxOutputTokens"])


_GEMINI = Wire(
    str,
    "/v1beta/models/some-model:generateContent",
    _candidates,
    "{}",
    _google_key,
    _google_cap,
    _google_error,
)
WIRES: dict[str, Wire] = {
    "groq": Wire(
        str,
        "/openai/v1/chat/completions",
        _chat,
        _NO_CHOICES,
        _bearer,
        lambda body: int(body["max_completion_tokens"]),
        _chat_error,
    ),
    "openai": Wire(
        lambda url: f"{url}/v1",
        "/v1/chat/completions",
        _chat,
        _NO_CHOICES,
        _bearer,
        lambda body: int(body["max_tokens"]),
        _chat_error,
    ),
    "gemini": _GEMINI,
    "gemini_legacy": _GEMINI,
}
"""By provider. "scripted" has no wire."""
