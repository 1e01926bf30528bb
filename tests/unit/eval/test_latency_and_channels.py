"""Times that are none: of a recording, of a cache, of no clock; and the slowest answer counts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.evaluators.latency import EVALUATOR, measure, speed
from eval.records import Payload
from tests.unit.eval.case_doubles import GOOD


def value(**fields: object) -> float | None:
    payload = Payload("q", "a", **fields)  # type: ignore[arg-type]
    return measure(replace(GOOD, payload=payload, slowest=None)).value


@pytest.mark.parametrize("source", ["replay", "cache"])
def test_a_recording_has_no_latency(source: str) -> None:
    assert value(source=source, latency_ms=1.0) is None
    assert value(source="api", latency_ms=1.0) == 1


def test_no_clock_no_value_and_zero_is_a_time() -> None:
    assert value(source="api") is None
    assert value(source="api", latency_ms=0.0) == 1


def test_the_slowest_answer_of_the_conversation_counts() -> None:
    fast, slow = Payload("q", "a", latency_ms=5.0), Payload("q", "a", latency_ms=40_000.0)
    assert measure(replace(GOOD, payload=fast, slowest=slow)).value == 0


def test_what_the_page_shows_counts_before_what_the_wire_took() -> None:
    assert value(source="ui", latency_ms=100.0, ui_latency_ms=30_000.0) == 0


def test_first_words_count_half() -> None:
    assert value(source="ws", latency_ms=30_000.0, ttft_ms=500.0) == 0.5


@given(st.floats(0, 100), st.floats(0, 100))
def test_slower_is_never_better(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert speed(low, 5, 30) >= speed(high, 5, 30)
    assert 0 <= speed(low, 5, 30) <= 1


def test_it_is_exact() -> None:
    assert EVALUATOR.exact
    assert not EVALUATOR.judged
