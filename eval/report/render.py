"""Renders a summary. The same run gives the same bytes: nothing here looks at the clock or the machine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from eval.gates import describe
from eval.metrics import Interval
from eval.records import ConversationResult, LawResult, ProbeResult, RunInfo
from eval.report.cases import cases_context, dimension_lines, signed, usd
from eval.report.charts import Line, histogram, intervals
from eval.summary import ARM_MEASURES, Summary, bounds, counts_table, numbers

TEMPLATES = Path(__file__).with_name("templates")
HEADLINE = (
    ("recall@10", "Recall@10"),
    ("recall@5", "Recall@5"),
    ("precision", "Precision"),
    ("f1", "F1"),
    ("ndcg@10", "nDCG@10"),
    ("mrr", "MRR"),
    ("expectations", "Turn expectations met"),
    ("ending", "Right ending"),
    ("groundedness", "Groundedness"),
    ("list_length", "List length"),
    ("turns_to_first_list", "Turns to first list"),
    ("questions_asked", "Questions asked"),
)
_EDGES_MS = (0.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0)


@dataclass(frozen=True, slots=True)
class CaseView:
    """One conversation in all its replays; without ids and words where it is sealed."""

    id: str
    split: str
    cells: tuple[str, ...]
    """Recall@10 for each column."""
    worst: float
    missed: tuple[str, ...]
    surplus: tuple[str, ...]
    forbidden: tuple[str, ...]
    sealed: bool
    talks: tuple[ConversationResult, ...]


def write_report(
    summary: Summary, html: Path, markdown: Path, numbers_file: Path | None, *, unseal: bool
) -> None:
    """Write both renderings, and the headline numbers for the documents if a file for them is named."""
    for path, text in (
        (html, render_html(summary, unseal=unseal)),
        (markdown, render_markdown(summary, unseal=unseal)),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if numbers_file is not None:
        numbers_file.parent.mkdir(parents=True, exist_ok=True)
        numbers_file.write_text(json.dumps(numbers(summary), indent=2) + "\n", encoding="utf-8")


def render_html(summary: Summary, *, unseal: bool = False) -> str:
    """The page. Everything inside it, nothing from elsewhere."""
    return _environment().get_template("report.html.j2").render(**_context(summary, unseal=unseal))


def render_markdown(summary: Summary, *, unseal: bool = False) -> str:
    """The same numbers as Markdown, without transcripts."""
    text = _environment().get_template("report.md.j2").render(**_context(summary, unseal=unseal))
    return text.strip() + "\n"


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html", "html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number, "bounds": bounds, "cell": cell, "ms": milliseconds, "usd": usd, "signed": signed,
    }  # fmt: skip
    return environment


def _context(summary: Summary, *, unseal: bool) -> dict[str, object]:
    run = summary.run
    columns = sorted({(c.user, c.mode) for c in run.conversations})
    return {
        "s": summary,
        "info": run.info,
        "status": _status(summary),
        "headline": HEADLINE,
        "splits": {
            split: [group for group in summary.groups if group.split == split]
            for split in dict.fromkeys(group.split for group in summary.groups)
        },
        "arm_measures": ARM_MEASURES,
        "gates": [(describe(result.gate), result) for result in summary.gates],
        "counts": counts_table(summary.groups),
        "columns": [f"{user}, {mode}" for user, mode in columns],
        "cases": _cases(run.conversations, columns, unseal=unseal),
        "sealed": not unseal and any(c.split == "test" for c in run.conversations),
        "wrong_probes": _wrong_probes(run.probes),
        "broken_laws": _broken_laws(run.laws),
        "plots": _plots(summary),
        "reproduce": _reproduce(run.info),
    } | cases_context(summary)


def _status(summary: Summary) -> str:
    verdicts = [result.verdict for result in summary.gates]
    if "failed" in verdicts:
        return "failed"
    return "inconclusive" if "inconclusive" in verdicts or not verdicts else "passed"


def _cases(
    conversations: Sequence[ConversationResult], columns: Sequence[tuple[str, str]], *, unseal: bool
) -> list[CaseView]:
    by_case: dict[tuple[str, str], list[ConversationResult]] = {}
    for conversation in conversations:
        by_case.setdefault((conversation.split, conversation.case_id), []).append(conversation)
    views = [
        _case_view(split, case_id, ours, columns, sealed=split == "test" and not unseal)
        for (split, case_id), ours in by_case.items()
    ]
    return sorted(views, key=lambda view: (view.split, view.worst, view.id))


def _case_view(
    split: str,
    case_id: str,
    ours: Sequence[ConversationResult],
    columns: Sequence[tuple[str, str]],
    *,
    sealed: bool,
) -> CaseView:
    by_column = {(c.user, c.mode): c for c in ours}
    recalls = [c.value("recall@10") for c in ours]
    trace = next((c for c in ours if c.mode == "trace"), ours[0])
    return CaseView(
        id=case_id,
        split=split,
        cells=tuple(cell(by_column[key].value("recall@10")) if key in by_column else "" for key in columns),
        worst=min((value for value in recalls if value is not None), default=0.0),
        missed=() if sealed else trace.missed,
        surplus=() if sealed else trace.surplus,
        forbidden=() if sealed else trace.forbidden,
        sealed=sealed,
        talks=() if sealed else tuple(c for c in ours if c.mode == "trace") or tuple(ours),
    )


def _wrong_probes(probes: Iterable[ProbeResult]) -> list[ProbeResult]:
    return [probe for probe in probes if not probe.right]


def _broken_laws(laws: Iterable[LawResult]) -> list[LawResult]:
    return [law for law in laws if law.held is False or law.status == "error"]


def _plots(summary: Summary) -> dict[str, Markup]:
    measures = [
        Line(group.name, mean, 0.9 if group.split == "test" else None)
        for group in summary.groups
        if (mean := group.means["recall@10"]) is not None
    ]
    precisions = [
        Line(group.name, mean, 0.75 if group.split == "test" else None)
        for group in summary.groups
        if (mean := group.means["precision"]) is not None
    ]
    arms = [
        Line(f"{arm.split}, {arm.arm}", mean)
        for arm in summary.arms
        if (mean := arm.means["recall@10"]) is not None
    ]
    runs = summary.run.conversations
    recalls = [v for c in runs if c.mode == "trace" and (v := c.value("recall@10")) is not None]
    latencies = [ms for c in runs for t in c.turns if (ms := t.payload.latency_ms) is not None]
    fifths = ("0 to 0.2", "0.2 to 0.4", "0.4 to 0.6", "0.6 to 0.8", "0.8 to 1", "1")
    times = tuple(f"{low:g} to {high:g} ms" for low, high in pairwise(_EDGES_MS))
    return {
        "recall": intervals(measures, "Mean Recall@10 with 95 % intervals"),
        "precision": intervals(precisions, "Mean precision with 95 % intervals"),
        "arms": intervals(arms, "Recall@10 of each retrieval arm with 95 % intervals"),
        "recalls": histogram(
            recalls, (0, 0.2, 0.4, 0.6, 0.8, 1, 1.01), "Recall@10 of single conversations", fifths
        ),
        "dimensions": intervals(dimension_lines(summary), "Mean of each dimension with 95 % intervals"),
        "latency": histogram(latencies, _EDGES_MS, "Turns by time taken", (*times[:-1], "over 100 ms")),
    }


def _reproduce(info: RunInfo) -> str:
    return info.command or "python -m eval all"


def number(value: float | None, digits: int = 3) -> str:
    """A number, or a dash for what was not measured."""
    return "–" if value is None else f"{value:.{digits}f}".rstrip("0").rstrip(".") or "0"


def cell(value: float | Interval | None) -> str:
    """Two or three places, always the same width."""
    found = value.value if isinstance(value, Interval) else value
    return "–" if found is None else f"{found:.2f}"


def milliseconds(value: float | None) -> str:
    """A time, or a dash."""
    return "–" if value is None else f"{value:.1f} ms"
