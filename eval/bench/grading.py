"""Grades recorded answers again and again: how long it takes, and whether memory grows with the number of cases."""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path

from eval.adapters.base import AdapterOptions
from eval.adapters.inprocess import build
from eval.aggregator import ResultAggregator
from eval.bench.records import MeasurementError
from eval.errors import EvalError
from eval.golden import GoldenCase, golden_path, load_golden
from eval.profiles import load_profile
from eval.records import Payload, RunInfo
from eval.replay import play
from eval.store import RunWriter
from eval.targets.recommender import TARGET

CASES = 1_000
WARM = 200
"""Cases after which everything that is remembered is there."""
_KB_PER_MB = 1_024


@dataclass(frozen=True, slots=True)
class Grading:
    """What grading `CASES` recorded cases took, rows written included."""

    seconds: float
    grown_mb: float
    """Growth of the largest resident memory from the first `WARM` cases to the last."""


def grade_recorded() -> Grading:
    """Answers are recorded first and outside the clock; ids are made distinct, so that nothing is left out.

    Raises:
        MeasurementError: the pipeline or the golden set cannot be loaded.
    """
    try:
        adapter = build(AdapterOptions(dense=False))
        answers = [(case, play(case.messages, adapter)) for case in load_golden(golden_path(TARGET.golden))]
        adapter.close()
        aggregator = ResultAggregator(TARGET.name, TARGET.load(), load_profile("full"))
    except EvalError as exc:
        raise MeasurementError(str(exc)) from exc
    info = RunInfo("bench", "", "", "replay", "recorded answers", "bench", 0)
    with tempfile.TemporaryDirectory() as folder, RunWriter.open(Path(folder, "r.jsonl"), info) as writer:
        for case, payloads in _numbered(answers, WARM, "warm"):
            writer.add(aggregator.evaluate(payloads[-1], case, earlier=payloads[:-1]))
        before_mb, start = _peak_mb(), time.perf_counter()
        for case, payloads in _numbered(answers, CASES, "case"):
            writer.add(aggregator.evaluate(payloads[-1], case, earlier=payloads[:-1]))
        return Grading(time.perf_counter() - start, _peak_mb() - before_mb)


def _numbered(
    answers: list[tuple[GoldenCase, list[Payload]]], count: int, prefix: str
) -> Iterator[tuple[GoldenCase, list[Payload]]]:
    for number, (case, payloads) in enumerate(islice(cycle(answers), count)):
        yield replace(case, id=f"{prefix}-{number}"), payloads


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KB_PER_MB
