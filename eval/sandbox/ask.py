"""What a question asks for, read by rules from the words of the graph and the values of the company's own data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

from eval.sandbox import phrases
from eval.sandbox.graph import Dimension, Metric
from eval.sandbox.lexicon import Hit, Lexicon, blanked, unknown_names
from eval.sandbox.periods import Clock, Period, read_periods

Shape = Literal[
    "total", "breakdown", "ranking", "compare", "share", "threshold", "rank", "count", "list", "define", "last run",
    "attribute",
]  # fmt: skip
Direction = Literal["most", "least"]
Language = Literal["en", "hi"]


@dataclass(frozen=True, slots=True)
class Filter:
    """A value that a dimension must have."""

    dimension: Dimension
    value: str


@dataclass(frozen=True, slots=True)
class Threshold:
    """A bound on the metric."""

    sign: Literal[">", "<"]
    value: float


@dataclass(frozen=True, slots=True)
class Ask:
    """A question as understood. Without a metric it is about the entity of `dimension`."""

    question: str
    shape: Shape
    language: Language = "en"
    metric: Metric | None = None
    dimension: Dimension | None = None
    filters: tuple[Filter, ...] = ()
    period: Period | None = None
    versus: Period | None = None
    direction: Direction = "most"
    limit: int | None = None
    threshold: Threshold | None = None
    attribute: str | None = None


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A question that cannot be answered, and why."""

    question: str
    reason: Literal["unclear", "unknown name", "several"]
    words: tuple[str, ...] = ()
    language: Language = "en"


