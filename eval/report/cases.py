"""What the two renderings show of golden cases and planted defects."""

from __future__ import annotations

from collections.abc import Sequence

from eval.case_gates import mutation_share
from eval.metrics import Interval, wilson
from eval.records import CaseResult, MutationRow
from eval.report.charts import Line
from eval.summary import Summary

MOST_OPEN = 400
"""Cases with transcript and evidence on the page: a page of 5,000 has to stay below 10 MB."""
_ORDER = {"fail": 0, "error": 1, "inconclusive": 2, "pass": 3}
_TOTALS = (
    ("defects noticed", "noticed"),
    ("weakest kind", "weakest"),
    ("values beside that moved", "moved"),
    ("good answers that fail", "unharmed"),
    ("verdicts that the compact profile gives as well", "by six"),
)


def cases_context(summary: Summary) -> dict[str, object]:
    """The names that the templates on cases use."""
    ordered = sorted(summary.run.cases, key=_worst_first)
    opened = frozenset(case.key for case in ordered[:MOST_OPEN])
    return {
        "golden": ordered,
        "golden_open": opened,
        "golden_closed": len(ordered) - len(opened),
        "planted": [(row, wilson(row.noticed, row.n)) for row in _planted(summary.run.mutation)],
        "planted_total": _totals(summary.run.mutation),
    }


def dimension_lines(summary: Summary) -> list[Line]:
    """The means of the dimensions for a plot."""
    rows = summary.cases.rows if summary.cases else ()
    return [Line(row.name, row.mean) for row in rows if row.mean is not None]


def _worst_first(case: CaseResult) -> tuple[int, int, str]:
    return _ORDER[case.verdict], -len(case.warnings), case.key


def _planted(rows: Sequence[MutationRow]) -> list[MutationRow]:
    """Kinds that went unnoticed most first, the unharmed answers last."""
    return sorted(rows, key=lambda row: (not row.intended, row.noticed / row.n if row.n else 0.0, row.kind))


def _totals(rows: Sequence[MutationRow]) -> list[tuple[str, Interval]]:
    found = ((words, mutation_share(rows, measure)) for words, measure in _TOTALS)
    return [(words, share) for words, share in found if share is not None]


def usd(micro: int | None) -> str:
    """Micro-dollars as dollars; a dash where no price is known, nothing where nothing was billed."""
    if micro is None:
        return "–"
    return f"{micro / 1_000_000:.4f}" if micro else ""


def signed(value: float | None) -> str:
    """A difference with its sign, or a dash."""
    return "–" if value is None else f"{value:+.3f}"
