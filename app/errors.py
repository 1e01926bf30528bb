"""Every error the project raises on purpose.

RecommenderError
├─ ConfigError              a setting is missing or contradicts another; says which and what to set
├─ ArtifactError            a file under data/ cannot be used; says which, where and what to run
│  ├─ CatalogError          catalogue file: missing, malformed, duplicate or unknown value (with row)
│  ├─ KnowledgeError        knowledge or lexicon file: unknown id, dangling relation (with file and row)
│  └─ IndexMismatchError    embeddings do not belong to this catalogue; names the script to run
├─ EncoderUnavailableError  the sentence encoder or its weights cannot be loaded
├─ DeadlineExceededError    a turn ran out of its time budget
├─ StoreUnavailableError    (app/shared_store.py) Redis does not answer
├─ ModelError               a language model gave nothing that can be used; carries the fault
│  ├─ MissingRecordingError no answer was recorded for this conversation
│  └─ StaleRecordingError   one was recorded, but for another prompt
└─ RequestError             a 4xx that becomes problem+json
   ├─ BodyTooLargeError
   ├─ BusyError            every place is taken; the one 5xx among them
   └─ NotFoundError
"""

from __future__ import annotations

from enum import StrEnum


class RecommenderError(Exception):
    """Base of all errors raised on purpose."""


class ConfigError(RecommenderError):
    """A setting is missing or contradicts another."""


class ArtifactError(RecommenderError):
    """A data file cannot be used."""


class CatalogError(ArtifactError):
    """The catalogue file is missing, malformed or inconsistent."""


class KnowledgeError(ArtifactError):
    """A knowledge or lexicon file is malformed or names something unknown."""

    def __init__(self, file: str, row: int, reason: str) -> None:
        super().__init__(f"{file}, row {row}: {reason}")
        self.file = file
        self.row = row
        self.reason = reason


class IndexMismatchError(ArtifactError):
    """The stored embeddings do not belong to this catalogue, text or model."""


class EncoderUnavailableError(RecommenderError):
    """The sentence encoder cannot be loaded."""


class DeadlineExceededError(RecommenderError):
    """A turn ran out of its time budget."""


class Fault(StrEnum):
    """What went wrong with a call to a language model. Each has its way on in app/llm/call.py."""

    TIMEOUT = "timeout"
    CONNECTION = "connection"
    SERVER = "server"
    """A 5xx."""
    RATE = "rate"
    """A 429 that passes within seconds or minutes."""
    QUOTA = "quota"
    """A 429 for the rest of a day, or until a stated time far off."""
    TOO_LARGE = "too_large"
    AUTH = "auth"
    REQUEST = "request"
    """Any other 4xx: the same request can never succeed there."""
    EMPTY = "empty"
    BLOCKED = "blocked"
    """A filter of the provider kept the answer back."""
    CUT_OFF = "cut_off"
    """The answer ended at the token limit."""
    MALFORMED = "malformed"
    """No JSON object with anything usable in it."""
    NO_RECORDING = "no_recording"
    STALE_RECORDING = "stale_recording"
    PAUSED = "paused"
    """Every provider is being skipped for a while after failures."""
    INTERNAL = "internal"
    """An exception that nobody expected."""


class ModelError(RecommenderError):
    """A language model gave nothing that can be used."""

    def __init__(self, fault: Fault, detail: str = "", *, retry_after_s: float | None = None) -> None:
        super().__init__(f"{fault}: {detail}" if detail else fault.value)
        self.fault = fault
        self.retry_after_s = retry_after_s
        """Seconds after which the provider says to come back."""


class MissingRecordingError(ModelError):
    """No answer was recorded for this conversation."""


class StaleRecordingError(ModelError):
    """An answer was recorded for this conversation, but for another prompt."""


class RequestError(RecommenderError):
    """The caller's request cannot be served; becomes problem+json."""

    status = 400
    title = "Bad request"
    retry_after_s: int | None = None
    """Whole seconds after which the same request may succeed."""


class BodyTooLargeError(RequestError):
    """The request body is over the limit."""

    status = 413
    title = "Body too large"


class BusyError(RequestError):
    """Every place is taken. Said at once, so that nothing queues without bound."""

    status = 503
    title = "Busy"
    retry_after_s = 1


class NotFoundError(RequestError):
    """No such resource."""

    status = 404
    title = "Not found"
