"""From a run to what the report says: means with intervals, rows, counts, differences. No rendering here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

from eval import compare
from eval.compare import Comparison
from eval.consistency import Consistency, consistency
from eval.dimensions import CasesSummary, Likeness, console_lines, planted_likeness, summarise_cases
from eval.gates import GateResult, laws_held, pairs_right, select, values_of
from eval.metrics import (
    Interval,
    mean_interval,
    paired_difference,
    percentile,
    smallest_detectable,
    smallest_detectable_from_scores,
    wilson,
)
from eval.recall_eval import ARMS
from eval.records import ConversationResult, LawResult, Payload, RecallRow, Run, Status
from eval.replay import Counts, count
from eval.scoring import MEASURES


@dataclass(frozen=True, slots=True)
class Group:
    """Conversations of one split, user and mode, with their means."""

    split: str
    user: str
    mode: str
    n: int
    means: Mapping[str, Interval | None]
    errors: int
    detectable: float | None
    """The smallest difference in mean Recall@10 that this many conversations can show."""
    counts: Counts
    p50_ms: float | None
    p95_ms: float | None

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.split}, {self.user}, {self.mode}"


@dataclass(frozen=True, slots=True)
class ArmMean:
    """One retrieval arm over one split."""

    split: str
    arm: str
    means: Mapping[str, Interval | None]
    against_best: Interval | None = None
    """Paired difference in Recall@10 to the best single ranker; only for the fused ranking."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure now and in an earlier run, over the conversations that both have."""

    group: str
    measure: str
    change: Interval
    detectable: float | None
    verdict: str


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that the report shows, computed once."""

    run: Run
    gates: tuple[GateResult, ...]
    groups: tuple[Group, ...]
    arms: tuple[ArmMean, ...]
    probes: Mapping[str, tuple[int, int]]
    """Kind of probe: pairs right, pairs."""
    laws: Mapping[str, tuple[int, int, int]]
    """Law: held, checked, not applicable."""
    differences: tuple[Difference, ...] = ()
    baseline: str = ""
    label_changes: tuple[str, ...] = ()
    routers: tuple[Mapping[str, str], ...] = ()
    """Who read this run and the earlier one, side by side; nothing where no language model took part."""
    cases: CasesSummary | None = None
    planted_likeness: Likeness | None = None
    consistency: tuple[Consistency, ...] = ()
    comparison: Comparison | None = None
    """With the baseline, where both hold golden cases."""

    @property
    def lines(self) -> list[str]:
        """What a console shows of golden cases and planted defects."""
        compared = compare.lines(self.comparison) if self.comparison else []
        return [*console_lines(self.cases, self.run.mutation, self.consistency), *compared]


ARM_MEASURES = ("recall@10", "recall@20", "precision", "ndcg@10", "mrr")


def summarise(
    run: Run,
    gates: tuple[GateResult, ...],
    baseline: Run | None = None,
    label_changes: tuple[str, ...] = (),
    price: tuple[float, float] | None = None,
) -> Summary:
    """Compute everything the report shows; `price` is in USD per million tokens in and out."""
    names = sorted({(c.split, c.user, c.mode) for c in run.conversations})
    groups = tuple(_group(run, *name) for name in names)
    return Summary(
        run=run,
        gates=gates,
        groups=groups,
        arms=tuple(_arms(run)),
        probes=_probes(run),
        laws=_laws(run.laws),
        differences=tuple(_differences(run, baseline)) if baseline else (),
        baseline=baseline.info.id if baseline else "",
        label_changes=label_changes,
        routers=tuple(_routers([run, *([baseline] if baseline else [])], price)),
        cases=summarise_cases(run),
        planted_likeness=planted_likeness(run.mutation),
        consistency=consistency(run.cases),
        comparison=compare.compare(baseline, run) if baseline and baseline.cases and run.cases else None,
    )


def _routers(runs: Sequence[Run], price: tuple[float, float] | None) -> list[dict[str, str]]:
    rows = [_router_row(run, price) for run in runs]
    return rows if any(row["read by a model"] != "0" or row["degraded"] != "0" for row in rows) else []


def _router_row(run: Run, price: tuple[float, float] | None) -> dict[str, str]:
    payloads = [turn.payload for c in run.conversations for turn in c.turns]
    tokens = [_tokens(payloads, name) for name in ("input_tokens", "output_tokens")]
    latencies = [p.latency_ms for p in payloads if p.latency_ms is not None]
    recall = mean_interval(values_of(run.conversations, "recall@10")[0], run.info.seed, share=True)
    times = [percentile(latencies, share) for share in (0.5, 0.95)]
    return {
        "run": run.info.id,
        "router": run.info.settings.get("router", "offline"),
        "recall@10": f"{recall.value:.3f}" if recall else "none",
        "turns": str(len(payloads)),
        "read by a model": str(sum(map(_by_model, payloads))),
        "degraded": str(sum("model" in p.degraded for p in payloads)),
        "tokens in": "not stated" if tokens[0] is None else str(tokens[0]),
        "tokens out": "not stated" if tokens[1] is None else str(tokens[1]),
        "cost": _cost(tokens, price),
        "p50": f"{times[0]:.0f} ms" if times[0] is not None else "none",
        "p95": f"{times[1]:.0f} ms" if times[1] is not None else "none",
    }


def _by_model(payload: Payload) -> bool:
    return payload.router not in (None, "offline")


def _tokens(payloads: Sequence[Payload], name: str) -> int | None:
    """The sum over all turns; None where a model read a turn and did not say what it took."""
    counts = [getattr(payload, name) for payload in payloads]
    silent = any(count is None and _by_model(p) for count, p in zip(counts, payloads, strict=True))
    return None if silent else sum(count or 0 for count in counts)


def _cost(tokens: Sequence[int | None], price: tuple[float, float] | None) -> str:
    if price is None:
        return "no price given"
    stated = [count for count in tokens if count is not None]
    if len(stated) < len(tokens):
        return "not stated"
    return f"{sum(count * usd for count, usd in zip(stated, price, strict=True)) / 1e6:.4f} USD"


def _group(run: Run, split: str, user: str, mode: str) -> Group:
    chosen = select(run.conversations, split=split, user=user, mode=mode)
    values = {name: values_of(chosen, name)[0] for name in MEASURES}
    means = {name: share_or_mean(values[name], run.info.seed, binary=name == "ending") for name in MEASURES}
    latencies = [ms for c in chosen for t in c.turns if (ms := t.payload.latency_ms) is not None]
    return Group(
        split=split,
        user=user,
        mode=mode,
        n=len(chosen),
        means=means,
        errors=sum(any(r.status is Status.ERROR for r in c.results) for c in chosen),
        detectable=smallest_detectable_from_scores(values["recall@10"]),
        counts=count(chosen),
        p50_ms=percentile(latencies, 0.5),
        p95_ms=percentile(latencies, 0.95),
    )


def share_or_mean(values: Sequence[float], seed: int, *, binary: bool) -> Interval | None:
    """Wilson's interval for yes and no, the mean's for anything else."""
    if binary:
        return wilson(sum(value == 1 for value in values), len(values))
    return mean_interval(values, seed, share=all(0 <= value <= 1 for value in values))


def _arms(run: Run) -> Iterable[ArmMean]:
    for split in sorted({row.split for row in run.recall}):
        rows = {arm: [r for r in run.recall if r.arm == arm and r.split == split] for arm in ARMS}
        for arm in ARMS:
            means = {m: mean_interval(_values(rows[arm], m), run.info.seed, share=True) for m in ARM_MEASURES}
            yield ArmMean(split, arm, means, _against_best(rows, run.info.seed) if arm == "fused" else None)


def _values(rows: Iterable[RecallRow], measure: str) -> list[float]:
    return [value for row in rows if (value := row.value(measure)) is not None]


def _against_best(rows: Mapping[str, Sequence[RecallRow]], seed: int) -> Interval | None:
    singles = {arm: _values(rows[arm], "recall@10") for arm in ("dense", "bm25")}
    fused = _values(rows["fused"], "recall@10")
    usable = [values for values in singles.values() if len(values) == len(fused) and values]
    return paired_difference(max(usable, key=sum), fused, seed) if usable else None


def _probes(run: Run) -> dict[str, tuple[int, int]]:
    kind_of = {probe.pair: probe.kind for probe in run.probes}
    right: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for pair, outcome in pairs_right(run.probes).items():
        every[kind_of[pair]] += 1
        right[kind_of[pair]] += bool(outcome)
    return {kind: (right[kind], every[kind]) for kind in sorted(every)}


def _laws(laws: Sequence[LawResult]) -> dict[str, tuple[int, int, int]]:
    table = {}
    for name in dict.fromkeys(law.law for law in laws):
        ours = [law for law in laws if law.law == name]
        outcomes = laws_held(ours).values()
        table[name] = (sum(bool(o) for o in outcomes), len(outcomes), len(ours) - len(outcomes))
    return table


def _differences(run: Run, baseline: Run) -> Iterable[Difference]:
    for split, user, mode in sorted({(c.split, c.user, c.mode) for c in run.conversations}):
        new = select(run.conversations, split=split, user=user, mode=mode)
        old = {c.case_id: c for c in select(baseline.conversations, split=split, user=user, mode=mode)}
        for measure in ("recall@10", "precision", "ndcg@10", "expectations"):
            pairs = _pairs(old, new, measure)
            change = paired_difference([a for a, _ in pairs], [b for _, b in pairs], run.info.seed)
            if change is not None:
                detectable = smallest_detectable([b - a for a, b in pairs])
                yield Difference(f"{split}, {user}, {mode}", measure, change, detectable, _verdict(change))


def _pairs(
    old: Mapping[str, ConversationResult], new: Iterable[ConversationResult], measure: str
) -> list[tuple[float, float]]:
    found = []
    for conversation in new:
        before = old.get(conversation.case_id)
        a, b = (before.value(measure) if before else None), conversation.value(measure)
        if a is not None and b is not None:
            found.append((a, b))
    return found


def _verdict(change: Interval) -> str:
    if change.low is None or change.high is None:
        return "identical" if change.value == 0 and change.n > 1 else "inconclusive"
    if change.low > 0:
        return "better"
    return "worse" if change.high < 0 else "cannot tell"


def numbers(summary: Summary) -> list[dict[str, object]]:
    """The headline for the documents: the same for the same answers, so nothing that is timed."""
    rows: list[dict[str, object]] = []
    for group in summary.groups:
        for measure in ("recall@10", "precision"):
            mean = group.means[measure]
            if mean is not None:
                rows.append(_number_row(f"{measure}, {group.name}", mean))
    shares = {
        "probe pairs right": list(pairs_right(summary.run.probes).values()),
        "laws held": list(laws_held(summary.run.laws).values()),
    }
    for name, outcomes in shares.items():
        share = wilson(sum(bool(o) for o in outcomes), len(outcomes))
        if share is not None:
            rows.append(_number_row(name, share))
    return rows


def _number_row(what: str, found: Interval) -> dict[str, object]:
    return {"what": what, "value": round(found.value, 3), "95 % interval": bounds(found), "n": found.n}


def bounds(found: Interval | None, digits: int = 3) -> str:
    """The interval in words."""
    if found is None or found.low is None or found.high is None:
        return "none"
    return f"{found.low:.{digits}f} to {found.high:.{digits}f}"


def slowest(run: Run) -> float | None:
    """Median over conversations of their slowest turn, in ms."""
    worst = [max((t.payload.latency_ms or 0 for t in c.turns), default=0.0) for c in run.conversations]
    return median(worst) if worst else None


def counts_table(groups: Iterable[Group]) -> list[dict[str, object]]:
    """One row of counts per group."""
    return [{"group": group.name, **asdict(group.counts)} for group in groups]
