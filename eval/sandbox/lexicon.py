"""The words of the graph and the values of a company's data: what phrases of a question stand for."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from eval.sandbox.graph import Dimension, Graph, Metric
from eval.sandbox.world import read_names

_COMMON: Final = frozenset("and or nor not yet the for with only but core all new one".split())
"""A name made of these only counts when written as the company writes it."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase found in a question and what it stands for."""

    start: int
    end: int
    metric: Metric | None = None
    dimension: Dimension | None = None
    value: str | None = None
    weak: bool = False
    """A word that stands for its metric only where no other is named."""


@dataclass(slots=True)
class Lexicon:
    """Phrases of one company, longest first, each with what it stands for."""

    graph: Graph
    phrases: dict[str, list[tuple[Metric | Dimension, str | None]]] = field(default_factory=dict)
    pattern: re.Pattern[str] = re.compile("$^")

    def add(self, phrase: str, thing: Metric | Dimension, value: str | None = None) -> None:
        """Let `phrase` stand for a metric, a dimension, or a value of a dimension."""
        key = phrase.lower()
        if (thing, value) not in self.phrases.setdefault(key, []):
            self.phrases[key].append((thing, value))

    def hits(self, text: str) -> Iterator[Hit]:
        """What is found in `text`, from left to right, without overlaps."""
        for match in self.pattern.finditer(text):
            for thing, value in self.phrases[match[0].lower()]:
                careful = value is not None and set(value.lower().split()) <= _COMMON
                if careful and match[0] != value:
                    continue
                if isinstance(thing, Metric):
                    yield Hit(*match.span(), metric=thing, weak=match[0].lower() in thing.weak)
                else:
                    yield Hit(*match.span(), dimension=thing, value=value)


def build_lexicon(graph: Graph, connection: sqlite3.Connection, tenant_id: int) -> Lexicon:
    """The words of the graph and the values that occur in the data of `tenant_id`."""
    lexicon = Lexicon(graph)
    for metric in graph.metrics.values():
        for phrase in (metric.name, *metric.synonyms, *metric.hindi, *metric.weak):
            for spelling in (phrase, phrase.replace("-", " ")):
                lexicon.add(spelling, metric)
    for dimension in graph.dimensions.values():
        for phrase in (dimension.name, dimension.plural, *dimension.synonyms, *dimension.hindi):
            lexicon.add(phrase, dimension)
        if dimension.filter:
            for value in values_of(graph, connection, dimension, tenant_id):
                for phrase in _spellings(dimension, value):
                    lexicon.add(phrase, dimension, value)
    for code, name in connection.execute(
        "SELECT store_code, store_name FROM sales.store WHERE tenant_id = ?", (tenant_id,)
    ):
        lexicon.add(code, graph.dimensions["store"], name)
    longest_first = sorted(lexicon.phrases, key=len, reverse=True)
    words = "|".join(re.escape(phrase) for phrase in longest_first)
    lexicon.pattern = re.compile(rf"(?<![\w-])(?:{words})(?![\w])", re.IGNORECASE)
    return lexicon


def _spellings(dimension: Dimension, value: str) -> tuple[str, ...]:
    """How a value is written: as it stands and by its other names.

    A category also in the singular ("top" is no Top), a festival also without its year.
    """
    singular = (
        (value[:-1],) if dimension.name == "category" and value.endswith("s") and value != "Tops" else ()
    )
    any_year = (re.sub(r" \d{4}$", "", value),) if dimension.name == "festival" else ()
    return (value, *_other_names().get(value, ()), *singular, *any_year)


@cache
def _other_names() -> dict[str, list[str]]:
    names: dict[str, list[str]] = read_names()["other_names"]
    return names


def values_of(
    graph: Graph, connection: sqlite3.Connection, dimension: Dimension, tenant_id: int
) -> list[str]:
    """The values that `dimension` has in the data of `tenant_id`, or in a list that all companies share."""
    table = graph.tables[dimension.table]
    own = f" WHERE tenant_id = {int(tenant_id)}" if "tenant_id" in table.columns else ""
    query = f"SELECT DISTINCT {dimension.column} FROM {table.name}{own} ORDER BY 1"  # noqa: S608 - from the graph
    return [row[0] for row in connection.execute(query)]


_NAMED: Final = re.compile(
    r"\b(?:store|brand|city|style|sku|vendor|supplier|shop|outlet|category)\s+((?!in\b|of\b)[A-Z][\w-]*(?:\s+[A-Z][\w-]*)*)"
)
_CODE: Final = re.compile(r"\b(?:[A-Z]\d{4}|[A-Z]{2,4}\d?-[CF]?\d{3,}[\w-]*)\b")
_PROPER: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?:\s+[A-Z][a-z]+)*")
_KNOWN_WORDS: Final = frozenset("I April March Please Show Compare".split())


def blanked(text: str, hits: Sequence[Hit]) -> str:
    """The text with what was found in it blanked out."""
    letters = list(text)
    for hit in hits:
        letters[hit.start : hit.end] = " " * (hit.end - hit.start)
    return "".join(letters)


def unknown_names(question: str, text: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Names in the question that stand for nothing in the company's data.

    Args:
        question: As it was asked.
        text: The same with periods and bounds blanked out.
        hits: What was found in `text`.
    """
    rest = blanked(text, [hit for hit in hits if hit.metric or hit.value])
    found = [match[1] for match in _NAMED.finditer(rest)] + [match[0] for match in _CODE.finditer(rest)]
    proper = [match for match in _PROPER.finditer(question) if rest[match.start() : match.end()] == match[0]]
    found += [match[0] for match in proper if match[0] not in _KNOWN_WORDS]
    return tuple(dict.fromkeys(found))
