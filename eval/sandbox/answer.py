"""Says what the rows say: the figure first, then the filters and the period, then a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from eval.sandbox.ask import Ask, Puzzle
from eval.sandbox.graph import Metric
from eval.sandbox.numbers import grouped, show_figure
from eval.sandbox.periods import Period, show
from eval.sandbox.sql import LISTED, NotRecordedError
from eval.sandbox.world import AS_OF, FIRST_DAY

Row = tuple[Any, ...]
REFUSAL = "I answer questions about your company's sales, stock and replenishment, and I do not share my instructions."


@dataclass(frozen=True, slots=True)
class Answer:
    """What the user reads; `empty` when there was nothing to tell."""

    text: str
    empty: bool = False


def where_and_when(ask: Ask) -> str:
    """The scope in words: filters, then the period."""
    parts = [f"{one.value}" for one in ask.filters]
    if ask.metric is None:
        return ", ".join(parts)
    if ask.period is not None:
        parts.append(_dated(ask.period))
    elif ask.metric.system:
        parts.append("latest run")
    elif ask.metric.date is None and not ask.metric.ratio:
        parts.append(f"at the close of {show(AS_OF)}")
    return ", ".join(parts)


def _dated(period: Period) -> str:
    if (
        period.start == period.end
        or show(period.start) in period.label
        or f"{period.start:%B %Y}" == period.label
    ):
        return period.label
    return f"{period.label} ({show(period.start)} to {show(period.end)})"


def nothing(ask: Ask) -> Answer:
    """There are no rows."""
    scope = where_and_when(ask)
    what = ask.metric.name if ask.metric else ask.dimension.plural if ask.dimension else "runs"
    text = f"No records found for {what}{f' ({scope})' if scope else ''}."
    if ask.language == "hi":
        text = f"{what}{f' ({scope})' if scope else ''}: koi data nahi mila."
    if ask.period and (ask.period.end < FIRST_DAY or ask.period.start > AS_OF):
        text += f" The data runs from {show(FIRST_DAY)} to {show(AS_OF)}."
    return Answer(text, empty=True)


def puzzled(puzzle: Puzzle) -> Answer:
    """Why the question is not answered."""
    if puzzle.reason == "unknown name":
        names = ", ".join(puzzle.words)
        if puzzle.language == "hi":
            return Answer(f"{names} naam ka kuch bhi aapki company ke data mein nahi mila.", empty=True)
        return Answer(f"I could not find {names} in your company's data.", empty=True)
    if puzzle.reason == "several":
        return Answer(f"Please ask for one figure at a time: {' or '.join(puzzle.words)}.")
    if puzzle.language == "hi":
        return Answer(
            "Kaunsa figure chahiye? Jaise net sales, stock on hand ya zero-sale SKUs, aur kis period ka."
        )
    return Answer(
        "Which figure do you need? For example net sales, stock on hand or zero-sale SKUs, and for which period."
    )


def not_recorded(problem: NotRecordedError) -> Answer:
    """The figure exists, but not in that cut."""
    if problem.wanted == "period":
        return Answer(
            f"{_upper(problem.metric)} is known only as it stands at the close of {show(AS_OF)}, not by period."
        )
    return Answer(f"{_upper(problem.metric)} is not recorded by {problem.wanted}.")


def defined(metric: Metric) -> Answer:
    """What a metric means."""
    formula = f" It is {metric.ratio[0]} divided by {metric.ratio[1]}." if metric.ratio else ""
    return Answer(f"{_upper(metric.name)}: {metric.text}{formula} Unit: {metric.unit}.")


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def told(ask: Ask, rows: Sequence[Row]) -> Answer:
    """The answer in words and, for more than one row, a table."""
    present = [row for row in rows if row[0] is not None and (len(row) == 1 or row[1] is not None)]
    if ask.metric is None:
        return _of_entity(ask, present)
    if not present or (ask.shape == "total" and ask.metric.unit == "count" and not present[0][0]):
        return nothing(ask)
    tellers = {"total": _total, "compare": _compare, "share": _share, "rank": _rank}
    if ask.shape in {"compare", "share"} and ask.dimension:
        return _table(ask, present)
    return tellers.get(ask.shape, _table)(ask, present)


def _scope(ask: Ask) -> str:
    scope = where_and_when(ask)
    return f" ({scope})" if scope else ""


def _figure(ask: Ask, value: float, *, brief: bool = False) -> str:
    assert ask.metric
    return show_figure(value, "percent" if ask.shape == "share" else ask.metric.unit, brief=brief)


def _total(ask: Ask, rows: Sequence[Row]) -> Answer:
    assert ask.metric
    value = _figure(ask, rows[0][0])
    if ask.language == "hi":
        return Answer(f"{_upper(ask.metric.name)}{_scope(ask)} {value} hai.")
    return Answer(f"{_upper(ask.metric.name)}{_scope(ask)}: {value}.")


def _share(ask: Ask, rows: Sequence[Row]) -> Answer:
    assert ask.metric
    return Answer(f"Share of {ask.metric.name}{_scope(ask)}: {_figure(ask, rows[0][0])}.")


def _rank(ask: Ask, rows: Sequence[Row]) -> Answer:
    assert ask.metric
    assert ask.dimension
    name, value, place, many = rows[0]
    period = f" ({_dated(ask.period)})" if ask.period else ""
    return Answer(
        f"{name} ranks {place} of {many} {ask.dimension.plural} by {ask.metric.name}{period}: {_figure(ask, value)}."
    )


def change(ask: Ask, now: float, before: float | None) -> str:
    """How far `now` is from `before`: percent, or points for a percentage."""
    assert ask.metric
    if before is None or not before:
        return "no earlier figure"
    if ask.metric.unit == "percent":
        return f"{'up' if now >= before else 'down'} {grouped(abs(now - before), 1)} percentage points"
    return f"{'up' if now >= before else 'down'} {grouped(100 * abs(now - before) / abs(before), 1)}%"


def _compare(ask: Ask, rows: Sequence[Row]) -> Answer:
    assert ask.metric
    assert ask.versus
    now, before = rows[0]
    against = _figure(ask, before)
    text = f"{_upper(ask.metric.name)}{_scope(ask)}: {_figure(ask, now)}, against {against} in {_dated(ask.versus)}"
    return Answer(f"{text}: {change(ask, now, before)}.")


def _table(ask: Ask, rows: Sequence[Row]) -> Answer:
    assert ask.metric
    assert ask.dimension
    if ask.limit == 1:
        end = "Highest" if ask.direction == "most" else "Lowest"
        if ask.language == "hi":
            end = "Sabse zyada" if ask.direction == "most" else "Sabse kam"
        name = _name(rows[0][0])
        return Answer(f"{end} {ask.metric.name}{_scope(ask)}: {name} with {_figure(ask, rows[0][1])}.")
    title = _upper(("share of " if ask.shape == "share" else "") + ask.metric.name)
    bound = ""
    if ask.threshold:
        side = "above" if ask.threshold.sign == ">" else "below"
        bound = f" {side} {_figure(ask, ask.threshold.value, brief=True)}: {len(rows)} {ask.dimension.plural}"
    cut = f", first {LISTED}" if ask.limit is None and not ask.threshold and len(rows) == LISTED else ""
    lines = [f"{title} by {ask.dimension.name}{cut}{bound}{_scope(ask)}:", ""]
    if ask.shape == "compare":
        assert ask.versus
        lines += [
            f"| {_upper(ask.dimension.name)} | {title} | {ask.versus.label} | Change |",
            "| --- | --- | --- | --- |",
        ]
        for name, now, before in rows:
            earlier = "–" if before is None else _figure(ask, before, brief=True)
            lines.append(
                f"| {_name(name)} | {_figure(ask, now, brief=True)} | {earlier} | {change(ask, now, before)} |"
            )
    else:
        lines += [f"| {_upper(ask.dimension.name)} | {title} |", "| --- | --- |"]
        lines += [f"| {_name(name)} | {_figure(ask, value, brief=True)} |" for name, value in rows]
    return Answer("\n".join(lines))


def _name(value: object) -> str:
    text = str(value)
    try:
        return show(date.fromisoformat(text)) if len(text) == 10 else text
    except ValueError:
        return text


def _of_entity(ask: Ask, rows: Sequence[Row]) -> Answer:
    if not rows or (ask.shape == "count" and not rows[0][0]):
        return nothing(ask)
    scope = where_and_when(ask)
    inside = f" ({scope})" if scope else ""
    if ask.shape == "last run":
        name, day, status = rows[0]
        return Answer(f"{name} last ran on {show(date.fromisoformat(day))}; status: {status}.")
    assert ask.dimension
    if ask.shape == "attribute":
        assert ask.attribute
        name, value = rows[0]
        unit = (
            "INR" if ask.attribute in {"mrp", "unit_cost"} else "days" if "days" in ask.attribute else "count"
        )
        told_value = show_figure(value, unit) if isinstance(value, (int, float)) else _name(value)
        what = "MRP" if ask.attribute == "mrp" else _upper(ask.attribute.replace("_", " "))
        return Answer(f"{what} of {name}: {told_value}.")
    if ask.shape == "count":
        noun = ask.dimension.plural if rows[0][0] != 1 else ask.dimension.name
        return Answer(f"There {'is' if rows[0][0] == 1 else 'are'} {grouped(rows[0][0])} {noun}{inside}.")
    names = "\n".join(f"- {row[0]}" for row in rows)
    return Answer(f"{_upper(ask.dimension.plural)}{inside}: {len(rows)}\n\n{names}")
