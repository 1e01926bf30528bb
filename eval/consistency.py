"""How alike several fresh answers to one case are: words, figures, times and verdicts, each apart.

Runs that failed are availability and stay outside the means. What cannot be measured is None, never 1.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from statistics import fmean, median, stdev

from eval.records import CaseResult
from eval.text import likeness, numbers, sentences, words

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NORMAL_MAD = 1.4826
"""Makes the median absolute deviation of normal values their standard deviation."""
NUMBERS_FLOOR = 0.95
"""Figures that agree less are a warning; wording alone never is."""


@dataclass(frozen=True, slots=True)
class Consistency:
    """One case over its runs."""

    case_id: str
    family: str
    runs: int
    lost: int
    """Runs without an answer."""
    wording: float | None
    """Mean likeness of pairs of answers, figures masked; None below two answers."""
    wording_least: float | None
    figures: float | None
    """Mean share of pairs that agree on a figure; None when no answer holds any, or below two answers."""
    latency_cv: float | None
    """Coefficient of variation of the times; None below two times, or at a mean of 0."""
    latency_cv_robust: float | None
    verdicts: tuple[str, ...]
    flips: float | None
    """Share of pairs of runs with different verdicts; None below two."""
    passed: int
    pass_all: float | None
    """pass^k: chance that all of k runs pass, k being the number of runs; None without a decided run."""
    pass_any: float | None
    """pass@k: chance that one of k does."""


def consistency(results: Iterable[CaseResult]) -> tuple[Consistency, ...]:
    """One row for each case that was run more than once, by id."""
    by_case: dict[str, list[CaseResult]] = defaultdict(list)
    for result in results:
        by_case[f"{result.target}/{result.channel}/{result.case_id}"].append(result)
    return tuple(measure(runs) for _, runs in sorted(by_case.items()) if len(runs) > 1)


def measure(runs: Sequence[CaseResult]) -> Consistency:
    """One case over its `runs`."""
    there = [run for run in runs if run.verdict != "error"]
    texts = [run.payloads[-1].ai_response for run in there]
    times = [ms for run in there if (ms := run.payloads[-1].latency_ms) is not None]
    alike = [wording(one, other) for one, other in combinations(texts, 2)]
    verdicts = tuple(run.verdict for run in there)
    pairs = list(combinations(verdicts, 2))
    decided = [verdict for verdict in verdicts if verdict in ("pass", "fail")]
    passed = decided.count("pass")
    return Consistency(
        case_id=runs[0].case_id,
        family=runs[0].family,
        runs=len(runs),
        lost=len(runs) - len(there),
        wording=fmean(alike) if alike else None,
        wording_least=min(alike, default=None),
        figures=figures_agree(texts),
        latency_cv=variation(times),
        latency_cv_robust=robust_variation(times),
        verdicts=verdicts,
        flips=fmean(one != other for one, other in pairs) if pairs else None,
        passed=passed,
        pass_all=pass_hat(passed, len(decided), len(decided)),
        pass_any=pass_at(passed, len(decided), len(decided)),
    )


def wording(one: str, other: str) -> float:
    """Half likeness of character runs, half ROUGE-L, with figures masked so that they are judged apart."""
    masked = [_NUMBER.sub("#", text) for text in (one, other)]
    if masked[0] == masked[1]:
        return 1.0
    return (likeness(*masked) + rouge_l(*masked)) / 2


def rouge_l(one: str, other: str) -> float:
    """F1 of the longest common subsequence of words; 0 when one text has none."""
    a, b = words(one), words(other)
    if not a or not b:
        return 0.0
    row = [0] * (len(b) + 1)
    for word in a:
        above = 0
        for at, against in enumerate(b, 1):
            above, row[at] = row[at], above + 1 if word == against else max(row[at], row[at - 1])
    return 2 * row[-1] / (len(a) + len(b))


def figures_agree(texts: Sequence[str]) -> float | None:
    """Mean share of pairs of texts that give the same figure in the same place.

    A place is a sentence without its figures, and the how-manieth figure of it; it counts when at least half of
    the texts have it, and a text that lacks it disagrees. Figures in no common place are compared as bags.
    """
    slots = [_slots(text) for text in texts]
    if len(texts) < 2 or not any(slots):
        return None
    seen = Counter(key for each in slots for key in each)
    common = [key for key, times in seen.items() if times >= (len(texts) + 1) // 2]
    shares = []
    for one, other in combinations(slots, 2):
        same = [one.get(key) is not None and one.get(key) == other.get(key) for key in common]
        rest = [Counter(value for key, value in each.items() if key not in common) for each in (one, other)]
        union = sum((rest[0] | rest[1]).values())
        shares.append((sum(same) + sum((rest[0] & rest[1]).values())) / (len(same) + union))
    return fmean(shares)


def _slots(text: str) -> Mapping[tuple[str, int], float]:
    found: dict[tuple[str, int], float] = {}
    for sentence in sentences(text):
        masked = " ".join(words(_NUMBER.sub(" ", sentence)))
        for at, number in enumerate(numbers(sentence)):
            found[masked, at] = number
    return found


def variation(values: Sequence[float]) -> float | None:
    """Coefficient of variation with the correction for few values; None below two, or at a mean of 0."""
    if len(values) < 2 or fmean(values) == 0:
        return None
    return stdev(values) / fmean(values) * (1 + 1 / (4 * len(values)))


def robust_variation(values: Sequence[float]) -> float | None:
    """The same by medians, which one slow run does not move."""
    if len(values) < 2 or median(values) == 0:
        return None
    middle = median(values)
    return _NORMAL_MAD * median(abs(value - middle) for value in values) / middle


def pass_hat(passed: int, n: int, k: int) -> float | None:
    """Chance that `k` runs drawn from `n` all pass (pass^k); None for more than there are, or none."""
    return comb(passed, k) / comb(n, k) if 0 < k <= n else None


def pass_at(passed: int, n: int, k: int) -> float | None:
    """Chance that one of `k` runs drawn from `n` passes (pass@k)."""
    return 1 - comb(n - passed, k) / comb(n, k) if 0 < k <= n else None
