"""Compares a run with thresholds that are data (gates.yaml). Three answers: passed, failed, inconclusive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from eval.case_gates import CASE_MEASURES, MUTATION_MEASURES, case_outcomes, mutation_share
from eval.errors import GateError
from eval.metrics import Interval, mean_interval, wilson
from eval.no_data import alarm
from eval.records import CaseResult, ConversationResult, LawResult, ProbeResult, Run, Status
from eval.replay import Counts, count
from eval.scoring import MEASURES

GATES = Path(__file__).with_name("gates.yaml")
MIN_COVERAGE = 0.9
"""Below this share of scored conversations a mean says too little."""
MAX_ERRORS = 0.05
"""Above this share of errors the measurement is broken, whatever the rest says."""

Verdict = Literal["passed", "failed", "inconclusive"]
EXIT_PASS, EXIT_BROKEN, EXIT_FAILED, EXIT_INCONCLUSIVE = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class Gate:
    """One threshold."""

    id: str
    kind: Literal["mean", "count", "probes", "laws", "cases", "mutation"]
    measure: str = ""
    over: Mapping[str, str] = field(default_factory=dict)
    at_least: float | None = None
    at_most: float | None = None
    min_n: int = 1
    only_with: str | None = None
    """The gate applies only when the run holds this split."""


@dataclass(frozen=True, slots=True)
class GateResult:
    """What became of a gate."""

    gate: Gate
    verdict: Verdict
    found: Interval | None
    reason: str


def load_gates(path: Path = GATES) -> tuple[Gate, ...]:
    """All gates.

    Raises:
        GateError: naming the gate and what is wrong with it.
    """
    gates = []
    for row in yaml.safe_load(path.read_text(encoding="utf-8")) or []:
        try:
            gate = Gate(**row)
        except TypeError as exc:
            raise GateError(f"{path.name}, {row.get('id')}: {exc}") from exc
        _check(gate)
        gates.append(gate)
    return tuple(gates)


def _check(gate: Gate) -> None:
    measures = {
        "mean": set(MEASURES), "count": set(asdict(count([]))), "cases": CASE_MEASURES, "mutation": MUTATION_MEASURES,
    }.get(gate.kind, {""})  # fmt: skip
    if gate.measure not in measures:
        raise GateError(f"{gate.id}: nothing measures {gate.measure!r}, known are {sorted(measures)}")
    if gate.at_least is None and gate.at_most is None:
        raise GateError(f"{gate.id}: no threshold")
    if unknown := set(gate.over) - {"split", "user", "mode", "channel"}:
        raise GateError(f"{gate.id}: cannot narrow by {sorted(unknown)}")


def judge(run: Run, gates: Iterable[Gate]) -> tuple[GateResult, ...]:
    """Every gate that applies to what `run` was meant to hold."""
    splits = {c.split for c in run.conversations}
    parts = set(run.info.settings.get("parts", "replay probes laws recall").split())
    needed = {
        "mean": "replay", "count": "replay", "probes": "probes", "laws": "laws", "cases": "golden",
        "mutation": "mutation",
    }  # fmt: skip
    return tuple(
        _judge(gate, run)
        for gate in gates
        if needed[gate.kind] in parts and (gate.only_with is None or gate.only_with in splits)
    )


def _judge(gate: Gate, run: Run) -> GateResult:
    chosen = select(run.conversations, **gate.over)
    if gate.kind == "count":
        return _judge_count(gate, count(chosen))
    if gate.kind == "mean":
        return _judge_mean(gate, chosen, run.info.seed)
    if gate.kind == "mutation":
        found = mutation_share(run.mutation, gate.measure)
        if found is None or found.n < gate.min_n:
            return GateResult(
                gate, "inconclusive", found, f"{found.n if found else 0} planted, {gate.min_n} are needed"
            )
        return _compare(gate, found)
    if gate.kind == "cases" and gate.measure == "alarm":
        return _judge_alarm(gate, run.cases)
    if gate.kind == "cases":
        return _judge_share(gate, case_outcomes(run.cases, gate.measure))
    outcomes = pairs_right(run.probes) if gate.kind == "probes" else laws_held(run.laws)
    return _judge_share(gate, outcomes)


def _judge_count(gate: Gate, counts: Counts) -> GateResult:
    """A turn that never reached the target has no fault, and shows nothing."""
    found = Interval(asdict(counts)[gate.measure], None, None, counts.turns - counts.unreachable, "count")
    if not found.n:
        return GateResult(
            gate, "inconclusive", None, "no turn was answered" if counts.turns else "nothing was run"
        )
    result = _compare(gate, found)
    if counts.unreachable and result.verdict == "passed":
        return GateResult(gate, "inconclusive", found, f"{counts.unreachable} turns never reached the target")
    return result


def _judge_mean(gate: Gate, chosen: Sequence[ConversationResult], seed: int) -> GateResult:
    values, errors = values_of(chosen, gate.measure)
    found = mean_interval(values, seed, share=True)
    if len(values) < gate.min_n or found is None:
        return GateResult(gate, "inconclusive", found, f"{len(values)} values, {gate.min_n} are needed")
    if errors or len(values) < MIN_COVERAGE * len(chosen):
        missing = f"{len(values)} of {len(chosen)} scored, {errors} errors"
        return GateResult(gate, "inconclusive", found, missing)
    return _compare(gate, found)


def _judge_share(gate: Gate, outcomes: Mapping[str, bool | None]) -> GateResult:
    known = [held for held in outcomes.values() if held is not None]
    found = wilson(sum(known), len(known))
    if found is None or len(known) < gate.min_n:
        return GateResult(gate, "inconclusive", found, f"{len(known)} checked, {gate.min_n} are needed")
    if len(known) < len(outcomes):
        return GateResult(gate, "inconclusive", found, f"{len(outcomes) - len(known)} could not be asked")
    return _compare(gate, found)


def _compare(gate: Gate, found: Interval) -> GateResult:
    value = round(found.value, 6)
    low_enough = gate.at_most is None or value <= gate.at_most
    high_enough = gate.at_least is None or value >= gate.at_least
    passed = low_enough and high_enough
    limit = gate.at_least if gate.at_least is not None else gate.at_most
    straddles = found.low is not None and found.high is not None and found.low < (limit or 0) < found.high
    note = "; the interval holds the threshold, so this many cannot tell" if straddles else ""
    return GateResult(gate, "passed" if passed else "failed", found, f"{_WORDS[gate.kind]} {found.n}{note}")


_WORDS = {
    "mean": "mean of", "count": "count over turns:", "probes": "share of", "laws": "share of",
    "cases": "share of", "mutation": "share of",
}  # fmt: skip


def _judge_alarm(gate: Gate, cases: Sequence[CaseResult]) -> GateResult:
    """Whether "nothing found" is said more often than there is nothing: an assistant may hide behind it."""
    said, empty = sum(c.said_nothing for c in cases), sum(c.nothing_there for c in cases)
    chance = alarm(said, empty, len(cases))
    if chance is None or len(cases) < gate.min_n:
        return GateResult(gate, "inconclusive", None, f"{len(cases)} cases, {gate.min_n} are needed")
    found = Interval(chance, None, None, len(cases), "exact binomial")
    verdict: Verdict = "passed" if chance >= (gate.at_least or 0.0) else "failed"
    return GateResult(
        gate,
        verdict,
        found,
        f"{said} answers say so, {empty} of {len(cases)} cases are so; chance {chance:.3f}",
    )


def select(conversations: Iterable[ConversationResult], **over: str) -> tuple[ConversationResult, ...]:
    """Those whose split, user, mode and channel are as given."""
    return tuple(c for c in conversations if all(getattr(c, name) == value for name, value in over.items()))


def values_of(conversations: Iterable[ConversationResult], name: str) -> tuple[list[float], int]:
    """The values of one measure, and how many conversations have an error instead."""
    results = [r for c in conversations for r in c.results if r.name == name]
    return [r.value for r in results if r.value is not None], sum(r.status is Status.ERROR for r in results)


def pairs_right(probes: Iterable[ProbeResult]) -> dict[str, bool | None]:
    """Each pair: right when both sides are, None when a side could not be asked."""
    sides: dict[str, list[ProbeResult]] = {}
    for probe in probes:
        sides.setdefault(probe.pair, []).append(probe)
    return {
        pair: None
        if len(both) < 2 or any(p.status is not Status.SCORED for p in both)
        else all(p.right for p in both)
        for pair, both in sides.items()
    }


def laws_held(laws: Iterable[LawResult]) -> dict[str, bool | None]:
    """Each check that applied; None when the target could not be asked. What did not apply is left out."""
    return {law.key: law.held for law in laws if law.status is not Status.UNSCORED}


def exit_code(run: Run, results: Sequence[GateResult]) -> int:
    """0 all passed, 1 the measurement is broken, 2 a gate failed, 3 inconclusive."""
    if is_broken(run):
        return EXIT_BROKEN
    verdicts = {result.verdict for result in results}
    if "failed" in verdicts:
        return EXIT_FAILED
    return EXIT_INCONCLUSIVE if "inconclusive" in verdicts or not results else EXIT_PASS


def is_broken(run: Run) -> bool:
    """Whether nothing was run, or more than a few pieces could not be."""
    status: list[bool] = [any(r.status is Status.ERROR for r in c.results) for c in run.conversations]
    status += [probe.status is Status.ERROR for probe in run.probes]
    status += [law.status is Status.ERROR for law in run.laws]
    status += [case.verdict == "error" for case in run.cases]
    if not status:
        return not run.recall and not run.mutation
    return sum(status) > MAX_ERRORS * len(status)


def describe(gate: Gate) -> dict[str, Any]:
    """A gate for the report."""
    over = ", ".join(f"{value}" for value in gate.over.values()) or "all"
    threshold = f"≥ {gate.at_least:g}" if gate.at_least is not None else f"≤ {gate.at_most:g}"
    return {"id": gate.id, "over": over, "threshold": threshold}
