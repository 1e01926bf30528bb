"""How long the user waits."""

from __future__ import annotations

import math

from eval.evaluators.base import EvaluatorSpec, Illustration, Measured, no_value
from eval.facts import Facts
from eval.records import Payload

TTFT_TARGETS_S = (1.0, 8.0)
"""First words of a streamed answer: as good as at once, and too late."""
NOT_LIVE = ("replay", "cache")
"""Channels whose times are those of a file."""


def speed(seconds: float, good: float, bad: float) -> float:
    """1 up to `good`, 0 from `bad`, falling with the logarithm between: each doubling costs the same."""
    if seconds <= good:
        return 1.0
    if seconds >= bad:
        return 0.0
    return 1 - math.log(seconds / good) / math.log(bad / good)


def measure(facts: Facts) -> Measured:
    """Speed of the slowest answer; of a streamed one half by its first words, half by its end."""
    payload = facts.slowest or facts.payload
    if payload.source in NOT_LIVE:
        return no_value(f"the channel {payload.source} has no times of its own")
    total_ms = payload.ui_latency_ms if payload.ui_latency_ms is not None else payload.latency_ms
    if total_ms is None:
        return no_value("no clock was read")
    total = speed(total_ms / 1000, *facts.latency_targets_s)
    if payload.ttft_ms is None:
        return Measured(total, "slowest answer against the targets")
    first = speed(payload.ttft_ms / 1000, *TTFT_TARGETS_S)
    return Measured((first + total) / 2, f"first words {first:.2f}, whole answer {total:.2f}")


def _took(milliseconds: float) -> Facts:
    return Facts("q", "a", Payload("q", source="api", latency_ms=milliseconds))


EVALUATOR = EvaluatorSpec(
    name="latency",
    weight=0.10,
    threshold=0.50,
    exact=True,
    measure=measure,
    meaning="the slowest answer of the conversation against 5 and 30 seconds, at which the grader gives up",
    formula="1 to 5 s, 0 from 30 s, logarithmic between; streamed: half first words (1 and 8 s), half whole answer",
    no_value_when="the answer comes from a recording or a cache, or no clock was read",
    example=Illustration("the slowest of four answers takes 12 ms", _took(12)),
    counter_example=Illustration("one answer takes 25 s", _took(25_000)),
)
