"""Which assessments a text names, and which figures it gives for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.catalog import Assessment, Catalog
from app.knowledge import Knowledge
from eval.facts import Figure
from eval.text import sentences

_TIME = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?)\s*-?\s*(hours?|hrs?|h|minutes?|mins?)\b(?!\s+(?:less|more|shorter|longer|over|under))",
    re.I,
)
_TOTAL = re.compile(r"\b(?:in total|total|altogether|together)\b", re.I)
_TOTAL_FIRST = re.compile(r"[^:;(\d]*\btotal\b[^;(\d]*\d", re.I)
_COUNT = re.compile(r"\b(?:shortlist|list)\s*\((\d+)\s+(?:assessments?|tests?|products?)\)", re.I)
_NUMBERED = re.compile(r"^\s*\d{1,2}[.)]\s+(.*\S)", re.M)
_MINUTES_PER_HOUR = 60


@dataclass(frozen=True, slots=True)
class Mention:
    """A catalogue name in a text."""

    id: str
    start: int
    end: int


class Mentions:
    """Finds catalogue names. A name within a longer one is not meant."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge) -> None:
        self._catalog = catalog
        self._knowledge = knowledge
        self._names = sorted(((a.name.lower(), a.id) for a in catalog), key=lambda n: (-len(n[0]), n[0]))

    def find(self, text: str) -> list[Mention]:
        """Every mention, in order."""
        rest, found = text.lower(), []
        if len(rest) != len(text):
            return []
        for name, key in self._names:
            at = rest.find(name)
            while at >= 0:
                end = at + len(name)
                if not _within_word(rest, at, end):
                    found.append(Mention(key, at, end))
                    rest = rest[:at] + "\0" * len(name) + rest[end:]
                at = rest.find(name, end)
        return sorted(found, key=lambda mention: mention.start)

    def ids(self, text: str) -> tuple[str, ...]:
        """Different ids that `text` names, in order."""
        return tuple(dict.fromkeys(mention.id for mention in self.find(text)))

    def listed(self, text: str) -> list[tuple[str, str | None]]:
        """Each numbered line of `text` with the id it opens with; None: no catalogue name opens it."""
        lines = []
        for match in _NUMBERED.finditer(text):
            first = next(iter(self.find(match[1])), None)
            lines.append((match[1], first.id if first is not None and first.start <= 2 else None))
        return lines

    def figures(self, text: str, shown: Sequence[str], asked: str) -> list[Figure]:
        """Times of single assessments, the total time and the length of the list, as `text` gives them.

        In prose a time that the user named (`asked`) is taken for the limit, not for a statement about a test.
        """
        limits = {_minutes(number, unit) for number, unit in _TIME.findall(asked)}
        found = []
        for piece in sentences(text):
            times = [_minutes(number, unit) for number, unit in _TIME.findall(self.without_names(piece))]
            if not times:
                continue
            ids = self.ids(piece)
            if _TOTAL.search(piece) and (not ids or _TOTAL_FIRST.match(piece)):
                found.append(Figure("total, minutes", times[0], self._total(shown) if shown else None))
                continue
            in_prose = not _NUMBERED.match(piece)
            if len(ids) == 1 and len(times) == 1 and not (in_prose and times[0] in limits):
                assessment = self._catalog[ids[0]]
                found.append(Figure(f"{assessment.name}, minutes", times[0], _known_minutes(assessment)))
        count = _COUNT.search(text)
        if count:
            found.append(Figure("assessments in the list", float(count[1]), float(len(shown))))
        return found

    def without_names(self, text: str) -> str:
        """`text` with catalogue names blanked: the numbers in them are no figures."""
        for mention in self.find(text):
            text = text[: mention.start] + "\0" * (mention.end - mention.start) + text[mention.end :]
        return text

    def _total(self, shown: Sequence[str]) -> float | None:
        """Minutes that candidates sit: reports take none, unknown times count as none."""
        known = [self._catalog.get(key) for key in shown]
        if any(assessment is None for assessment in known):
            return None
        sat = [a for a in known if a is not None and not self._knowledge.entries[a.id].is_report]
        return float(sum(a.minutes or 0 for a in sat))


def _minutes(number: str, unit: str) -> float:
    return float(number) * (_MINUTES_PER_HOUR if unit.lower().startswith("h") else 1)


def _known_minutes(assessment: Assessment) -> float | None:
    return float(assessment.minutes) if assessment.minutes is not None else None


def _within_word(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    return (before.isalnum() and text[start].isalnum()) or (after.isalnum() and text[end - 1].isalnum())
