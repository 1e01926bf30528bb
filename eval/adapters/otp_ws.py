"""A chat behind a one-time password, asked over REST and heard over a WebSocket. Described in docs/channels.md."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from urllib.parse import urlencode, urlsplit, urlunsplit

import httpx
from pydantic import ValidationError

from eval.adapters.base import AdapterOptions, AdapterSpec
from eval.errors import AdapterError
from eval.otp_ws.answer import Streamed
from eval.otp_ws.lazy import Lazy
from eval.otp_ws.rest import ChannelError, ChatRest
from eval.otp_ws.settings import OtpWsSettings
from eval.otp_ws.shapes import known_shapes
from eval.otp_ws.stream import Deadlines, Stream, UnauthorisedError
from eval.records import ChatMessage, Payload, PayloadStatus

NAME = "otp_ws"


class Conversation:
    """A thread of the service, opened when something is said in it for the first time."""

    def __init__(self, open_thread: Callable[[], str]) -> None:
        self._thread = Lazy(open_thread)

    @property
    def thread_id(self) -> str:
        """The id of the thread.

        Raises:
            ChannelError: none can be opened.
        """
        return self._thread.get()


class Conversations:
    """Which thread has heard what. A thread is handed out to one asker at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at: dict[tuple[ChatMessage, ...], Conversation] = {}

    def take(self, heard: tuple[ChatMessage, ...]) -> Conversation | None:
        """The conversation that went just like `heard`, if there is one."""
        with self._lock:
            return self._at.pop(heard, None)

    def put(self, heard: tuple[ChatMessage, ...], conversation: Conversation) -> None:
        """Keep a conversation for who goes on with it."""
        with self._lock:
            self._at[heard] = conversation


class OtpWsAdapter:
    """Asks in threads. A history that no thread has is told to a new one by asking the user's messages again."""

    def __init__(self, client: httpx.Client, settings: OtpWsSettings, total_s: float) -> None:
        self._client = client
        self._settings = settings
        self._deadlines = Deadlines(settings.inactivity_s, total_s)
        self._rest = ChatRest(client, settings)
        self._conversations = Conversations()
        self._opened: list[str] = []
        self.notes: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """Address of the service."""
        return str(self._client.base_url)

    def ask(self, messages: Sequence[ChatMessage]) -> Payload:
        """One question. What came of a broken stream is kept and marked partial."""
        question = messages[-1].content if messages else ""
        if not question.strip() or messages[-1].role != "user":
            error = "there is no message of the user to answer"
            return Payload(question, status="failed", source=NAME, faults=(error,), error=error)
        try:
            conversation, untold = self._conversation(tuple(messages[:-1]))
            answer = self._answer(conversation, [*untold, question])
        except ChannelError as exc:
            faults = (exc.fault,) if exc.fault else ()
            return Payload(question, status=exc.status, source=NAME, faults=faults, error=str(exc))
        if answer.complete:
            said = ChatMessage("assistant", answer.text)
            self._conversations.put((*messages, said), conversation)
        return _payload(question, answer)

    def close(self) -> None:
        """Delete the threads that were opened, where that is wanted and works, and close the connections."""
        for thread_id in self._opened if self._settings.delete_threads else ():
            with suppress(ChannelError):
                self._rest.delete(thread_id)
        self._opened.clear()
        self._client.close()

    def _conversation(self, heard: tuple[ChatMessage, ...]) -> tuple[Conversation, list[str]]:
        """The thread that has heard all this, or a new one with what it must be told first."""
        found = self._conversations.take(heard) if heard else None
        if found is not None:
            return found, []
        return Conversation(self._open_thread), [each.content for each in heard if each.role == "user"]

    def _open_thread(self) -> str:
        thread_id = self._rest.new_thread()
        self._opened.append(thread_id)
        return thread_id

    def _answer(self, conversation: Conversation, questions: Sequence[str]) -> Streamed:
        """The answer to the last of `questions`, asked one after the other."""
        *earlier, last = questions
        for question in earlier:
            told = self._exchange(conversation.thread_id, question)
            if not told.complete:
                raise ChannelError("failed", f"an earlier message was not answered: {told.why}")
        return self._exchange(conversation.thread_id, last)

    def _exchange(self, thread_id: str, question: str) -> Streamed:
        self._rest.say(thread_id, question)
        start = Lazy(partial(self._start, thread_id))
        token = self._rest.token()
        try:
            return self._listen(thread_id, token, start)
        except UnauthorisedError:
            token = self._rest.renew(token)
        try:
            return self._listen(thread_id, token, start)
        except UnauthorisedError as exc:
            raise ChannelError("failed", f"stream: {exc}", "status 401") from exc

    def _start(self, thread_id: str) -> tuple[float, str | None]:
        started_s = time.monotonic()
        return started_s, self._rest.trigger(thread_id)

    def _listen(self, thread_id: str, token: str, start: Lazy[tuple[float, str | None]]) -> Streamed:
        """Open the stream, let the answer start once somebody listens, and hear it out."""
        stream = Stream(self._stream_url(thread_id), token, thread_id, self._deadlines.total_s)
        try:
            stream.begin(*start.get())
            return stream.collect(self._deadlines)
        finally:
            stream.close()

    def _stream_url(self, thread_id: str) -> str:
        parts = urlsplit(self.target)
        scheme = "wss" if parts.scheme == "https" else "ws"
        query = urlencode({"shape": self._settings.shape}) if self._settings.shape else ""
        return urlunsplit(
            (scheme, parts.netloc, f"{parts.path.rstrip('/')}/threads/{thread_id}/stream", query, "")
        )


