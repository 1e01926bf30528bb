"""What a question asks for, read by rules from the words of the graph and the values of the company's own data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final, Literal

from eval.sandbox.graph import Dimension, Metric
from eval.sandbox.lexicon import Hit, Lexicon, unknown_names
from eval.sandbox.periods import Clock, Period, read_periods

Shape = Literal[
    "total", "breakdown", "ranking", "compare", "share", "threshold", "rank", "count", "list", "define", "last run",
    "attribute",
]  # fmt: skip
Direction = Literal["most", "least"]
Language = Literal["en", "hi"]

_HINDI: Final = frozenset(
    "kitna kitni kitne ka ki ke hai hain tha thi kya kaun kaunsa kaunsi batao bataiye dikhao mein sabse zyada kam "
    "bikri bika bike kahan kab chala tak se aur wale wali mujhe".split()
)
_NUMBER: Final = (
    r"(?:₹|rs\.?|inr)?\s*(\d[\d,]*(?:\.\d+)?)\s*(lakhs?|lacs?|crores?|cr|k|thousand|hazaar|%|percent)?"
)
_SCALE: Final = {"lakh": 100_000, "lac": 100_000, "crore": 10_000_000, "cr": 10_000_000, "k": 1000}
_SCALE_MORE: Final = {"thousand": 1000, "hazaar": 1000}
_OVER: Final = (
    rf"\b(?:above|over|more than|greater than|at least|exceeding|exceed|se zyada|se upar)\s+{_NUMBER}"
)
_UNDER: Final = rf"\b(?:below|under|less than|fewer than|at most|se kam|se neeche)\s+{_NUMBER}"
_OVER_HINDI: Final = rf"{_NUMBER}\s+se (?:zyada|upar)"
_UNDER_HINDI: Final = rf"{_NUMBER}\s+se (?:kam|neeche)"
_MOST: Final = (
    r"\b(?:top|best|highest|most|maximum|largest|biggest|leading|sabse zyada|sabse jyada|sabse achha)\b"
)
_LEAST: Final = r"\b(?:bottom|worst|lowest|least|minimum|smallest|weakest|sabse kam|sabse kharab)\b"
_COMPARE: Final = (
    r"\b(?:vs\.?|versus|compared? (?:to|with)|comparison|growth|grow|grew|change|changed|yoy|year on year|mom|"
    r"month on month|wow|week on week|muqable|mukable|tulna|badha|badhi)\b"
)
_YEAR_BEFORE: Final = (
    r"\b(?:yoy|year on year|year over year|same (?:period|month|quarter|week|day) last year)\b"
)
_LAST_YEAR: Final = r"\b(?:last|pichhle|pichle) (?:year|saal)\b"
_STEP_BEFORE: Final = r"\b(?:mom|month on month|wow|week on week|previous period|the period before)\b"
_SHARE: Final = r"\b(?:share|contribution|contributes?|mix|proportion|hissa|what part)\b"
_DEFINE: Final = (
    r"\b(?:define|definition|meaning of|what does .* mean|how is .* (?:calculated|computed)|ka matlab)\b"
)
_LAST_RUN: Final = r"\b(?:when (?:did|was) .*\brun|status of .*\brun|run status|kab chal[ai]|last ran)\b"
_COUNT: Final = r"\b(?:how many|number of|count of|kitne|kitni)\b"
_LIST: Final = r"\b(?:list|show|which|name|what are|dikhao|kaun ?se|kaun ?si|batao)\b"
_EACH: Final = r"\b(?:by|per|wise|each|every|across|for all|ke hisaab se|har)\b"
_PERIOD_GRAINS: Final = frozenset({"day", "week", "month", "quarter", "fiscal year"})
_TIMED: Final = frozenset({"festival", "promotion", "season"})
"""What has a time of its own, so that no other is taken for granted."""
_ATTRIBUTES: Final = {
    "mrp": "mrp", "price": "mrp", "daam": "mrp", "unit cost": "unit_cost", "area": "area_sqft", "opened": "opened_on",
    "opening date": "opened_on", "lead time": "lead_time_days", "launched": "launched_on", "launch date": "launched_on",
    "positioning": "positioning", "status": "store_status", "style name": "style_name",
}  # fmt: skip


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
    reason: Literal["unclear", "unknown name", "not recorded"]
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
            "hi" if len(words & _HINDI) >= 2 or "kitna" in words or "batao" in words else "en"
        )
        threshold, text = _threshold(question)
        periods, text = read_periods(text, self._clock)
        hits = list(self._lexicon.hits(_without_comparisons(text)))
        unknown = unknown_names(text, hits)
        if unknown:
            return Puzzle(question, "unknown name", unknown, language)
        asks_run = re.search(_LAST_RUN, text, re.IGNORECASE)
        metric = None if asks_run else _metric(hits)
        dimensions = _dimensions(hits, text, counted=metric is not None)
        filters = self._filters(hits, metric)
        base = Ask(question, "total", language, metric, filters=filters)
        if metric is None:
            return self._of_entity(base, text, dimensions) or Puzzle(question, "unclear", language=language)
        if re.search(_DEFINE, question, re.IGNORECASE):
            return Ask(question, "define", language, metric)
        return self._of_metric(base, text, dimensions, periods, threshold)

    def _filters(self, hits: Sequence[Hit], metric: Metric | None) -> tuple[Filter, ...]:
        found: dict[tuple[int, int], Filter] = {}
        for hit in hits:
            own_system = metric is not None and metric.system and hit.dimension and _is_system(hit.dimension)
            if hit.value is not None and hit.dimension is not None and not own_system:
                found.setdefault((hit.start, hit.end), Filter(hit.dimension, hit.value))
        return tuple(dict.fromkeys(found.values()))

    def _of_entity(self, base: Ask, text: str, dimensions: Sequence[Dimension]) -> Ask | None:
        """A question about stores, brands and so on themselves, or about a run."""
        if re.search(_LAST_RUN, text, re.IGNORECASE) and any(_is_system(f.dimension) for f in base.filters):
            return replace(base, shape="last run")
        named = next(
            (f for f in base.filters if f.dimension.name in {"store", "style", "SKU", "brand", "vendor"}),
            None,
        )
        for phrase, column in _ATTRIBUTES.items():
            table = named and self._graph.tables[named.dimension.table]
            if (
                named
                and table
                and column in table.columns
                and re.search(rf"\b{phrase}\b", text, re.IGNORECASE)
            ):
                return replace(base, shape="attribute", dimension=named.dimension, attribute=column)
        plain = [d for d in dimensions if d.name not in _PERIOD_GRAINS]
        if not plain:
            return None
        if re.search(_COUNT, text, re.IGNORECASE):
            return replace(base, shape="count", dimension=plain[0])
        if re.search(_LIST, text, re.IGNORECASE):
            return replace(base, shape="list", dimension=plain[0])
        return None

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
        timed = any(one.dimension.name in _TIMED for one in base.filters)
        if period is None and base.metric and not timed and self._dated(base.metric):
            period = self._clock.this_year()
        base = replace(base, period=period, versus=versus)
        dimension = dimensions[0] if dimensions else None
        twice = _twice(base.filters)
        if dimension is None and twice:
            return replace(base, shape="breakdown", dimension=twice)
        if versus is not None:
            return replace(base, shape="compare", dimension=dimension)
        most, least = re.search(_MOST, text, re.IGNORECASE), re.search(_LEAST, text, re.IGNORECASE)
        base = replace(base, dimension=dimension, direction="least" if least and not most else "most")
        if re.search(r"\brank\b|\bposition of\b|kaunse number", text, re.IGNORECASE) and base.filters:
            ranked = next(
                (f for f in base.filters if f.dimension.name in {"store", "brand", "city", "category"}), None
            )
            if ranked:
                return replace(base, shape="rank", dimension=ranked.dimension)
        if dimension is not None and threshold is not None:
            return replace(base, shape="threshold", threshold=threshold)
        if re.search(_SHARE, text, re.IGNORECASE) and (dimension or base.filters):
            return replace(base, shape="share")
        if dimension is not None and (most or least):
            return replace(base, shape="ranking", limit=_limit(text, dimension))
        return replace(base, shape="breakdown" if dimension else "total")


def _is_system(dimension: Dimension) -> bool:
    return dimension.name == "replenishment system"


def _metric(hits: Sequence[Hit]) -> Metric | None:
    """The metric meant; one about runs beats the name of the system whose runs are asked for."""
    metrics = [hit.metric for hit in hits if hit.metric]
    about_runs = [
        m for m in metrics if m.table in {"replenishment.replenishment_run", "replenishment.run_exception"}
    ]
    return next(iter(about_runs or metrics), None)


def _without_comparisons(text: str) -> str:
    """The text with "year on year" and the like blanked out: their words break nothing down."""
    for pattern in (_YEAR_BEFORE, _STEP_BEFORE):
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
            and not re.search(_EACH + r"\s*$", text[: hit.start], re.IGNORECASE)
            for value in values
        )
        what_is_counted = counted and re.search(rf"(?:{_COUNT})\s*$", text[: hit.start], re.IGNORECASE)
        if not beside and not what_is_counted:
            found.append(hit.dimension)
    return tuple(dict.fromkeys(found))


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
    if re.search(_YEAR_BEFORE, text, re.IGNORECASE):
        period = period or clock.this_year()
        return period, period.year_before()
    if re.search(_STEP_BEFORE, text, re.IGNORECASE):
        period = period or clock.month_back(0)
        return period, period.before()
    if len(periods) >= 2:
        part_of_a_year = periods[0].end - periods[0].start < timedelta(days=200)
        if part_of_a_year and re.search(_LAST_YEAR, question, re.IGNORECASE):
            return periods[0], periods[0].year_before()
        return periods[0], periods[1]
    if period is not None and re.search(r"\b(?:growth|grow|grew|badha|badhi)\b", text, re.IGNORECASE):
        return period, period.year_before()
    return period, None


def _threshold(text: str) -> tuple[Threshold | None, str]:
    for pattern, sign in ((_OVER_HINDI, ">"), (_UNDER_HINDI, "<"), (_OVER, ">"), (_UNDER, "<")):
        match = re.search(pattern, text, re.IGNORECASE)
        if match and not re.match(r"\s*(?:days|din)", text[match.end() :], re.IGNORECASE):
            unit = (match[2] or "").lower().rstrip("s")
            scale = _SCALE.get(unit) or _SCALE_MORE.get(unit, 1)
            value = float(match[1].replace(",", "")) * scale
            return Threshold(">" if sign == ">" else "<", value), text.replace(match[0], " " * len(match[0]))
    return None, text


def _limit(text: str, dimension: Dimension) -> int:
    match = re.search(
        r"\b(?:top|bottom|best|worst|lowest|highest)\s+(\d{1,3})\b|\b(\d{1,3})\s+(?:best|worst)", text, re.I
    )
    if match:
        return int(match[1] or match[2])
    plural = re.search(rf"\b{re.escape(dimension.plural)}\b", text, re.IGNORECASE)
    return 5 if plural and re.search(r"\b(?:top|bottom|best|worst)\b", text, re.IGNORECASE) else 1
