"""The registry as Prometheus reads it (text format 0.0.4).

Rendered here and not by prometheus-client: the registry is already there, and the library's own one would count
everything a second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from app.observability.metrics import BUCKETS_S, Labels, MetricsSnapshot, Timing

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "recommender_"
HELP: Mapping[str, str] = {
    "degraded_total": "Turns answered without a part, by part.",
    "http_request_seconds": "Duration of requests by route template.",
    "http_requests_total": "Requests by route template, method and status.",
    "model_answers_remembered_total": "Turns for which a remembered answer of a language model was used.",
    "model_calls_total": "Calls to language models by provider and outcome.",
    "model_degraded_total": "Turns read by the rules because a language model failed, by why.",
    "model_notes_total": "Turns of a language model on which something went amiss without harm, by what.",
    "refused_total": "Requests turned away by a limit: rate (429) or busy (503).",
    "shared_store_failures_total": "Uses of Redis that failed, by use.",
    "shared_store_skipped_total": "Uses of Redis left out after a failure, by use.",
    "stage_seconds": "Duration of each stage of a turn.",
    "turns_total": "Turns by act and rule.",
}


@dataclass(frozen=True, slots=True)
class Gauge:
    """A value at this moment."""

    name: str
    help: str
    value: float


def process_gauges() -> Iterator[Gauge]:
    """Memory and open files of this process; nothing where there is no /proc."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        open_files = sum(1 for _ in Path("/proc/self/fd").iterdir())
    except OSError:
        return
    resident = next((line for line in status.splitlines() if line.startswith("VmRSS:")), "VmRSS: 0 kB")
    yield Gauge("resident_memory_bytes", "Resident memory.", int(resident.split()[1]) * 1024)
    yield Gauge("open_files", "Open files and connections.", open_files)


def render(snapshot: MetricsSnapshot, gauges: Iterable[Gauge], common: Labels = ()) -> str:
    """Counters, histograms and gauges as text.

    Args:
        snapshot: of the registry.
        gauges: read at this moment.
        common: labels of every line, such as the process in a group of workers.
    """
    lines: list[str] = []
    for name in sorted({name for name, _ in snapshot.counters}):
        lines += _head(name, HELP[name], "counter")
        rows = sorted((labels, n) for (each, labels), n in snapshot.counters.items() if each == name)
        lines += [f"{PREFIX}{name}{_labels((*common, *labels))} {count}" for labels, count in rows]
    for name in sorted({name for name, _ in snapshot.timings}):
        lines += _head(name, HELP[name], "histogram")
        for labels, timing in sorted(
            ((labels, timing) for (each, labels), timing in snapshot.timings.items() if each == name),
            key=lambda row: row[0],
        ):
            lines += _histogram(f"{PREFIX}{name}", (*common, *labels), timing)
    for gauge in gauges:
        lines += _head(gauge.name, gauge.help, "gauge")
        lines.append(f"{PREFIX}{gauge.name}{_labels(common)} {gauge.value:.17g}")
    return "\n".join(lines) + "\n"


def _head(name: str, help_text: str, kind: str) -> list[str]:
    return [f"# HELP {PREFIX}{name} {help_text}", f"# TYPE {PREFIX}{name} {kind}"]


def _histogram(name: str, labels: Labels, timing: Timing) -> Iterator[str]:
    bounds = [f"{bound:g}" for bound in BUCKETS_S] + ["+Inf"]
    for bound, count in zip(bounds, accumulate(timing.buckets), strict=True):
        yield f"{name}_bucket{_labels((*labels, ('le', bound)))} {count}"
    yield f"{name}_sum{_labels(labels)} {timing.total_s:.17g}"
    yield f"{name}_count{_labels(labels)} {timing.count}"


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{key}="{_escaped(value)}"' for key, value in labels) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