def _status(answer: Streamed) -> PayloadStatus:
    if answer.complete:
        return "ok"
    if answer.text:
        return "partial"
    return "timeout" if answer.timed_out else "failed"


def _payload(question: str, answer: Streamed) -> Payload:
    wordless = ("reply holds no words",) if answer.complete and not answer.text.strip() else ()
    return Payload(
        question,
        answer.text,
        status=_status(answer),
        source=NAME,
        latency_ms=answer.latency_ms,
        ttft_ms=answer.ttft_ms,
        chunk_count=answer.chunk_count,
        stream_duration_ms=answer.duration_ms,
        tokens_per_sec=answer.tokens_per_sec,
        stream_intact=answer.intact,
        faults=answer.faults + wordless,
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        trace_id=answer.trace_id,
        error=answer.why or None,
    )


def build(options: AdapterOptions) -> OtpWsAdapter:
    """Point a client at `options.url`; who asks stands in OTP_WS_LOGIN and OTP_WS_OTP.

    Raises:
        AdapterError: address, login or password are missing, or a setting is none.
    """
    if not options.url:
        raise AdapterError("the otp_ws channel needs --url, such as --url http://127.0.0.1:8100")
    try:
        settings = OtpWsSettings()
    except ValidationError as exc:
        first = exc.errors()[0]
        name = "_".join(str(place).upper() for place in first["loc"])
        raise AdapterError(f"OTP_WS_{name}: {first['msg']}") from None
    if not settings.login or not settings.otp.get_secret_value():
        raise AdapterError("the otp_ws channel needs OTP_WS_LOGIN and OTP_WS_OTP in the environment")
    if settings.shape and settings.shape not in {*known_shapes(), "full_response"}:
        raise AdapterError(
            f"OTP_WS_SHAPE: no shape {settings.shape!r}, known are {', '.join(known_shapes())}"
        )
    timeout = httpx.Timeout(options.timeout_s, connect=min(5.0, options.timeout_s))
    client = httpx.Client(base_url=options.url, timeout=timeout, trust_env=False)
    return OtpWsAdapter(client, settings, options.timeout_s)


ADAPTER = AdapterSpec(
    NAME,
    "a chat behind a one-time password, heard over a WebSocket",
    build,
    carries=frozenset({"ai_response"}),
    measures=frozenset({"latency_ms", "ttft_ms", "chunk_count", "stream_duration_ms", "stream_intact"}),
)
