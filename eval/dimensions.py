"""From graded cases to what the report says of the dimensions: means with coverage, likeness, six against thirteen."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from eval.aggregator import below, verdict_under
from eval.case_gates import mutation_share
from eval.consistency import NUMBERS_FLOOR, Consistency
from eval.evaluators.registry import known_evaluators
from eval.metrics import Interval, mean_interval, wilson
from eval.profiles import COMPACT, load_profile
from eval.records import CaseResult, MutationRow, Run, Status

LEAST_PAIRS = 100
"""Below this many cases a correlation is not flagged."""
LEAST_VARIED = 10
"""Nor when fewer values than this differ from the most frequent one."""
ALIKE = 0.85
"""From this rank correlation on two dimensions say the same thing."""


@dataclass(frozen=True, slots=True)
class DimensionRow:
    """One dimension over all cases."""

    name: str
    weight: float
    mean: Interval | None
    counts: Mapping[str, int]
    """Cases by status; their sum is the number of cases."""
    low: int
    """Cases below the dimension's own threshold."""
    coverage: float
    cost_usd_micro: int | None
    """What judges billed; None when a price is not known."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Verdicts of six dimensions beside those of the run."""

    same: Interval | None
    differing: tuple[str, ...]
    dimensions: int
    """How many of the run's dimensions stand against the six."""


@dataclass(frozen=True, slots=True)
class CasesSummary:
    """What the report shows of golden cases."""

    verdicts: Mapping[str, Mapping[str, int]]
    """Verdicts by channel."""
    passed: Interval | None
    rows: tuple[DimensionRow, ...]
    correlations: tuple[tuple[str, tuple[float | None, ...]], ...]
    """Spearman's rank correlation of each pair, in the order of `rows`; None where it cannot be had."""
    alike: tuple[str, ...]
    agreement: Agreement | None
    """None when the run lacks one of the six."""


def summarise_cases(run: Run) -> CasesSummary | None:
    """Everything about the golden cases of `run`; None when it has none."""
    cases = run.cases
    if not cases:
        return None
    names = list(dict.fromkeys(r.name for case in cases for r in case.results))
    values = {name: [case.value(name) for case in cases] for name in names}
    matrix = tuple((name, tuple(spearman(values[name], values[other]) for other in names)) for name in names)
    verdicts: dict[str, Counter[str]] = {}
    for case in cases:
        verdicts.setdefault(case.channel, Counter())[case.verdict] += 1
    decided = [case for case in cases if case.verdict in ("pass", "fail")]
    weights = load_profile(cases[0].profile).weights
    return CasesSummary(
        verdicts=verdicts,
        passed=wilson(sum(case.verdict == "pass" for case in decided), len(decided)),
        rows=tuple(_row(name, cases, weights.get(name, 0.0), run.info.seed) for name in names),
        correlations=matrix,
        alike=tuple(_alike(names, values)),
        agreement=_agreement(cases),
    )


def _row(name: str, cases: Sequence[CaseResult], weight: float, seed: int) -> DimensionRow:
    results = [r for case in cases for r in case.results if r.name == name]
    found = [r.value for r in results if r.value is not None]
    spec = known_evaluators().get(name)
    threshold = spec.threshold if spec else None
    costs = [r.cost_usd_micro for r in results]
    return DimensionRow(
        name=name,
        weight=weight,
        mean=mean_interval(found, seed, share=True),
        counts={status.value: sum(r.status is status for r in results) for status in Status},
        low=sum(below(value, threshold) for value in found) if threshold is not None else 0,
        coverage=len(found) / len(results),
        cost_usd_micro=None if any(c is None for c in costs) else sum(c or 0 for c in costs),
    )