class Reader:
    """Reads the questions of one company."""

    def __init__(self, lexicon: Lexicon, clock: Clock) -> None:
        self._lexicon, self._graph, self._clock = lexicon, lexicon.graph, clock

    def read(self, question: str) -> Ask | Puzzle:
        """The question as understood, or why it is not."""
        words = set(re.findall(r"[a-z]+", question.lower()))
        language: Language = (
            "hi" if len(words & phrases.HINDI) >= 2 or "kitna" in words or "batao" in words else "en"
        )
        threshold, text = _threshold(question)
        periods, text = read_periods(text, self._clock)
        hits = list(self._lexicon.hits(_without_comparisons(text)))
        unknown = unknown_names(question, text, hits)
        if unknown:
            return Puzzle(question, "unknown name", unknown, language)
        named = _strong(hits)
        if len(named) > 1 and re.search(
            r"\b(?:and|aur)\b|,", text[named[0].end : named[1].start], re.IGNORECASE
        ):
            return Puzzle(
                question, "several", tuple(hit.metric.name for hit in named if hit.metric), language
            )
        if re.search(phrases.NOT_COVERED, text, re.IGNORECASE):
            return Puzzle(question, "unclear", language=language)
        asks_run = re.search(phrases.LAST_RUN, text, re.IGNORECASE)
        metric = None if asks_run else _metric([hit for hit in hits if not hit.weak])
        dimensions = _dimensions(hits, text, counted=metric is not None)
        filters = self._filters(hits, metric)
        base = Ask(question, "total", language, metric, filters=filters)
        if metric is None:
            # A list of things has no period, and a word that is not understood may narrow it down.
            known = [hit for hit in hits if not hit.weak]
            rest = set(re.findall(r"[a-z]+", blanked(text, known).lower())) - phrases.HARMLESS - phrases.HINDI
            of_entity = self._of_entity(base, text, dimensions, plain=not rest and not periods)
            metric = None if asks_run else _metric(hits) or self._how_it_goes(base, text)
            if of_entity or metric is None:
                return of_entity or Puzzle(question, "unclear", language=language)
            base = replace(base, metric=metric)
        if re.search(phrases.DEFINE, question, re.IGNORECASE):
            return Ask(question, "define", language, metric)
        return self._of_metric(base, text, dimensions, periods, threshold)

    def _filters(self, hits: Sequence[Hit], metric: Metric | None) -> tuple[Filter, ...]:
        found: list[Filter] = []
        meant: dict[tuple[int, int], Dimension] = {}
        for hit in hits:
            own_system = metric is not None and metric.system and hit.dimension and _is_system(hit.dimension)
            if hit.value is None or hit.dimension is None or own_system:
                continue
            # A name that two dimensions share means the first; one that several values share means all.
            if meant.setdefault((hit.start, hit.end), hit.dimension) == hit.dimension:
                found.append(Filter(hit.dimension, hit.value))
        return tuple(dict.fromkeys(found))

    def _of_entity(self, base: Ask, text: str, dimensions: Sequence[Dimension], *, plain: bool) -> Ask | None:
        """A question about stores, brands and so on themselves, or about a run."""
        if re.search(phrases.LAST_RUN, text, re.IGNORECASE) and any(
            _is_system(f.dimension) for f in base.filters
        ):
            return replace(base, shape="last run")
        named = next(
            (f for f in base.filters if f.dimension.name in {"store", "style", "SKU", "brand", "vendor"}),
            None,
        )
        for phrase, column in phrases.ATTRIBUTES.items():
            table = named and self._graph.tables[named.dimension.table]
            if (
                named
                and table
                and column in table.columns
                and re.search(rf"\b{phrase}\b", text, re.IGNORECASE)
            ):
                return replace(base, shape="attribute", dimension=named.dimension, attribute=column)
        things = [d for d in dimensions if d.name not in phrases.PERIOD_GRAINS]
        if not things or not plain:
            return None
        if re.search(phrases.COUNT, text, re.IGNORECASE):
            return replace(base, shape="count", dimension=things[0])
        if re.search(phrases.LIST, text, re.IGNORECASE):
            return replace(base, shape="list", dimension=things[0])
        return None

    def _how_it_goes(self, base: Ask, text: str) -> Metric | None:
        """Net sales for "how did Pune do"."""
        asked = base.filters and re.search(phrases.HOW_IT_GOES, text, re.IGNORECASE)
        return self._graph.metrics["net sales"] if asked else None

    def _dated(self, metric: Metric) -> bool:
        """Whether the metric covers a period, the running fiscal year when none is named."""
        parts = [self._graph.metrics[name] for name in metric.ratio] if metric.ratio else [metric]
        return all(part.date is not None and part.system is None for part in parts)

    def _of_metric(
        self,
        base: Ask,
        text: str,
        dimensions: Sequence[Dimension],
        periods: Sequence[Period],
        threshold: Threshold | None,
    ) -> Ask:
        period, versus = _compared(text, base.question, periods, self._clock)
        timed = any(one.dimension.name in phrases.TIMED for one in base.filters)
        if period is None and base.metric and not timed and self._dated(base.metric):
            period = self._clock.this_year()
        base = replace(base, period=period, versus=versus)
        dimension = dimensions[0] if dimensions else None
        twice = _twice(base.filters)
        if dimension is None and twice:
            return replace(base, shape="breakdown", dimension=twice)
        if versus is not None:
            return replace(base, shape="compare", dimension=dimension)
        most, least = (
            re.search(phrases.MOST, text, re.IGNORECASE),
            re.search(phrases.LEAST, text, re.IGNORECASE),
        )
        base = replace(base, dimension=dimension, direction="least" if least and not most else "most")
        if re.search(r"\brank\b|\bposition of\b|kaunse number", text, re.IGNORECASE) and base.filters:
            ranked = next(
                (f for f in base.filters if f.dimension.name in {"store", "brand", "city", "category"}), None
            )
            if ranked:
                return replace(base, shape="rank", dimension=ranked.dimension)
        if dimension is not None and threshold is not None:
            return replace(base, shape="threshold", threshold=threshold)
        if re.search(phrases.SHARE, text, re.IGNORECASE) and (dimension or base.filters):
            return replace(base, shape="share")
        if dimension is not None and (most or least):
            return replace(base, shape="ranking", limit=_limit(text, dimension))
        return replace(base, shape="breakdown" if dimension else "total")


def _is_system(dimension: Dimension) -> bool:
    return dimension.name == "replenishment system"


def _strong(hits: Sequence[Hit]) -> list[Hit]:
    """The first hit of each metric that is named in so many words."""
    first: dict[str, Hit] = {}
    for hit in hits:
        if hit.metric and not hit.weak:
            first.setdefault(hit.metric.name, hit)
    return list(first.values())


def _metric(hits: Sequence[Hit]) -> Metric | None:
    """The metric meant; one about runs beats the name of the system whose runs are asked for."""
    metrics = [hit.metric for hit in hits if hit.metric]
    about_runs = [
        m for m in metrics if m.table in {"replenishment.replenishment_run", "replenishment.run_exception"}
    ]
    return next(iter(about_runs or metrics), None)


