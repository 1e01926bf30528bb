"""Every error the project raises on purpose.

RecommenderError
├─ ConfigError              a setting is missing or contradicts another; says which and what to set
├─ ArtifactError            a file under data/ cannot be used; says which, where and what to run
│  ├─ CatalogError          catalogue file: missing, malformed, duplicate or unknown value (with row)
│  ├─ KnowledgeError        knowledge or lexicon file: unknown id, dangling relation (with file and row)
│  └─ IndexMismatchError    embeddings do not belong to this catalogue; names the script to run
├─ EncoderUnavailableError  the sentence encoder or its weights cannot be loaded
├─ DeadlineExceededError    a turn ran out of its time budget
└─ RequestError             a 4xx that becomes problem+json
   ├─ BodyTooLargeError
   └─ NotFoundError
"""

from __future__ import annotations


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


class RequestError(RecommenderError):
    """The caller's request cannot be served; becomes problem+json."""

    status = 400
    title = "Bad request"


class BodyTooLargeError(RequestError):
    """The request body is over the limit."""

    status = 413
    title = "Body too large"


class NotFoundError(RequestError):
    """No such resource."""

    status = 404
    title = "Not found"
