"""What is written is what Prometheus' own parser reads."""

from __future__ import annotations

import ast
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from app.observability import Metrics
from app.observability.prometheus import HELP, Gauge, process_gauges, render

APP = Path(__file__).resolve().parents[4] / "app"


def read(text: str) -> dict[str, dict[tuple[tuple[str, str], ...], float]]:
    found: dict[str, dict[tuple[tuple[str, str], ...], float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sorted(sample.labels.items()))] = sample.value
    return found


def test_counters_histograms_and_gauges_are_read_back() -> None:
    metrics = Metrics()
    metrics.count("turns_total", 3, act="recommend", rule='odd "rule"\\\n')
    for seconds in (0.0005, 0.001, 0.004, 99.0):
        metrics.observe("stage_seconds", seconds, stage="reply")
    found = read(render(metrics.snapshot(), [Gauge("ready", "Whether.", True)], (("worker", "7"),)))
    key = (("act", "recommend"), ("rule", 'odd "rule"\\\n'), ("worker", "7"))
    assert found["recommender_turns_total"][key] == 3
    buckets = {dict(labels)["le"]: n for labels, n in found["recommender_stage_seconds_bucket"].items()}
    assert (buckets["0.001"], buckets["0.0025"], buckets["0.005"]) == (2, 2, 3)
    assert (buckets["25"], buckets["+Inf"]) == (3, 4)
    labels = (("stage", "reply"), ("worker", "7"))
    assert found["recommender_stage_seconds_count"][labels] == 4
    assert found["recommender_stage_seconds_sum"][labels] == sum((0.0005, 0.001, 0.004, 99.0))
    assert found["recommender_ready"][(("worker", "7"),)] == 1


def test_an_empty_registry_is_no_error() -> None:
    assert read(render(Metrics().snapshot(), [])) == {}


def test_memory_and_files_of_the_process() -> None:
    gauges = {gauge.name: gauge.value for gauge in process_gauges()}
    assert gauges["resident_memory_bytes"] > 10_000_000
    assert gauges["open_files"] >= 3


def test_everything_that_is_counted_in_the_code_has_words() -> None:
    counted = set()
    for path in APP.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("count", "observe")
                and node.args
                and isinstance(node.args[0], ast.Constant)
                and str(node.args[0].value).endswith(("_total", "_seconds"))
            ):
                counted.add(node.args[0].value)
    assert counted == set(HELP)