def _without_comparisons(text: str) -> str:
    """The text with "year on year" and the like blanked out: their words break nothing down."""
    for pattern in (phrases.YEAR_BEFORE, phrases.STEP_BEFORE):
        text = re.sub(pattern, lambda match: " " * len(match[0]), text, flags=re.IGNORECASE)
    return text


def _dimensions(hits: Sequence[Hit], text: str, *, counted: bool) -> tuple[Dimension, ...]:
    """Dimensions to break down by.

    A word beside its own value ("brand Kesarva") only says what the value is, and one behind "how many" only what a
    metric counts.
    """
    values = [hit for hit in hits if hit.value is not None]
    found = []
    for hit in hits:
        if hit.dimension is None or hit.value is not None:
            continue
        beside = any(
            hit.dimension == value.dimension
            and (0 <= value.start - hit.end <= 2 or 0 <= hit.start - value.end <= 2)
            and not re.search(phrases.EACH + r"\s*$", text[: hit.start], re.IGNORECASE)
            for value in values
        )
        what_is_counted = counted and re.search(rf"(?:{phrases.COUNT})\s*$", text[: hit.start], re.IGNORECASE)
        if not beside and not what_is_counted:
            found.append((hit.dimension, hit.start))
    asked_by = [
        dimension
        for dimension, start in found
        if re.search(phrases.EACH + r"\s*$", text[:start], re.IGNORECASE)
    ]
    return tuple(dict.fromkeys(asked_by or [dimension for dimension, _ in found]))


def _twice(filters: Sequence[Filter]) -> Dimension | None:
    """The dimension of which two values are named, to be set side by side."""
    seen: set[str] = set()
    for one in filters:
        if one.dimension.name in seen:
            return one.dimension
        seen.add(one.dimension.name)
    return None


def _compared(
    text: str, question: str, periods: Sequence[Period], clock: Clock
) -> tuple[Period | None, Period | None]:
    period = periods[0] if periods else None
    if re.search(phrases.YEAR_BEFORE, text, re.IGNORECASE):
        period = period or clock.this_year()
        return period, period.year_before()
    if re.search(phrases.STEP_BEFORE, text, re.IGNORECASE):
        period = period or clock.month_back(0)
        return period, period.before()
    if len(periods) >= 2:
        shorter = min(periods, key=lambda one: one.end - one.start)
        if shorter.end - shorter.start < timedelta(days=200) and re.search(
            phrases.LAST_YEAR, question, re.IGNORECASE
        ):
            return shorter, shorter.year_before()
        return periods[0], periods[1]
    if period is not None and re.search(r"\b(?:growth|grow|grew|badha|badhi)\b", text, re.IGNORECASE):
        return period, period.year_before()
    return period, None


def _threshold(text: str) -> tuple[Threshold | None, str]:
    for pattern, sign in (
        (phrases.OVER_HINDI, ">"),
        (phrases.UNDER_HINDI, "<"),
        (phrases.OVER, ">"),
        (phrases.UNDER, "<"),
    ):
        match = re.search(pattern, text, re.IGNORECASE)
        if match and not re.match(r"\s*(?:days|din)", text[match.end() :], re.IGNORECASE):
            unit = (match[2] or "").lower().rstrip("s")
            scale = phrases.SCALE.get(unit, 1)
            value = float(match[1].replace(",", "")) * scale
            return Threshold(">" if sign == ">" else "<", value), text.replace(match[0], " " * len(match[0]))
    return None, text


def _limit(text: str, dimension: Dimension) -> int:
    many = rf"(\d{{1,3}}|{'|'.join(phrases.NUMBER_WORDS)})"
    match = re.search(
        rf"\b(?:top|bottom|best|worst|lowest|highest)\s+{many}\b|\b{many}\s+(?:best|worst)",
        text,
        re.IGNORECASE,
    )
    if match:
        number = match[1] or match[2]
        return phrases.NUMBER_WORDS.get(number.lower()) or int(number)
    plural = re.search(rf"\b{re.escape(dimension.plural)}\b", text, re.IGNORECASE)
    return 5 if plural and re.search(r"\b(?:top|bottom|best|worst)\b", text, re.IGNORECASE) else 1
