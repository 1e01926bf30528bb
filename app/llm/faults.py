"""From what a provider's answer says of a failure to one of our faults. Shared by all providers."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from app.errors import Fault, ModelError
from app.observability import redact

FAR_S = 120.0
"""A limit that lasts longer than this is a quota: no turn can wait for it."""
DETAIL_CHARS = 200

_DAILY = re.compile(
    r"per[ _-]?day|daily|\b[rt]pd\b|quota.{0,40}(?:day|month)|insufficient_quota|credit balance", re.I
)
_IN = re.compile(
    r"(?:try again|retry|available)\D{0,20}?"
    r"((?:\d+(?:\.\d+)?\s*(?:ms|hours?|h|minutes?|mins?|min|m|seconds?|secs?|sec|s)\s*)+)",
    re.I,
)
_DELAY_FIELD = re.compile(r"retryDelay\W+(\d+(?:\.\d+)?s)")
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|h|m|s)", re.I)
_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_BAD_KEY = re.compile(
    r"api.?key.{0,20}(?:not valid|invalid|incorrect|expired)|api_key_invalid|incorrect api key", re.I
)
_TOO_LARGE = re.compile(
    r"context.{0,12}length|request too large|maximum context|too many tokens|exceeds the context", re.I
)


def fault_of_status(status: int, body: str, headers: Mapping[str, str], key: str = "") -> ModelError:
    """The error for an HTTP answer other than 200.

    Args:
        status: HTTP status.
        body: the answer's text; only looked through, never passed on whole.
        headers: with lower-case names.
        key: the key that was used, to be kept out of the detail.
    """
    after = retry_after_s(headers.get("retry-after"), body)
    detail = safe_detail(f"status {status}, {body}", key)
    return ModelError(_fault(status, body, after), detail, retry_after_s=after)


def _fault(status: int, body: str, after: float | None) -> Fault:
    if status == 429:
        return Fault.QUOTA if _DAILY.search(body) or (after or 0) > FAR_S else Fault.RATE
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(body)):
        return Fault.AUTH
    if status == 413 or (status == 400 and _TOO_LARGE.search(body)):
        return Fault.TOO_LARGE
    if status in (408, 504):
        return Fault.TIMEOUT
    return Fault.SERVER if status >= 500 else Fault.REQUEST


def retry_after_s(header: str | None, body: str) -> float | None:
    """Seconds to wait, never negative, from a Retry-After header or else the words of the error.

    None when neither says. The header holds seconds or an HTTP date (RFC 9110, 10.2.3).
    """
    stated = _seconds(header or "")
    if stated is None:
        stated = _seconds_until(header or "")
    if stated is not None:
        return max(0.0, stated)
    found = _IN.search(body) or _DELAY_FIELD.search(body)
    if found is None:
        return None
    return sum(float(number) * _UNIT_S[unit.lower()] for number, unit in _PART.findall(found[1]))


def _seconds(header: str) -> float | None:
    try:
        number = float(header)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _seconds_until(header: str) -> float | None:
    """From now to an HTTP date; one without a zone is taken as UTC, which HTTP dates always are."""
    try:
        moment = parsedate_to_datetime(header)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return aware.timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None


def safe_detail(text: str, key: str = "") -> str:
    """The beginning of `text` on one line, without the key or anything that looks like one."""
    hidden = text.replace(key, "[redacted]") if key else text
    return " ".join(redact(hidden).split())[:DETAIL_CHARS]


def fault_of_finish(finish: str, text: str) -> ModelError | None:
    """The error for an answer that ended early or holds nothing; None for a whole one.

    Args:
        finish: the provider's reason for the end, in any casing.
        text: what it wrote.
    """
    reason = finish.lower()
    if reason in ("length", "max_tokens"):
        return ModelError(Fault.CUT_OFF, f"finish reason {finish}")
    if reason in ("content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii"):
        return ModelError(Fault.BLOCKED, f"finish reason {finish}")
    if not text.strip():
        return ModelError(Fault.EMPTY, f"finish reason {finish or 'unknown'}")
    return None
