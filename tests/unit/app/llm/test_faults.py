"""What an error says, read from its status and its words."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import Fault
from app.llm.faults import fault_of_finish, fault_of_status, retry_after_s, safe_detail


@pytest.mark.parametrize(
    ("header", "words", "seconds"),
    [
        ("2", "", 2.0),
        ("0.5", "try again in 40s", 0.5),
        (None, "Please try again in 12m21s.", 741.0),
        (None, "please retry in 34.5 seconds", 34.5),
        (None, "retry after 250ms", 0.25),
        (None, "available again in 1 h 5 min", 3_900.0),
        (None, '{"retryDelay": "41s"}', 41.0),
        (None, "cap 9000, spent 7100, asked 2600", None),
        (None, "", None),
    ],
)
def test_the_time_to_wait(header: str | None, words: str, seconds: float | None) -> None:
    assert retry_after_s(header, words) == seconds


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("Wed, 21 Oct 2026 07:28:00 GMT", 90.0),
        ("Wed, 21 Oct 2026 09:28:00 +0200", 90.0),
        ("Wed, 21 Oct 2026 07:28:00 -0000", 90.0),
        ("Wed, 21 Oct 2026 07:26:00 GMT", 0.0),
        ("-3", 0.0),
        ("Wed, 21 Oct 99999 07:28:00 GMT", None),
        ("Wed, 41 Oct 2026 07:28:00 GMT", None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
    ],
)
def test_a_date_is_a_time_to_wait_and_nonsense_is_none(
    header: str, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime(2026, 10, 21, 7, 26, 30, tzinfo=UTC).timestamp()
    monkeypatch.setattr("app.llm.faults.time.time", lambda: now)
    assert retry_after_s(header, "") == seconds


def test_words_are_read_where_the_header_is_nonsense() -> None:
    assert retry_after_s("soon", "try again in 4s") == 4.0


@given(st.text(max_size=40))
def test_no_header_breaks_or_gives_a_time_below_zero(header: str) -> None:
    seconds = retry_after_s(header, "")
    assert seconds is None or (seconds >= 0 and math.isfinite(seconds))


@pytest.mark.parametrize(
    ("status", "words", "fault"),
    [
        (429, "per-minute tokens: cap 9000, spent 7100, asked 2600", Fault.RATE),
        (429, "per-minute calls: cap 20, spent 20", Fault.RATE),
        (429, "per-day tokens: cap 80000, spent 80000", Fault.QUOTA),
        (413, "per-minute tokens: cap 9000, asked 15300", Fault.TOO_LARGE),
        (429, "insufficient_quota", Fault.QUOTA),
        (400, "temperature must be positive", Fault.REQUEST),
        (504, "gateway", Fault.TIMEOUT),
    ],
)
def test_four_limits_in_one_wording_are_told_apart(status: int, words: str, fault: Fault) -> None:
    assert fault_of_status(status, words, {}).fault is fault


def test_details_are_short_and_hold_no_key() -> None:
    detail = safe_detail("x sk-abcdefghijklmnop y my-odd-key z\n" + "long " * 100, "my-odd-key")
    assert "abcdefgh" not in detail
    assert "my-odd-key" not in detail
    assert len(detail) <= 200


def test_an_end_that_is_none_passes() -> None:
    assert fault_of_finish("stop", "{}") is None
    assert fault_of_finish("", "{}") is None