def _alike(names: Sequence[str], values: Mapping[str, Sequence[float | None]]) -> list[str]:
    found = []
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            pairs = sum(
                a is not None and b is not None for a, b in zip(values[one], values[other], strict=True)
            )
            rho = spearman(values[one], values[other])
            varied = min(_varied(values[one]), _varied(values[other]))
            if rho is not None and abs(rho) > ALIKE and pairs >= LEAST_PAIRS and varied >= LEAST_VARIED:
                found.append(f"{one} and {other}: {rho:.2f} over {pairs} cases")
    return found


def _varied(values: Sequence[float | None]) -> int:
    """How many values are not the most frequent one: a correlation over one exception says nothing."""
    counts = Counter(value for value in values if value is not None)
    return sum(counts.values()) - max(counts.values(), default=0)


def spearman(one: Sequence[float | None], other: Sequence[float | None]) -> float | None:
    """Rank correlation over the cases that have both values, ties sharing their rank; None below three, or without spread."""
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    if len(pairs) < 3:
        return None
    ranks = [_ranks([pair[side] for pair in pairs]) for side in (0, 1)]
    means = [fmean(each) for each in ranks]
    parts = [[rank - mean for rank in each] for each, mean in zip(ranks, means, strict=True)]
    sizes = [sum(part * part for part in each) for each in parts]
    if not all(sizes):
        return None
    return math.fsum(a * b for a, b in zip(parts[0], parts[1], strict=True)) / math.sqrt(sizes[0] * sizes[1])


def _ranks(values: Sequence[float]) -> list[float]:
    first, times = {}, Counter(values)
    place = 1
    for value in sorted(times):
        first[value] = place + (times[value] - 1) / 2
        place += times[value]
    return [first[value] for value in values]


def _agreement(cases: Sequence[CaseResult]) -> Agreement | None:
    """How often the compact profile would have said the same, from the values that are there."""
    compact = load_profile(COMPACT)
    verdicts = {case.key: verdict_under(case, compact) for case in cases}
    known = [case for case in cases if verdicts[case.key] is not None]
    if not known or cases[0].profile == COMPACT:
        return None
    differing = tuple(
        f"{case.case_id}: {case.verdict}, by six {verdicts[case.key]}"
        for case in known
        if verdicts[case.key] != case.verdict
    )
    return Agreement(wilson(len(known) - len(differing), len(known)), differing, len(cases[0].results))


def console_lines(
    cases: CasesSummary | None, mutation: Sequence[MutationRow], repeats: Sequence[Consistency]
) -> list[str]:
    """The same in a few lines for a console."""
    lines = []
    if cases is not None:
        for channel, counts in cases.verdicts.items():
            words = "  ".join(f"{verdict} {number}" for verdict, number in sorted(counts.items()))
            lines.append(f"{'cases, ' + channel:<28} {words}")
        for row in cases.rows:
            mean = "none" if row.mean is None else f"{row.mean.value:.3f}"
            lines.append(
                f"{row.name:<20} weight {row.weight:.2f}  mean {mean}  coverage {row.coverage:.0%}  low {row.low}"
            )
    for planted in mutation:
        found = wilson(planted.noticed, planted.n)
        bounds = "" if found is None or found.low is None else f" ({found.low:.2f} to {found.high:.2f})"
        what = "fail" if not planted.intended else "noticed"
        lines.append(
            f"{planted.kind:<30} {what} {planted.noticed}/{planted.n}{bounds}  moved beside it {planted.moved}/{planted.unrelated}"
        )
    for measure in ("noticed", "moved", "unharmed", "by six") if mutation else ():
        share = mutation_share(mutation, measure)
        if share is not None:
            lines.append(
                f"{'all, ' + measure:<30} {share.value:.4f} ({share.low:.4f} to {share.high:.4f}), n={share.n}"
            )
    if repeats:
        shaky = [row.case_id for row in repeats if row.figures is not None and row.figures < NUMBERS_FLOOR]
        flipped = [row.case_id for row in repeats if row.flips]
        lines.append(
            f"consistency of {len(repeats)} cases: verdict flips in {len(flipped)}, figures differ in {len(shaky)}"
        )
    return lines
