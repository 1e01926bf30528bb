"""structlog set-up: one formatter for our records, uvicorn's and the standard library's."""

from __future__ import annotations

import logging
import re
import sys
import traceback
from typing import Any, Literal

import structlog
from structlog.typing import EventDict, Processor

from app.errors import RecommenderError

_KEY_SHAPES = re.compile(
    r"""
    (?P<keep>
        [Bb]earer\s+
      | (?:[?&]|(?<![A-Za-z0-9_]))(?:api[_-]?key|key|access_token|token|password|secret)=
    )[^\s&"'\\,;)]+
  | (?<![A-Za-z0-9])(?:AIza[A-Za-z0-9_-]{8,} | (?:gsk_|sk-|xai-|hf_)[A-Za-z0-9_-]{8,})
    """,
    re.VERBOSE,
)
_UVICORN_LOGGERS = ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi")


def redact(text: str) -> str:
    """`text` without anything that looks like a key, a token or a password."""
    return _KEY_SHAPES.sub(lambda match: (match["keep"] or "") + "[redacted]", text)


def failure_fields(exc: BaseException, *, with_text: bool) -> dict[str, Any]:
    """What a log line may say about `exc`: type and place of it and of its causes.

    The words of a foreign exception often quote what was being processed, so they are left out
    unless message texts are logged anyway.
    """
    stack: list[str] = []
    current: BaseException | None = exc
    while current is not None and len(stack) < 60:
        words = f": {current}" if with_text or isinstance(current, RecommenderError) else ""
        stack.append(f"{type(current).__name__}{words}")
        stack += [
            f"  {frame.filename}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(current.__traceback__, limit=-15)
        ]
        current = current.__cause__ or current.__context__
    return {"error": type(exc).__name__, "stack": stack}


class _Redacting:
    """A renderer whose output passes through `redact`, so that no field and no stack trace escapes it."""

    def __init__(self, renderer: Processor) -> None:
        self._renderer = renderer

    def __call__(self, logger: Any, name: str, event: EventDict) -> str:
        rendered = self._renderer(logger, name, event)
        text = rendered if isinstance(rendered, str) else str(rendered)
        return redact(text).encode("utf-8", "replace").decode("utf-8")


def configure_logging(log_format: Literal["console", "json", "auto"], level: str) -> None:
    """Send every record of the process to stderr through one formatter."""
    console = log_format == "console" or (log_format == "auto" and sys.stderr.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    render: list[Processor] = (
        [_Redacting(structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback))]
        if console
        else [
            structlog.processors.format_exc_info,
            _Redacting(structlog.processors.JSONRenderer(default=str)),
        ]
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name, structlog.stdlib.ExtraAdder()],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in _UVICORN_LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.propagate = True
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
