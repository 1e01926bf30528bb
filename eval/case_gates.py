"""What gates on golden cases and planted defects compare: outcomes of cases, shares of defects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eval.evaluators.registry import known_evaluators
from eval.metrics import Interval, wilson
from eval.records import CaseResult, MutationRow

CASE_MEASURES = {"pass", "safe", "alarm"}
MUTATION_MEASURES = {"noticed", "weakest", "moved", "unharmed", "by six"}


def case_outcomes(cases: Iterable[CaseResult], measure: str) -> dict[str, bool | None]:
    """Each case: whether it passes, or is safe; None where that could not be told."""
    known = {"pass": True, "fail": False, "inconclusive": None, "error": None}
    if measure == "pass":
        return {case.key: known[case.verdict] for case in cases}
    floors = {spec.name: spec.floor for spec in known_evaluators().values() if spec.floor is not None}
    outcomes: dict[str, bool | None] = {}
    for case in cases:
        values = {name: case.value(name) for name in floors}
        missing = any(value is None for value in values.values())
        outcomes[case.key] = None if missing else all(values[n] >= floors[n] for n in floors)  # type: ignore[operator]
    return outcomes


def mutation_share(rows: Sequence[MutationRow], measure: str) -> Interval | None:
    """Share of planted defects noticed, overall or of the weakest kind; of values beside that moved; of good ones failed; of verdicts the same by the compact profile."""
    planted = [row for row in rows if row.intended]
    if measure == "noticed":
        return wilson(sum(row.noticed for row in planted), sum(row.n for row in planted))
    if measure == "weakest":
        kinds = [found for row in planted if (found := wilson(row.noticed, row.n)) is not None]
        return min(kinds, key=lambda found: found.value, default=None)
    if measure == "moved":
        return wilson(sum(row.moved for row in planted), sum(row.unrelated for row in planted))
    if measure == "by six":
        return wilson(sum(row.same_by_six for row in rows), sum(row.n for row in rows))
    whole = [row for row in rows if not row.intended]
    return wilson(sum(row.noticed for row in whole), sum(row.n for row in whole))
