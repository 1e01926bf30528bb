"""One in-process registry of counters and timings; `app.observability.prometheus` writes it out."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

Labels = tuple[tuple[str, str], ...]
Key = tuple[str, Labels]

BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0)
"""Upper bounds of the timing buckets: fine around the goals of a turn (8 and 20 ms), coarse above."""


@dataclass(frozen=True, slots=True)
class Timing:
    """All observations of one timing, in seconds."""

    count: int
    total_s: float
    max_s: float
    buckets: tuple[int, ...]
    """Observations per bucket (not cumulative); the last one holds what lies above every bound."""


@dataclass(frozen=True, slots=True)
class MetricsSnapshot:
    """The registry at one moment."""

    counters: Mapping[Key, int]
    timings: Mapping[Key, Timing]

    def counter(self, name: str, **labels: str) -> int:
        """Value of one counter, 0 when it never counted."""
        return self.counters.get(_key(name, labels), 0)

    def timing(self, name: str, **labels: str) -> Timing | None:
        """One timing, None when nothing was observed."""
        return self.timings.get(_key(name, labels))


class _Series:
    __slots__ = ("buckets", "count", "max_s", "total_s")

    def __init__(self) -> None:
        self.count = 0
        self.total_s = 0.0
        self.max_s = 0.0
        self.buckets = [0] * (len(BUCKETS_S) + 1)


class Metrics:
    """Counters and timings by name and labels. Safe to use from any thread.

    Label values come from closed sets (route templates, acts, rules, stages), never from a request.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counters: dict[Key, int] = {}
        self._series: dict[Key, _Series] = {}

    def count(self, name: str, amount: int = 1, **labels: str) -> None:
        """Add `amount` to a counter."""
        key = _key(name, labels)
        with self._lock:
            self._counters[key] = self._counters.get(key, 0) + amount

    def observe(self, name: str, seconds: float, **labels: str) -> None:
        """Record one duration."""
        key = _key(name, labels)
        with self._lock:
            series = self._series.get(key)
            if series is None:
                series = self._series[key] = _Series()
            series.count += 1
            series.total_s += seconds
            series.max_s = max(series.max_s, seconds)
            series.buckets[bisect_left(BUCKETS_S, seconds)] += 1

    def snapshot(self) -> MetricsSnapshot:
        """A consistent copy of everything."""
        with self._lock:
            return MetricsSnapshot(
                counters=dict(self._counters),
                timings={
                    key: Timing(series.count, series.total_s, series.max_s, tuple(series.buckets))
                    for key, series in self._series.items()
                },
            )


def _key(name: str, labels: Mapping[str, str]) -> Key:
    return name, tuple(sorted(labels.items()))
