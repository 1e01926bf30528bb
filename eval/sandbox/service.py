"""The assistant as a service: one-time passwords, threads and messages, a trigger, a stream, and its traces."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import anyio
from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from eval.sandbox.desk import Desk, Options
from eval.sandbox.engine import Engine
from eval.sandbox.login import OTP_TTL_S, Login
from eval.sandbox.shapes import SHAPES
from eval.sandbox.threads import StoredMessage, Thread
from eval.sandbox.traces import Traces

PAGE: Final = Path(__file__).with_name("page")
ACCOUNTS: Final = {"analyst@company-1.example": 1, "analyst@company-2.example": 2}
_PAGE_FILES: Final = frozenset({"chat.js", "chat.css"})
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_AUTH_WAIT_S: Final = 5.0
_UNAUTHORISED, _GONE = 4401, 4404
"""Close codes of the stream."""


class OtpRequest(BaseModel):
    """Ask for a one-time password."""

    login: str = Field(max_length=200)


class OtpCheck(BaseModel):
    """Hand in a one-time password."""

    request_id: str = Field(max_length=100)
    otp: str = Field(max_length=20)


class NewMessage(BaseModel):
    """A question."""

    content: str = Field(min_length=1, max_length=4000)


class MessageOut(BaseModel):
    """A message of a thread."""

    id: str
    role: Literal["user", "assistant"]
    content: str
    trace_id: str | None


def _out(message: StoredMessage) -> MessageOut:
    return MessageOut(id=message.id, role=message.role, content=message.content, trace_id=message.trace_id)


def _token(authorization: str) -> str:
    """The token of a header: Bearer, or Basic with the token for a password, as clients of Langfuse send their keys."""
    kind, _, value = authorization.partition(" ")
    if kind == "Basic":
        with suppress(binascii.Error, UnicodeDecodeError):
            return base64.b64decode(value).decode().partition(":")[2]
    return value


def _tenant(request: Request, authorization: Annotated[str, Header()] = "") -> int:
    desk: Desk = request.app.state.desk
    found = desk.login.tenant_of(_token(authorization))
    if found is None:
        raise HTTPException(401, "the token is missing, unknown or expired", {"WWW-Authenticate": "Bearer"})
    return found


Tenant = Annotated[int, Depends(_tenant)]


def create_app(engine: Engine, options: Options) -> FastAPI:
    """The service around `engine`."""
    login = Login(dict(ACCOUNTS), options.otp, options.token_ttl_s, time.monotonic)
    desk = Desk(engine, options, login, Traces(time.time, options.trace_delay_s, options.trace_file))

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        for thread in desk.threads.values():
            await thread.close()
        for task in desk.tasks:
            task.cancel()
        await asyncio.gather(*desk.tasks, return_exceptions=True)

    app = FastAPI(title="Retail analyst (sandbox)", lifespan=lifespan)
    app.state.desk = desk
    _add_page(app)
    _add_login(app, desk)
    _add_threads(app, desk)
    _add_stream(app, desk)
    _add_traces(app, desk)
    return app


def _add_page(app: FastAPI) -> None:
    @app.middleware("http")
    async def guard(request: Request, call_next: Callable[[Request], Any]) -> Response:
        response: Response = await call_next(request)
        response.headers["Content-Security-Policy"] = _POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(PAGE / "index.html")

    @app.get("/page/{name}", include_in_schema=False)
    def page_file(name: str) -> FileResponse:
        if name not in _PAGE_FILES:
            raise HTTPException(404, "no such file")
        return FileResponse(PAGE / name)

    @app.get("/health")
    def health() -> dict[str, str]:
        return {"status": "ok"}


def _add_login(app: FastAPI, desk: Desk) -> None:
    @app.post("/auth/request-otp")
    def request_otp(body: OtpRequest) -> dict[str, Any]:
        number = desk.login.request(body.login, expired=desk.engine.fires("expired-otp", body.login))
        if number is None:
            raise HTTPException(404, "nobody has that login")
        return {"request_id": number, "expires_in_s": OTP_TTL_S}

    @app.post("/auth/verify-otp")
    def verify_otp(body: OtpCheck) -> dict[str, Any]:
        verdict, token = desk.login.verify(body.request_id, body.otp)
        if token is None:
            status = {"locked": 429, "unknown": 404}.get(verdict, 401)
            raise HTTPException(status, f"one-time password: {verdict}")
        return {"access_token": token, "token_type": "bearer", "expires_in_s": desk.options.token_ttl_s}


def _add_threads(app: FastAPI, desk: Desk) -> None:
    @app.get("/me")
    def me(who: Tenant) -> dict[str, Any]:
        return {"company": desk.engine.companies()[who]}

    @app.post("/threads", status_code=201)
    async def new_thread(who: Tenant) -> dict[str, str]:
        thread = Thread(who)
        desk.threads[thread.id] = thread
        return {"id": thread.id}

    @app.get("/threads")
    def list_threads(who: Tenant) -> list[dict[str, str]]:
        return [{"id": thread.id} for thread in desk.threads.values() if thread.tenant_id == who]

    @app.delete("/threads/{thread_id}", status_code=204)
    async def delete_thread(thread_id: str, who: Tenant) -> None:
        await desk.thread(who, thread_id).close()
        del desk.threads[thread_id]

    @app.get("/threads/{thread_id}/messages")
    def list_messages(thread_id: str, who: Tenant) -> list[MessageOut]:
        return [_out(message) for message in desk.thread(who, thread_id).messages]

    @app.post("/threads/{thread_id}/messages", status_code=201)
    async def new_message(thread_id: str, body: NewMessage, who: Tenant) -> MessageOut:
        thread = desk.thread(who, thread_id)
        if thread.busy:
            raise HTTPException(409, "an answer is running")
        return _out(thread.add("user", body.content))

    @app.post("/threads/{thread_id}/trigger", status_code=202)
    async def trigger(thread_id: str, who: Tenant) -> dict[str, str]:
        return {"message_id": desk.start(desk.thread(who, thread_id))}


def _add_stream(app: FastAPI, desk: Desk) -> None:
    @app.websocket("/threads/{thread_id}/stream")
    async def stream(socket: WebSocket, thread_id: str, shape: str = desk.options.shape) -> None:
        header = socket.headers.get("authorization", "")
        who = desk.login.tenant_of(_token(header))
        await socket.accept()
        greeted = False
        if not header:
            who, greeted = await _first_frame(socket, desk), True
        thread = desk.threads.get(thread_id)
        if who is None:
            await socket.close(_UNAUTHORISED, "the token is missing, unknown or expired")
        elif thread is None or thread.tenant_id != who or shape not in SHAPES:
            await socket.close(_GONE, "no such thread or shape")
        else:
            at = thread.position()
            if greeted:
                await socket.send_text('{"type": "ready"}')
            await _pump(socket, thread, at, shape)


async def _first_frame(socket: WebSocket, desk: Desk) -> int | None:
    """The company of the token in the first frame: `{"type": "auth", "token": …}`, as pages cannot set headers."""
    try:
        text = await asyncio.wait_for(socket.receive_text(), _AUTH_WAIT_S)
        return desk.login.tenant_of(str(json.loads(text)["token"]))
    except (TimeoutError, WebSocketDisconnect, ValueError, KeyError, TypeError):
        return None


async def _pump(socket: WebSocket, thread: Thread, at: int, shape: str) -> None:
    """Send events until the thread, the stream or the client ends; a client that hangs up is no error."""
    async with anyio.create_task_group() as group:

        async def listen() -> None:
            with suppress(WebSocketDisconnect):
                while True:
                    await socket.receive_text()
            group.cancel_scope.cancel()

        group.start_soon(listen)
        with suppress(WebSocketDisconnect, RuntimeError):
            async for event in thread.follow(at):
                for frame in SHAPES[shape](event):
                    await socket.send_text(frame)
            await socket.close()
        group.cancel_scope.cancel()


def _add_traces(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/public/traces")
    def list_traces(
        who: Tenant,
        sessionId: str | None = None,  # noqa: N803 - Langfuse's name
        page: int = 1,
        limit: int = 50,
    ) -> dict[str, Any]:
        found = desk.traces.of_thread(who, sessionId)
        part = found[(page - 1) * limit : page * limit]
        rows = [{**trace, "observations": [one["id"] for one in trace["observations"]]} for trace in part]
        pages = -(-len(found) // max(1, limit))
        return {
            "data": rows,
            "meta": {"page": page, "limit": limit, "totalItems": len(found), "totalPages": pages},
        }

    @app.get("/api/public/traces/{trace_id}")
    def get_trace(trace_id: str, who: Tenant) -> dict[str, Any]:
        trace = desk.traces.get(who, trace_id)
        if trace is None:
            raise HTTPException(404, "Trace not found")
        return trace

    @app.get("/api/public/observations/{observation_id}")
    def get_observation(observation_id: str, who: Tenant) -> dict[str, Any]:
        one = desk.traces.observation(who, observation_id)
        if one is None:
            raise HTTPException(404, "Observation not found")
        return one
