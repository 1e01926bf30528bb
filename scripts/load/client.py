"""One connection, and what came of each request on it. Only ever to loopback."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.api.chat import FAILURE_REPLY

HOST = "127.0.0.1"
PATIENCE_S = 35.0
"""Longer than any answer may take: what is not there by then never comes."""
AGAIN_S = 0.05
"""Pause before the next request when nobody listens."""
KEYS = {"reply", "recommendations", "end_of_conversation"}


class Outcome(StrEnum):
    """What came of a request. Only the last two break a promise."""

    ANSWERED = "answered"
    """200, and all that the contract asks for."""
    APOLOGY = "apology"
    """200 in the same shape: something failed, and the reply says so."""
    BUSY = "busy (503, Retry-After)"
    LIMITED = "limited (429, Retry-After)"
    NOT_CONNECTED = "not connected"
    """Nobody listened, or it hung up before a byte of the request was accepted for certain."""
    CUT = "cut"
    """The answer began and did not end."""
    WRONG = "wrong"
    """Any other status, or a body that breaks the contract."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers (lower case) and body of one answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class CutError(ConnectionError):
    """The connection ended inside an answer."""


class Connection:
    """A connection that is kept open and opened again when the server has closed it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(self, method: str, path: str, body: bytes = b"") -> Answer:
        """One request.

        Raises:
            OSError: nobody listens, or it hung up before the answer began.
            CutError: it hung up after that.
            TimeoutError: no whole answer within PATIENCE_S.
        """
        async with asyncio.timeout(PATIENCE_S):
            if self._streams is None:
                self._streams = await asyncio.open_connection(HOST, self._port)
            reader, writer = self._streams
            try:
                head = f"{method} {path} HTTP/1.1\r\nhost: {HOST}\r\ncontent-type: application/json\r\n"
                writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
                answer = await self._read(reader)
            except BaseException:
                await self.close()
                raise
        if answer.headers.get("connection") == "close":
            await self.close()
        return answer

    async def _read(self, reader: asyncio.StreamReader) -> Answer:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as exc:
            if exc.partial:
                raise CutError("inside the head") from exc
            raise ConnectionResetError("before the answer") from exc
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines if line)
        try:
            body = await reader.readexactly(int(headers["content-length"]))
        except asyncio.IncompleteReadError as exc:
            raise CutError("inside the body") from exc
        return Answer(int(first.split()[1]), headers, body)

    async def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            writer = self._streams[1]
            self._streams = None
            writer.close()


@dataclass(slots=True)
class Account:
    """Every request that was sent and what came of it."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    answered_s: list[float] = field(default_factory=list)
    """Seconds of each request that was answered."""
    broken: list[str] = field(default_factory=list)
    """The first few broken promises."""

    @property
    def sent(self) -> int:
        """Requests in all."""
        return self.outcomes.total()

    def note(self, outcome: Outcome, seconds: float, detail: str = "") -> None:
        """Enter one request."""
        self.outcomes[outcome] += 1
        if outcome is Outcome.ANSWERED:
            self.answered_s.append(seconds)
        if outcome in (Outcome.CUT, Outcome.WRONG) and len(self.broken) < 5:
            self.broken.append(f"{outcome}: {detail}")

    def said(self) -> str:
        """All of it in a line."""
        return (
            ", ".join(f"{count} {outcome}" for outcome, count in self.outcomes.most_common())
            or "nothing sent"
        )


def judge(answer: Answer) -> tuple[Outcome, Any]:
    """What an answer to POST /chat is, with its JSON where it is one."""
    has_time = answer.headers.get("retry-after", "").isdigit()
    if answer.status in (429, 503) and has_time:
        return (Outcome.BUSY if answer.status == 503 else Outcome.LIMITED), None
    try:
        body = json.loads(answer.body)
    except ValueError:
        return Outcome.WRONG, None
    listed = body.get("recommendations")
    fine = (
        answer.status == 200
        and body.keys() == KEYS
        and bool(body["reply"])
        and isinstance(body["end_of_conversation"], bool)
        and isinstance(listed, list)
        and len(listed) <= 10
        and all(item.keys() == {"name", "url", "test_type"} and all(item.values()) for item in listed)
    )
    if not fine:
        return Outcome.WRONG, None
    return (Outcome.APOLOGY if body["reply"] == FAILURE_REPLY else Outcome.ANSWERED), body


async def ask(connection: Connection, messages: Sequence[Mapping[str, str]], account: Account) -> Any:
    """Send a conversation and enter what came of it: the JSON of a proper answer, else None."""
    start = time.perf_counter()
    body = json.dumps({"messages": list(messages)}).encode()
    try:
        answer = await connection.request("POST", "/chat", body)
    except CutError as exc:
        account.note(Outcome.CUT, 0, str(exc))
    except TimeoutError:
        account.note(Outcome.CUT, 0, f"no answer in {PATIENCE_S:g} s")
    except OSError:
        account.note(Outcome.NOT_CONNECTED, 0)
        await asyncio.sleep(AGAIN_S)
    else:
        outcome, found = judge(answer)
        account.note(outcome, time.perf_counter() - start, f"{answer.status} {answer.body[:200]!r}")
        return found if outcome is Outcome.ANSWERED else None
    return None
