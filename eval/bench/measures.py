"""The measurements, in the order of the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from statistics import median

from eval.bench.grading import CASES
from eval.bench.records import Sample, extremes, middle, quantile
from eval.bench.registry import measurement
from eval.bench.runs import CONNECTIONS, Runs

STAGES = ("understanding", "decision", "retrieval", "assembly", "reply")


@measurement("health_start_s", "s", "start of the process to /health")
def health_start(runs: Runs) -> Sample:
    """Median of fresh processes."""
    return middle([start.health_s for start in runs.starts])


@measurement("first_shortlist_s", "s", "start of the process to the first shortlist")
def first_shortlist(runs: Runs) -> Sample:
    """Median of fresh processes; the turn is sent as soon as /health answers."""
    return middle([start.first_shortlist_s for start in runs.starts])


@measurement("dense_ready_s", "s", "start of the process to dense search attached")
def dense_ready(runs: Runs) -> Sample:
    """Median of fresh processes; turns before it are answered by words alone."""
    return middle([start.dense_s for start in runs.starts])


@measurement("memory_loaded_mb", "MB", "resident memory, everything loaded, before the first turn")
def memory_loaded(runs: Runs) -> Sample:
    """One process."""
    return Sample(runs.replay.resident_mb[0])


@measurement("memory_warm_mb", "MB", "resident memory after the replay of the conversations")
def memory_warm(runs: Runs) -> Sample:
    """The largest after any pass."""
    after = runs.replay.resident_mb[1:]
    return extremes(max(after), after)


@measurement("memory_load_mb", "MB", f"resident memory after the load at {CONNECTIONS} connections")
def memory_load(runs: Runs) -> Sample:
    """One process."""
    return Sample(runs.load.resident_mb)


@measurement(
    "installed_mb", "MB", "installed packages with weights and compiled files, without pip and setuptools"
)
def installed(runs: Runs) -> Sample:
    """A fresh environment from the lock files."""
    return Sample(runs.install.total_mb(with_tools=False), note=runs.install.largest(6))


@measurement("installed_with_tools_mb", "MB", "the same with the pip and setuptools of a new environment")
def installed_with_tools(runs: Runs) -> Sample:
    """A fresh environment from the lock files."""
    return Sample(runs.install.total_mb(with_tools=True))


@measurement("turn_p50_cold_ms", "ms", "a turn at one connection, first pass over the conversations, p50")
def turn_p50_cold(runs: Runs) -> Sample:
    """Nothing has been read or encoded before."""
    return middle(runs.replay.cold_ms)


@measurement("turn_p95_cold_ms", "ms", "a turn at one connection, first pass over the conversations, p95")
def turn_p95_cold(runs: Runs) -> Sample:
    """Nothing has been read or encoded before."""
    return _p95(runs.replay.cold_ms)


@measurement("turn_p50_warm_ms", "ms", "a turn at one connection, the same conversations again, p50")
def turn_p50_warm(runs: Runs) -> Sample:
    """What the first pass read and encoded is remembered."""
    return middle(runs.replay.warm_ms)


@measurement("turn_p95_warm_ms", "ms", "a turn at one connection, the same conversations again, p95")
def turn_p95_warm(runs: Runs) -> Sample:
    """What the first pass read and encoded is remembered."""
    return _p95(runs.replay.warm_ms)


@measurement("job_text_p50_ms", "ms", "a job text of 4,000 words never seen before, p50")
def job_text_p50(runs: Runs) -> Sample:
    """Each text has an order of its own."""
    return middle(runs.job_texts_ms)


@measurement(
    "throughput_8_per_s", "turns/s", f"{CONNECTIONS} connections, closed loop, distinct conversations"
)
def throughput(runs: Runs) -> Sample:
    """All turns by all seconds; the spread is over whole seconds."""
    load = runs.load
    by_second = Counter(int(second) for second in load.done_s)
    whole = [float(by_second[second]) for second in range(int(load.seconds))]
    return Sample(
        len(load.done_s) / load.seconds,
        len(load.done_s),
        quantile(whole, 0.25),
        quantile(whole, 0.75),
        "p25-p75",
        f"a turn then takes {median(load.took_ms):.0f} ms (p50), {quantile(load.took_ms, 0.95):.0f} ms (p95)",
    )


def _share(runs: Runs, stage: str) -> Sample:
    turns = runs.replay.stage_ms
    times = [turn.get(stage, 0.0) for turn in turns]
    return _share_sample(times, runs)


def _share_sample(times: Sequence[float], runs: Runs) -> Sample:
    note = f"{median(times):.2f} ms (p50), {quantile(times, 0.95):.2f} ms (p95)"
    return Sample(100 * sum(times) / sum(runs.replay.cold_ms), len(times), note=note)


for _stage in STAGES:
    measurement(f"share_{_stage}_pct", "%", f"share of {_stage} in the turns of the first pass")(
        partial(_share, stage=_stage)
    )


@measurement("share_rest_pct", "%", "share of all else: HTTP, validation, threads, log, the client")
def share_rest(runs: Runs) -> Sample:
    """What the client saw less what the stages took."""
    pairs = zip(runs.replay.cold_ms, runs.replay.stage_ms, strict=True)
    return _share_sample([seen - sum(turn.get(stage, 0.0) for stage in STAGES) for seen, turn in pairs], runs)


@measurement("grade_1000_s", "s", f"grading {CASES:,} recorded golden cases in thirteen dimensions")
def grade_cases(runs: Runs) -> Sample:
    """One process, rows written to disk one by one."""
    return Sample(runs.grading.seconds, CASES)


@measurement("grade_grown_mb", "MB", f"memory grown while grading {CASES:,} recorded golden cases")
def grade_memory(runs: Runs) -> Sample:
    """Peak memory after the last case less that after the first 200."""
    return Sample(runs.grading.grown_mb, CASES)


@measurement("page_kb", "kB", "first load of the recruiter's page, everything over the wire")
def page_kilobytes(runs: Runs) -> Sample:
    """Nothing is cached."""
    return Sample(max(runs.page.kilobytes), len(runs.page.kilobytes))


@measurement("page_interactive_s", "s", "start of a visit until the recruiter's page can be used")
def page_interactive(runs: Runs) -> Sample:
    """On loopback, measured by the browser."""
    return middle(runs.page.interactive_s)


@measurement("list_drawn_ms", "ms", "end of the answer to the frame that shows the cards")
def list_drawn(runs: Runs) -> Sample:
    """Measured by the browser; the facts of the catalogue come after it."""
    return middle(runs.page.drawn_ms)


def _p95(values: Sequence[float]) -> Sample:
    return extremes(quantile(values, 0.95), values)
