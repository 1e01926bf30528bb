"""Counters and timings."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from app.observability import Metrics


def test_counts_by_labels_in_any_order() -> None:
    metrics = Metrics()
    metrics.count("turns_total", act="refine", rule="edit")
    metrics.count("turns_total", 2, rule="edit", act="refine")
    metrics.count("turns_total", act="refuse", rule="scope")
    snapshot = metrics.snapshot()
    assert snapshot.counter("turns_total", act="refine", rule="edit") == 3
    assert snapshot.counter("turns_total", act="confirm", rule="edit") == 0


def test_timings_keep_sum_maximum_and_buckets() -> None:
    metrics = Metrics()
    for seconds in (0.001, 0.004, 60):
        metrics.observe("stage_seconds", seconds, stage="reply")
    timing = metrics.snapshot().timing("stage_seconds", stage="reply")
    assert timing is not None
    assert (timing.count, timing.max_s) == (3, 60)
    assert timing.total_s == 60.005
    assert (timing.buckets[0], timing.buckets[2], timing.buckets[-1]) == (1, 1, 1)
    assert metrics.snapshot().timing("stage_seconds", stage="none") is None


def test_a_snapshot_does_not_change() -> None:
    metrics = Metrics()
    before = metrics.snapshot()
    metrics.count("x")
    assert before.counter("x") == 0


def test_nothing_is_lost_between_threads() -> None:
    metrics = Metrics()

    def work(_: int) -> None:
        for _ in range(2_000):
            metrics.count("x")
            metrics.observe("y", 0.01)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    snapshot = metrics.snapshot()
    timing = snapshot.timing("y")
    assert timing is not None
    assert (snapshot.counter("x"), timing.count) == (16_000, 16_000)
