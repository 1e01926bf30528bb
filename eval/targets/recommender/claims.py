"""Everything a reply of the recommender states as a fact, held against the catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations

from app.catalog import Catalog
from app.knowledge import Knowledge
from eval.facts import Check, Figure
from eval.records import Payload
from eval.scoring import groundedness
from eval.targets.recommender.mentions import Mentions
from eval.text import numbers, words

_TYPES = re.compile(r"\s*\(([A-Z](?:\s?,\s?[A-Z])*)\s*[;)]")
_PRODUCT_LIKE = re.compile(r"\b((?:[A-Z0-9][\w.+#&/-]*\s+){1,7}\((?:New|v\d+)\))")
_MOST_COUNTED = 10
"""Small numbers count lines, tests or languages and are no figures of a product."""


class Claims:
    """Reads claims out of a payload."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge, mentions: Mentions) -> None:
        self._catalog = catalog
        self._knowledge = knowledge
        self._mentions = mentions

    def of(self, payload: Payload, asked: str, figures: Sequence[Figure]) -> tuple[Check, ...]:
        """Each claim of the answer; what the user said first needs no other source."""
        text = payload.ai_response
        return (
            *self._wire(payload),
            *self._lines(payload),
            *self._figures(figures),
            *self._numbers(payload, asked, figures),
            *self._names(text, asked),
        )

    def _wire(self, payload: Payload) -> Iterable[Check]:
        """Each list line and address, exactly as in the catalogue (the same rule as groundedness)."""
        found = groundedness([payload], self._catalog)
        claimed = int(found.reason.split()[0]) if found.value is not None else 0
        yield from (Check(f"in the catalogue: {line}", False) for line in found.evidence)
        yield from (
            Check("line or address as in the catalogue", True) for _ in range(claimed - len(found.evidence))
        )

    def _lines(self, payload: Payload) -> Iterable[Check]:
        """Each numbered line of the text names a product of the list, with its own type letters."""
        lines = self._mentions.listed(payload.ai_response)
        if not lines or not payload.recommendations:
            return
        listed = {key for _, key in lines if key}
        for line, key in lines:
            if key is None:
                yield Check(f"a product: {line[:60]}", False)
                continue
            yield Check(f"{key} is told and listed", key in payload.ids)
            letters = _TYPES.match(line[len(self._catalog[key].name) :])
            if letters:
                said = letters[1].replace(" ", "")
                yield Check(f"{key} is of type {said}", said == self._catalog[key].test_type)
        yield from (Check(f"{key} is listed and told", False) for key in payload.ids if key not in listed)

    def _figures(self, figures: Sequence[Figure]) -> Iterable[Check]:
        for figure in figures:
            if figure.true is not None:
                yield Check(f"{figure.key}: {figure.said:g}", figure.right)
            elif figure.key != "total, minutes":
                yield Check(f"{figure.key}: {figure.said:g}, none is stated", False)

    def _numbers(self, payload: Payload, asked: str, figures: Sequence[Figure]) -> Iterable[Check]:
        """Each other number is the user's, or one of what is known of the products that are named."""
        text = payload.ai_response
        plain = self._mentions.without_names(re.sub(r"^\s*\d{1,2}[.)]\s", "", text, flags=re.M))
        known = (
            set(numbers(asked))
            | {figure.said for figure in figures}
            | set(self._numbers_of({*self._mentions.ids(text), *payload.ids}))
        )
        for number in dict.fromkeys(numbers(plain)):
            if number > _MOST_COUNTED and number not in known:
                yield Check(f"a number without a source: {number:g}", False)

    def _numbers_of(self, ids: Iterable[str]) -> Iterable[float]:
        """Times, their sum and differences, and the numbers in our notes on the products."""
        minutes = []
        for key in ids:
            assessment = self._catalog.get(key)
            if assessment is None:
                continue
            entry = self._knowledge.entries[assessment.id]
            yield float(len(assessment.languages))
            yield from numbers(" ".join((entry.summary, *entry.topics)))
            if assessment.minutes is not None:
                yield float(assessment.minutes)
                if not entry.is_report:
                    minutes.append(assessment.minutes)
        yield float(sum(minutes))
        yield from (float(abs(one - other)) for one, other in combinations(minutes, 2))

    def _names(self, text: str, asked: str) -> Iterable[Check]:
        """What is written like a product name is one, or was brought up by the user."""
        said = " ".join(words(asked))
        for name in dict.fromkeys(_PRODUCT_LIKE.findall(self._mentions.without_names(text))):
            if " ".join(words(name)) not in said:
                yield Check(f"a product: {name}", False)
