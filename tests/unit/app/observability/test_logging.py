"""One formatter for every record, and no key in any of them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable

import pytest
import structlog

from app.errors import CatalogError
from app.observability import configure_logging, failure_fields, redact

GOOGLE = "AIzaFAKE000000000000000000000000000000"
GROQ = "gsk_FAKE1111111111111111111111"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"key is {GOOGLE}.", "key is [redacted]."),
        (f"Authorization: Bearer {GROQ}", "Authorization: Bearer [redacted]"),
        ("sk-proj-abcdefghijkl", "[redacted]"),
        ("https://api.example/v1?key=abc123&x=1", "https://api.example/v1?key=[redacted]&x=1"),
        ("?a=1&api_key=abc", "?a=1&api_key=[redacted]"),
        ("db password=hunter2, host=db", "db password=[redacted], host=db"),
        ("risk-assessment-and-management", "risk-assessment-and-management"),
        ("the bearer of news", "the bearer [redacted] news"),
        ("turkey=good monkey=fine", "turkey=good monkey=fine"),
        ("sk-learn", "sk-learn"),
    ],
)
def test_redacts_what_looks_like_a_key_and_nothing_else(text: str, expected: str) -> None:
    assert redact(text) == expected


def _from_structlog(text: str) -> None:
    structlog.get_logger("ours").warning("call", url=text, nested={"headers": [text]})


def _from_stdlib(text: str) -> None:
    logging.getLogger("httpx").warning("HTTP Request: GET %s", text)


def _from_uvicorn(text: str) -> None:
    logging.getLogger("uvicorn.error").error("Exception: %s", text)


def _from_chained_exception(text: str) -> None:
    try:
        try:
            raise OSError(text)
        except OSError as exc:
            raise ValueError("outer") from exc
    except ValueError:
        logging.getLogger("anything").exception("failed")
        structlog.get_logger("ours").exception("failed")


@pytest.mark.parametrize("log_format", ["json", "console"])
@pytest.mark.parametrize("log", [_from_structlog, _from_stdlib, _from_uvicorn, _from_chained_exception])
def test_no_key_reaches_the_log(
    capsys: pytest.CaptureFixture[str], log_format: str, log: Callable[[str], None]
) -> None:
    configure_logging(log_format, "debug")  # type: ignore[arg-type]
    log(f"401 for https://api.example/v1?key={GOOGLE} with Bearer {GROQ}")
    written = capsys.readouterr().err
    assert "401 for https://api.example/v1" in written
    assert "FAKE" not in written
    if log_format == "json":
        assert all(json.loads(line)["level"] for line in written.splitlines())


def test_half_characters_can_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    for log_format in ("json", "console"):
        configure_logging(log_format, "info")  # type: ignore[arg-type]
        structlog.get_logger().info("text", content="a\ud83d")
        assert "text" in capsys.readouterr().err


def test_the_level_is_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("json", "warning")
    structlog.get_logger().info("quiet")
    logging.getLogger("x").info("quiet")
    assert capsys.readouterr().err == ""


def test_a_failure_is_described_without_foreign_words() -> None:
    try:
        try:
            raise KeyError("what the user wrote")
        except KeyError as exc:
            raise CatalogError("row 3 is wrong") from exc
    except CatalogError as exc:
        fields = failure_fields(exc, with_text=False)
        everything = failure_fields(exc, with_text=True)
    assert fields["error"] == "CatalogError"
    assert "CatalogError: row 3 is wrong" in fields["stack"]
    assert any("test_a_failure_is_described" in line for line in fields["stack"])
    assert "what the user wrote" not in json.dumps(fields)
    assert "what the user wrote" in json.dumps(everything)
