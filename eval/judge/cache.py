"""Judgements that were paid for once: content-addressed, in SQLite, for seven days.

The key is everything that shapes a reply and nothing else, so an equal text is asked once whichever case it
comes from, and a changed model, prompt, setting, parser or evaluator asks anew. Only whole verdicts are kept.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
import unicodedata
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import structlog

from eval.errors import JudgeError
from eval.judge.base import Fingerprint, JudgeQuestion, Usage
from eval.judge.parse import PARSER_VERSION
from eval.judge.prompt import Rendered

SCHEMA = 1
LIFE_S = 7 * 24 * 3600
_BUSY_S = 5.0
_log = structlog.get_logger(__name__)


def cache_key(fingerprint: Fingerprint, question: JudgeQuestion, messages: Rendered) -> str:
    """SHA-256 in hex of everything that shapes the reply. Settings are written as text: a float has no one form."""
    settings = {name: str(value) for name, value in asdict(fingerprint.settings).items()}
    parts = {
        "schema": SCHEMA,
        "provider": fingerprint.provider,
        "model": fingerprint.model,
        "address": fingerprint.address,
        "prompt": fingerprint.prompt_version,
        "settings": settings,
        "parser": PARSER_VERSION,
        "evaluator": question.evaluator,
        "evaluator_version": question.evaluator_version,
        "system": messages.system,
        "user": messages.user,
        "replicate": question.replicate,
    }
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(unicodedata.normalize("NFC", text).encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class Stored:
    """One reply as it was given."""

    text: str
    usage: Usage


@dataclass(slots=True)
class CacheCounts:
    """How often the cache was asked, and with what outcome."""

    hits: int = 0
    misses: int = 0
    expired: int = 0
    corrupt: int = 0
    not_stored: int = 0
    """Replies that hold no verdict, and so may not be kept."""


class JudgeCache:
    """One file. Safe from several threads and processes."""

    def __init__(
        self,
        path: Path,
        *,
        refresh: bool = False,
        life_s: float = LIFE_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open or make the file; with `refresh` it is written and not read.

        Raises:
            JudgeError: it cannot be opened, or is no database.
        """
        self.counts = CacheCounts()
        self._refresh = refresh
        self._life_s = life_s
        self._clock = clock
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            path.chmod(0o600)
            self._base = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
            self._prepare()
        except (OSError, sqlite3.Error) as exc:
            raise JudgeError(f"judge cache {path}: {exc}; remove the file or name another") from exc

    def _prepare(self) -> None:
        self._base.execute("PRAGMA journal_mode=WAL")
        self._base.execute("PRAGMA synchronous=NORMAL")
        self._base.execute("BEGIN IMMEDIATE")  # another process may be preparing the same file
        (found,) = self._base.execute("PRAGMA user_version").fetchone()
        if found != SCHEMA:
            if found:
                _log.info("judge_cache_emptied", found_schema=found, schema=SCHEMA)
            self._base.execute("DROP TABLE IF EXISTS judgements")
            self._base.execute(f"PRAGMA user_version={SCHEMA}")
        self._base.execute(
            "CREATE TABLE IF NOT EXISTS judgements (key TEXT PRIMARY KEY, made_at REAL NOT NULL, value TEXT NOT NULL)"
        )
        self._base.execute("COMMIT")

    def get(self, key: str) -> Stored | None:
        """The reply kept under `key`; None when there is none that may be used."""
        if self._refresh:
            self.counts.misses += 1
            return None
        try:
            with self._lock, closing(self._base.cursor()) as cursor:
                found = cursor.execute("SELECT made_at, value FROM judgements WHERE key=?", (key,)).fetchone()
        except sqlite3.Error as exc:
            _log.warning("judge_cache_not_read", key=key[:12], error=type(exc).__name__)
            found = None
        if found is None:
            self.counts.misses += 1
            return None
        made_at, value = found
        try:
            stored = _read(value)
            age_s = self._clock() - float(made_at)
        except (ValueError, TypeError, KeyError) as exc:
            self.discard(key)
            _log.warning("judge_cache_row_corrupt", key=key[:12], error=type(exc).__name__)
            return None
        if not 0 <= age_s < self._life_s:
            self.counts.expired += 1
            self.counts.misses += 1
            return None
        self.counts.hits += 1
        return stored

    def put(self, key: str, stored: Stored) -> None:
        """Keep a reply that holds a verdict. A file that takes nothing costs the memory, not the judgement."""
        value = json.dumps({"text": stored.text, "usage": asdict(stored.usage)}, allow_nan=False)
        try:
            with self._lock:
                self._base.execute(
                    "INSERT INTO judgements VALUES (?, ?, ?)"
                    " ON CONFLICT (key) DO UPDATE SET made_at=excluded.made_at, value=excluded.value",
                    (key, self._clock(), value),
                )
        except sqlite3.Error as exc:
            _log.warning("judge_cache_not_written", error=type(exc).__name__)

    def discard(self, key: str, *, given: bool = False) -> None:
        """Forget a row that cannot be used; counted as corrupt and as a miss.

        Args:
            key: of the row.
            given: `get` has returned it, and so counted it as a hit.
        """
        self.counts.hits -= int(given)
        self.counts.corrupt += 1
        self.counts.misses += 1
        try:
            with self._lock:
                self._base.execute("DELETE FROM judgements WHERE key=?", (key,))
        except sqlite3.Error as exc:
            _log.warning("judge_cache_not_written", error=type(exc).__name__)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._base.close()


def _read(value: Any) -> Stored:
    content = json.loads(value)
    text, usage = content["text"], content["usage"]
    if not isinstance(text, str) or not all(isinstance(count, int) for count in usage.values()):
        raise TypeError("wrong types")
    return Stored(text, Usage(**usage))
