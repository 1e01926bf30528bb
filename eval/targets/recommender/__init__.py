"""The assessment recommender: the only place of the workbench that knows its catalogue and its labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from app.catalog import AssessmentId, Catalog, load_catalog
from app.config import load_settings
from app.errors import RecommenderError
from app.knowledge import Knowledge, load_knowledge
from eval.errors import AdapterError
from eval.facts import Facts, Harm, Reference, Truth
from eval.golden import GoldenCase
from eval.harms import detectors, find_harms
from eval.records import Payload
from eval.targets.base import TargetSpec
from eval.targets.recommender.claims import Claims
from eval.targets.recommender.constraints import constraints
from eval.targets.recommender.criteria import Criteria, read_criteria
from eval.targets.recommender.golden import golden_text
from eval.targets.recommender.mentions import Mentions
from eval.targets.recommender.shape import declines, facets, form, relations, usefulness, words_most
from eval.text import prose

_LINK = re.compile(r"(?:https?://|www\.)[^\s<>|)\]\"']+", re.I)
_OWN_PROBES = ("foreign links", "what had to be declined")


class RecommenderTarget:
    """Tells evaluators what is true of an answer about assessments."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge, lexicon: Path) -> None:
        self._catalog = catalog
        self._knowledge = knowledge
        self._lexicon = lexicon
        self._mentions = Mentions(catalog, knowledge)
        self._claims = Claims(catalog, knowledge, self._mentions)
        self._hosts = frozenset(urlsplit(assessment.url).hostname for assessment in catalog)

    def facts(self, case: GoldenCase, payloads: Sequence[Payload]) -> Facts:
        """What is known of the last of `payloads`; earlier ones show what stood and how long it took.

        Raises:
            DatasetError: the case has criteria that are not known here.
        """
        criteria = read_criteria(case.criteria, case.id)
        last = payloads[-1]
        figures = self._mentions.figures(last.ai_response, last.ids, case.asked)
        before = next((p.ids for p in reversed(payloads[:-1]) if p.ids), ())
        wanted = (*criteria.must, *criteria.may, *self._mentions.ids(case.asked))
        return Facts(
            question=case.asked,
            answer=last.ai_response,
            payload=last,
            slowest=max(payloads, key=lambda p: p.latency_ms or 0.0),
            shown=last.ids,
            reference=Reference(criteria.must, criteria.may, criteria.must_not, bool(criteria.may)),
            form=tuple(form(criteria, last, before)),
            claims=self._claims.of(last, case.asked, figures),
            constraints=constraints(criteria, last, self._catalog, self._knowledge, self._lexicon),
            facets=tuple(facets(criteria, last, self._knowledge)),
            relations=tuple(relations(last, self._knowledge, wanted)),
            figures=tuple(figures),
            usefulness=tuple(usefulness(last)),
            harms=(*find_harms(last.ai_response, case.asked), *self._own_harms(criteria, last)),
            harm_probes=(*(detector.kind for detector in detectors()), *_OWN_PROBES),
            topic=self._topic(last.ids),
            reference_topic=self._topic(criteria.must),
            expected_answer=case.expected_answer,
            stale=case.stale,
            prose=prose(last.ai_response),
            prose_words_most=words_most(last),
            truth=_truth(criteria),
            context=tuple(self._record(key) for key in dict.fromkeys((*last.ids, *criteria.must))),
        )

    def lint(self, case: GoldenCase) -> Sequence[str]:
        """Ids that the catalogue lacks, sets that overlap, patterns that are none."""
        criteria = read_criteria(case.criteria, case.id)
        problems = [
            f"{key} is not in the catalogue"
            for key in (*criteria.must, *criteria.may)
            if key not in self._catalog
        ]
        for one, other in (("must", "may"), ("must", "must_not"), ("may", "must_not"), ("must", "dropped")):
            both = sorted(set(getattr(criteria, one)) & set(getattr(criteria, other)))
            problems += [f"both {one} and {other}: {', '.join(both)}"] if both else []
        for pattern in (*criteria.says, *criteria.never_says):
            try:
                re.compile(pattern)
            except re.error as exc:
                problems.append(f"{pattern!r} is no pattern: {exc}")
        if criteria == Criteria():
            problems.append("nothing is asked of the answer")
        if criteria.list is False and criteria.must:
            problems.append("a list is both required and forbidden")
        return problems

    def _own_harms(self, criteria: Criteria, payload: Payload) -> Iterable[Harm]:
        for link in (*_LINK.findall(payload.ai_response), *(line.url for line in payload.recommendations)):
            if urlsplit(link).hostname not in self._hosts:
                yield Harm("foreign links", 0.5, link[:60])
        if criteria.refuses and not declines(payload):
            yield Harm("what had to be declined", 1.0 if payload.ids else 0.5, payload.ai_response[:60])

    def _topic(self, ids: Iterable[str]) -> str:
        entries = (self._knowledge.entries.get(AssessmentId(key)) for key in ids)
        known = [(self._catalog[entry.id].name, *entry.topics) for entry in entries if entry is not None]
        return "; ".join(word for each in known for word in each)

    def _record(self, key: str) -> str:
        """One catalogue record in words, for a judge."""
        fact = self._catalog.get(key)
        if fact is None:
            return f"{key}: not in the catalogue"
        minutes = "no time stated" if fact.minutes is None else f"{fact.minutes} minutes"
        languages = ", ".join(fact.languages) or "languages not stated"
        return f"{fact.name}: {fact.test_type}; {minutes}; {languages}; {self._knowledge.entries[fact.id].summary}"


def _truth(criteria: Criteria) -> Truth:
    if criteria.nothing_fits:
        return Truth.EMPTY
    sought = criteria.nothing_fits is False
    return Truth.SOMETHING if sought or criteria.must or criteria.any_of or criteria.list else Truth.UNKNOWN


def load() -> RecommenderTarget:
    """The target over the project's own data.

    Raises:
        AdapterError: catalogue or knowledge cannot be loaded.
    """
    folder = load_settings().retrieval.data_dir
    try:
        catalog = load_catalog(folder / "catalog.json")
        return RecommenderTarget(catalog, load_knowledge(folder / "knowledge", catalog), folder / "lexicon")
    except RecommenderError as exc:
        raise AdapterError(f"what is true cannot be loaded: {exc}") from exc


TARGET = TargetSpec("recommender", "SHL assessments for a hiring need", load, "golden_dataset", golden_text)
