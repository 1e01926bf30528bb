"""Pure ASGI around every request: id, limits, clock, count."""

from __future__ import annotations

import asyncio
import re
import secrets
import time

import structlog
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.problems import problem_response
from app.observability import Metrics

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_SECURITY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
_REFUSED = (413, 429)
"""What is answered before a route is known."""
_DATA_POLICY = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")
"""For everything but pages: opened as a page, an answer may do nothing."""
_log = structlog.get_logger(__name__)


class RequestContextMiddleware:
    """Gives each request an id, ends it in time and puts the security headers on its answer.

    - `X-Request-ID` is taken over when it is short and plain, else made; it is in the answer, in every
      log line and in every problem.
    - A body over the limit is refused by its declared length before anything is read, and an undeclared
      one as soon as what has arrived exceeds the limit.
    - When the deadline has passed before an answer began, the answer is 408 (the body never came) or 503.
    """

    def __init__(self, app: ASGIApp, *, metrics: Metrics, max_body_bytes: int, deadline_s: float) -> None:
        self.app = app
        self.metrics = metrics
        self.max_body_bytes = max_body_bytes
        self.deadline_s = deadline_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start = time.perf_counter()
        exchange = _Exchange(scope, receive, send, self.max_body_bytes)
        state = scope.setdefault("state", {})
        state["request_id"] = exchange.request_id.decode()
        state["deadline"] = asyncio.get_running_loop().time() + self.deadline_s
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=state["request_id"])
        try:
            await self._serve(exchange, state["deadline"])
        finally:
            self._count(scope, exchange.status, time.perf_counter() - start)
            structlog.contextvars.clear_contextvars()

    async def _serve(self, exchange: _Exchange, deadline: float) -> None:
        declared = exchange.declared_length()
        if declared is not None and declared > self.max_body_bytes:
            await exchange.refuse(
                413, f"The body may hold {self.max_body_bytes} bytes; {declared} are announced."
            )
            return
        try:
            async with asyncio.timeout_at(deadline):
                await self.app(exchange.scope, exchange.receive, exchange.send)
        except TimeoutError:
            if exchange.status:
                raise
            if exchange.body_complete:
                await exchange.refuse(503, "The answer was not ready in time. Please send the request again.")
            else:
                await exchange.refuse(408, "The body did not arrive in time.")

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "refused" if status in _REFUSED else "unmatched")
        method = scope["method"] if "route" in scope else "any"
        self.metrics.count("http_requests_total", route=route, method=method, status=str(status))
        self.metrics.observe("http_request_seconds", seconds, route=route)
        _log.debug("request", method=method, route=route, status=status, ms=round(seconds * 1000, 3))


def with_security(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """`headers` with the security headers that they lack; a page brings its own content policy."""
    names = {name for name, _ in headers}
    is_page = any(name == b"content-type" and value.startswith(b"text/html") for name, value in headers)
    ours = _SECURITY_HEADERS if is_page else (*_SECURITY_HEADERS, _DATA_POLICY)
    return headers + [(name, value) for name, value in ours if name not in names]


class _Exchange:
    """One request and its answer, watched."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, max_body_bytes: int) -> None:
        self.scope = scope
        self.status = 0
        self.body_complete = False
        self._receive = receive
        self._send = send
        self._max_body_bytes = max_body_bytes
        self._received = 0
        given = self._header(b"x-request-id")
        self.request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8).encode()

    def _header(self, name: bytes) -> bytes:
        headers: list[tuple[bytes, bytes]] = self.scope["headers"]
        return next((value for key, value in headers if key == name), b"")

    def declared_length(self) -> int | None:
        """Content-Length, when there is a usable one."""
        value = self._header(b"content-length")
        return int(value) if value.isdigit() else None

    async def receive(self) -> Message:
        """Pass the body on until it is too long."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._received += len(message.get("body", b""))
            self.body_complete = not message.get("more_body", False)
            if self._received > self._max_body_bytes:
                # Of the one class that FastAPI's body reader lets through.
                raise HTTPException(
                    413, f"The body may hold {self._max_body_bytes} bytes.", headers={"connection": "close"}
                )
        return message

    async def send(self, message: Message) -> None:
        """Pass the answer on with the request id in it."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = with_security(
                [*message.get("headers", ()), (b"x-request-id", self.request_id)]
            )
        await self._send(message)

    async def refuse(self, status: int, detail: str) -> None:
        """Answer with a problem and close: what is left of the body is not read."""
        response = problem_response(self.scope, status, detail, headers={"connection": "close"})
        await response(self.scope, self._receive, self.send)
