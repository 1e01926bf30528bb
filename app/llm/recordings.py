"""Recorded answers: one JSON line each, found again by the prompt and the exact messages."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import BinaryIO

import structlog

from app.errors import ConfigError, Fault, MissingRecordingError, StaleRecordingError
from app.llm.base import Answer, LanguageModel, Prompt

WAIT_S = 1.0
"""A turn waits this long for its answer to be written; the writing goes on without it."""
NOT_RECORDED = "not_recorded"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Recording:
    """One answer with what it was an answer to."""

    conversation: str
    """SHA-256 of the exact messages."""
    prompt: str
    """SHA-256 of the instructions, the facts and the schema."""
    version: str
    model: str
    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None


class Recordings:
    """The answers of one file. A later line replaces an earlier one for the same conversation."""

    def __init__(self, path: Path, rows: Mapping[str, Recording]) -> None:
        self._path = path
        self._rows = dict(rows)

    @property
    def name(self) -> str:
        """Name of the file, without its folder."""
        return self._path.name

    @classmethod
    def load(cls, path: Path, *, may_be_new: bool = False) -> Recordings:
        """Read `path`. Half a line at its end is passed over and logged: a full disk leaves one.

        Raises:
            ConfigError: the file is missing (unless it `may_be_new`) or another line of it cannot be read.
        """
        if may_be_new and not path.exists():
            return cls(path, {})
        rows, cut_off_at = read(path)
        if cut_off_at:
            _log.error("recording_cut_off", file=path.name, line=cut_off_at)
        return cls(path, {row.conversation: row for row in rows})

    def find(self, prompt: Prompt) -> Answer:
        """The answer to `prompt`.

        Raises:
            MissingRecordingError: this conversation was never recorded.
            StaleRecordingError: it was, with another prompt.
        """
        row = self._rows.get(prompt.conversation_key)
        if row is None:
            raise MissingRecordingError(
                Fault.NO_RECORDING,
                "this conversation was never recorded; run it once with LLM__RECORD=missing and a provider",
            )
        if row.prompt != prompt.prompt_key:
            raise StaleRecordingError(
                Fault.STALE_RECORDING,
                f"recorded with another prompt ({row.version}; now {prompt.version}, or other facts);"
                " record it again with LLM__RECORD=all and a provider",
            )
        return Answer(row.text, row.input_tokens, row.output_tokens)

    def add(self, prompt: Prompt, answer: Answer, model: str) -> None:
        """Keep `answer`, in the file as well.

        Raises:
            OSError, ValueError: it is kept, but the file could not be written.
        """
        row = Recording(
            prompt.conversation_key,
            prompt.prompt_key,
            prompt.version,
            model,
            answer.text,
            answer.input_tokens,
            answer.output_tokens,
        )
        self._rows[row.conversation] = row
        self._path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(asdict(row), ensure_ascii=False).encode() + b"\n"
        with self._path.open("a+b") as file:
            file.write(_line_end(file) + line)


def read(path: Path) -> tuple[list[Recording], int | None]:
    """The recordings in `path` in order, and the number of the line that breaks off at its end, if one does.

    Raises:
        ConfigError: the file or another line of it cannot be read.
    """
    try:
        content = path.read_bytes()
        whole = content[: _whole_bytes(content)]
        # Not `str.splitlines`: it would end a line at separators that JSON leaves as they are.
        rows = [Recording(**json.loads(line)) for line in whole.splitlines() if line.strip()]
    except (OSError, ValueError, TypeError) as exc:
        raise ConfigError(f"LLM__RECORDINGS: {path.name} cannot be read: {exc}") from exc
    return rows, whole.count(b"\n") + 1 if len(whole) < len(content) else None


def _whole_bytes(content: bytes) -> int:
    """Length of `content` without half a line of ours at its end: one that begins an object and breaks off."""
    start = content.rfind(b"\n") + 1
    last = content[start:]
    if not last.startswith(b"{"):
        return len(content)
    try:
        json.loads(last)
    except ValueError:
        return start
    return len(content)


def _line_end(file: BinaryIO) -> bytes:
    """What the end of `file` lacks before a new line may follow. Cuts half a line off."""
    if file.seek(0, os.SEEK_END) == 0:
        return b""
    file.seek(-1, os.SEEK_END)
    if file.read(1) == b"\n":
        return b""
    file.seek(0)
    content = file.read()
    whole = _whole_bytes(content)
    file.truncate(whole)
    return b"\n" if whole == len(content) else b""


class RecordingModel:
    """A model whose answers are written down; with `anew` it asks again even for what is there.

    A paid answer is worth more than its recording: it is given whether or not it could be written, in time or
    at all, and then says so in its notes.
    """

    def __init__(
        self, inner: LanguageModel, recordings: Recordings, writer: ThreadPoolExecutor, *, anew: bool
    ) -> None:
        """`writer` has one thread, so that lines never mix; models with the same file share it."""
        self._inner = inner
        self._recordings = recordings
        self._writer = writer
        self._anew = anew

    @property
    def model(self) -> str:
        """The model that is recorded."""
        return self._inner.model

    async def answer(self, prompt: Prompt, timeout_s: float) -> Answer:
        """The recorded answer if there is a good one, else one call."""
        if not self._anew:
            try:
                return self._recordings.find(prompt)
            except (MissingRecordingError, StaleRecordingError):
                pass
        end = time.monotonic() + timeout_s
        answer = await self._inner.answer(prompt, timeout_s)
        writing = asyncio.get_running_loop().run_in_executor(self._writer, self._write, prompt, answer)
        # The caller cuts this call off at its limit; the answer must be handed over well before that.
        await asyncio.wait({writing}, timeout=max(0.0, min(WAIT_S, (end - time.monotonic()) / 2)))
        written = writing.done() and writing.result()
        return answer if written else replace(answer, notes=(*answer.notes, NOT_RECORDED))

    def _write(self, prompt: Prompt, answer: Answer) -> bool:
        """Whether the file holds the answer now."""
        try:
            self._recordings.add(prompt, answer, self._inner.model)
        except (OSError, ValueError) as exc:
            reason = getattr(exc, "strerror", None) or type(exc).__name__
            _log.error("answer_not_recorded", file=self._recordings.name, reason=reason, model=self.model)
            return False
        return True

    async def close(self) -> None:
        """Close the model, once everything is written."""
        await asyncio.to_thread(self._writer.shutdown)
        await self._inner.close()
