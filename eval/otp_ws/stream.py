"""The WebSocket side: a thread that reads, an event that says it is through, two deadlines."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from eval.otp_ws.answer import Answer, Streamed
from eval.otp_ws.frames import Unframer
from eval.otp_ws.rest import ChannelError
from eval.otp_ws.shapes import known_shapes, read

UNAUTHORISED_CODES = (4401, 1008)
UNAUTHORISED_STATUS = (401, 403)
_MAX_FRAME_BYTES = 16_777_216
_PATIENCE_S = 1.0
"""How long the other end may take to answer a ping or a farewell."""


class UnauthorisedError(Exception):
    """The socket was refused for want of a good token."""


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Silence and whole length, each with its own limit, in seconds."""

    inactivity_s: float
    total_s: float


class Stream:
    """The frames of one thread from the moment of opening; closed by `close`, its reader with it."""

    def __init__(self, url: str, token: str, thread_id: str, open_timeout_s: float) -> None:
        """Connect and begin to read.

        Raises:
            UnauthorisedError: the token is refused.
            ChannelError: there is no connection to be had.
        """
        self._socket = _open(url, token, open_timeout_s)
        self._answer = Answer(thread_id)
        self._unframer = Unframer()
        self._shapes = known_shapes()
        self._lock = threading.Lock()
        self._early: list[tuple[str | bytes, float]] | None = []
        """Frames that came before it was known which message is awaited; None from then on."""
        self._started_s = self._life_s = time.monotonic()
        self._over = threading.Event()
        self._reader = threading.Thread(target=self._read, name=f"stream {thread_id}", daemon=True)
        self._reader.start()

    def begin(self, started_s: float, message_id: str | None) -> None:
        """The answer was triggered at `started_s` (monotonic), from which times count, and has this id if any."""
        with self._lock:
            self._started_s, self._life_s = started_s, time.monotonic()
            self._answer.message_id = message_id
            early, self._early = self._early or [], None
            for frame, at_s in early:
                self._take(frame, at_s)

    def collect(self, deadlines: Deadlines) -> Streamed:
        """Wait until the answer is there, the socket is closed, or a deadline has passed; then close.

        Raises:
            UnauthorisedError: the socket was closed for want of a good token before anything was said.
        """
        broken = self._wait(deadlines)
        at_ms = (time.monotonic() - self._started_s) * 1000
        if not broken:
            self._settle()
        why = broken or self._closing()
        self.close()
        with self._lock:
            self._unframer.end()
            self._answer.faults += self._unframer.faults
            result = self._answer.result(at_ms, why, timed_out=bool(broken))
        if not result.complete and not result.text and self._socket.close_code in UNAUTHORISED_CODES:
            raise UnauthorisedError(result.why)
        return result

    def close(self) -> None:
        """Close the socket, take in what had arrived by then, and let the reader end."""
        self._socket.close()
        self._reader.join(_PATIENCE_S)

    def _wait(self, deadlines: Deadlines) -> str:
        """Which deadline passed, in words; nothing when the answer or the socket ended first."""
        until_s = self._started_s + deadlines.total_s
        while True:
            silent_s = self._life_s + deadlines.inactivity_s
            if self._over.wait(max(0.0, min(until_s, silent_s) - time.monotonic())):
                return ""
            now_s = time.monotonic()
            if now_s >= until_s:
                return f"not complete after {deadlines.total_s:g} s"
            if now_s >= self._life_s + deadlines.inactivity_s:
                return f"silent for {deadlines.inactivity_s:g} s"

    def _settle(self) -> None:
        """Let what was sent together with the end arrive: the answer to a ping comes after all of it."""
        try:
            self._socket.ping().wait(_PATIENCE_S)
        except ConnectionClosed:
            return  # then everything has arrived

    def _closing(self) -> str:
        code, reason = self._socket.close_code, self._socket.close_reason
        return f"the stream was closed midway ({code or 'no code'}{f', {reason}' if reason else ''})"

    # --- in the reader's thread ---------------------------------------------------------------

    def _read(self) -> None:
        try:
            while True:
                frame = self._socket.recv()
                with self._lock:
                    self._life_s = time.monotonic()
                    if self._early is None:
                        self._take(frame, self._life_s)
                    else:
                        self._early.append((frame, self._life_s))
        except ConnectionClosed:
            pass  # what it means depends on what had come by then: `collect` says
        finally:
            self._over.set()

    def _take(self, frame: str | bytes, at_s: float) -> None:
        for unit in self._unframer.feed(frame):
            signals = read(unit, self._shapes)
            if signals is None:
                self._answer.faults.append(f"a frame of no known shape: {str(unit.data)[:80]}")
            for signal in signals or ():
                self._answer.take(signal, (at_s - self._started_s) * 1000)
        if self._answer.over_ms is not None:
            self._over.set()


def _open(url: str, token: str, open_timeout_s: float) -> ClientConnection:
    try:
        return connect(
            url,
            additional_headers={"Authorization": f"Bearer {token}"},
            open_timeout=open_timeout_s,
            close_timeout=_PATIENCE_S,
            max_size=_MAX_FRAME_BYTES,
            proxy=None,
            legacy=True,  # a plain connection, which does not connect again by itself
        )
    except InvalidStatus as exc:
        if exc.response.status_code in UNAUTHORISED_STATUS:
            raise UnauthorisedError(str(exc)) from exc
        raise ChannelError("failed", f"stream: {exc}", f"status {exc.response.status_code}") from exc
    except (OSError, TimeoutError, WebSocketException) as exc:
        raise ChannelError("unreachable", f"stream: {exc!r}") from exc
