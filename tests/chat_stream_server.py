"""A chat on this machine behind a one-time password: real HTTP, real WebSockets, and whatever failure a test orders."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, HTTPException, Request, WebSocket
from fastapi.responses import Response

from tests.loopback import Connections, run_app

LOGIN, OTP = "tester@chat.example", "135790"


@dataclass(frozen=True)
class Send:
    """Send a frame; `{id}` and `{thread}` in it are filled in."""

    frame: str | bytes


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Silence:
    """Say nothing more, and keep the socket open."""


@dataclass(frozen=True)
class Close:
    code: int = 1001
    reason: str = ""


@dataclass(frozen=True)
class Drop:
    """Cut the connection without a farewell."""


Step = Send | Pause | Silence | Close | Drop


def chunk(text: str, **more: object) -> Send:
    return Send(json.dumps({"type": "message_chunk", "content": text, "message_id": "{id}", **more}))


def whole(text: str, **more: object) -> Send:
    return Send(json.dumps({"type": "full_response", "content": text, "message_id": "{id}", **more}))


HEARTBEAT = Send('{"type": "heartbeat"}')


@dataclass
class Chat:
    """What the server holds, and what it is to do."""

    script: Sequence[Step] = ()
    """Steps of each answer; none: the answer in pieces and then whole."""
    answer: Callable[[list[str]], str] = lambda asked: f"{len(asked)} asked, the last: {asked[-1]}"
    refuse: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Status and body by the last part of the path."""
    stream_close: list[int] = field(default_factory=list)
    """Codes with which the next streams are closed as soon as they are open; 401 refuses the handshake."""
    answers_before_trigger_returns: bool = False
    says_message_id: bool = True
    url: str = ""
    tokens: set[str] = field(default_factory=set)
    requests: list[str] = field(default_factory=list)
    threads: dict[str, list[str]] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    shapes: list[str] = field(default_factory=list)
    sockets: int = 0
    most_sockets: int = 0
    queues: dict[str, list[asyncio.Queue[str]]] = field(default_factory=dict)
    connections: Connections = field(default_factory=Connections)
    """What the server has open."""
    waiting: dict[str, str] = field(default_factory=dict)
    """Message ids of running answers by thread."""

    def steps(self, thread: str) -> Sequence[Step]:
        if self.script:
            return self.script
        text = self.answer(self.threads[thread])
        middle = len(text) // 2
        return (chunk(text[:middle]), HEARTBEAT, chunk(text[middle:]), whole(text))

    def count(self, path_end: str) -> int:
        return sum(request.endswith(path_end) for request in self.requests)


def _app(chat: Chat) -> FastAPI:  # noqa: C901 - eight short routes over one state
    app = FastAPI()

    @app.middleware("http")
    async def note(request: Request, call_next: Callable[[Request], Any]) -> Any:
        chat.requests.append(f"{request.method} {request.url.path}")
        refused = chat.refuse.get(request.url.path.rsplit("/", 1)[-1])
        if refused:
            return Response(refused[1], refused[0])
        return await call_next(request)

    def known(authorization: Annotated[str, Header()] = "") -> None:
        if authorization.removeprefix("Bearer ") not in chat.tokens:
            raise HTTPException(401, "token expired")

    guarded = [Depends(known)]

    @app.post("/auth/request-otp")
    async def request_otp(body: dict[str, str]) -> dict[str, str]:
        if body["login"] != LOGIN:
            raise HTTPException(404, "nobody has that login")
        return {"request_id": "r"}

    @app.post("/auth/verify-otp")
    async def verify_otp(body: dict[str, str]) -> dict[str, str]:
        if body != {"request_id": "r", "otp": OTP}:
            raise HTTPException(401, "wrong")
        token = uuid.uuid4().hex
        chat.tokens.add(token)
        return {"access_token": token}

    @app.post("/threads", dependencies=guarded, status_code=201)
    async def new_thread() -> dict[str, str]:
        thread = uuid.uuid4().hex
        chat.threads[thread] = []
        chat.queues[thread] = []
        return {"id": thread}

    @app.delete("/threads/{thread}", dependencies=guarded, status_code=204)
    async def delete_thread(thread: str) -> None:
        chat.deleted.append(thread)

    @app.post("/threads/{thread}/messages", dependencies=guarded, status_code=201)
    async def new_message(thread: str, body: dict[str, str]) -> dict[str, str]:
        if not body["content"].strip():
            raise HTTPException(422, "no words")
        chat.threads[thread].append(body["content"])
        return {"id": uuid.uuid4().hex}

    @app.post("/threads/{thread}/trigger", dependencies=guarded, status_code=202)
    async def trigger(thread: str) -> dict[str, str]:
        message = f"answer-{uuid.uuid4().hex}"
        chat.waiting[thread] = message
        for queue in chat.queues[thread]:
            queue.put_nowait(message)
        if chat.answers_before_trigger_returns:
            await asyncio.sleep(0.15)
        return {"message_id": message} if chat.says_message_id else {}

    @app.websocket("/threads/{thread}/stream")
    async def stream(socket: WebSocket, thread: str, shape: str = "") -> None:
        chat.shapes.append(shape)
        code = chat.stream_close.pop(0) if chat.stream_close else 0
        if code == 401:
            await socket.send_denial_response(Response("no", 401))
            return
        await socket.accept()
        if code:
            await socket.close(code)
            return
        chat.sockets += 1
        chat.most_sockets = max(chat.most_sockets, chat.sockets)
        queue: asyncio.Queue[str] = asyncio.Queue()
        chat.queues[thread].append(queue)
        if thread in chat.waiting:
            queue.put_nowait(chat.waiting[thread])
        playing = asyncio.create_task(_play(socket, chat, thread, queue))
        try:
            while (await socket.receive())["type"] != "websocket.disconnect":
                pass
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            chat.queues[thread].remove(queue)
            chat.sockets -= 1

    return app


async def _play(socket: WebSocket, chat: Chat, thread: str, queue: asyncio.Queue[str]) -> None:
    message = await queue.get()
    for step in chat.steps(thread):
        match step:
            case Send(frame) if isinstance(frame, str):
                await socket.send_text(frame.replace("{id}", message).replace("{thread}", thread))
            case Send(frame):
                await socket.send_bytes(frame)  # type: ignore[arg-type]
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case Close(code, reason):
                await socket.close(code, reason)
                return
            case Drop():
                next(
                    c for c in chat.connections.open if c.client == tuple(socket.client or ())
                ).transport.abort()
                return
            case Silence():
                await asyncio.Event().wait()
    chat.waiting.pop(thread, None)
    await asyncio.Event().wait()


@contextmanager
def serve(chat: Chat | None = None) -> Iterator[Chat]:
    """Run the server for the block; what is left open is closed with it."""
    chat = chat or Chat()
    with run_app(_app(chat), chat.connections) as chat.url:
        yield chat
