"""A good answer, and what plants a defect in it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from app.catalog import Assessment, Catalog
from app.knowledge import Knowledge
from app.replies.words import plural, time_of
from eval.golden import GoldenCase
from eval.records import Payload, Recommendation
from eval.targets.recommender.criteria import Criteria, read_criteria

TEXTS = Path(__file__).with_name("texts.yaml")
_LINE = re.compile(r"^\d{1,2}[.)]\s")
_COUNTED = re.compile(r"Shortlist \(\d+ assessments?\)")
_TOTAL = re.compile(r"(testing time in total: )\d+( minutes)")


@dataclass(frozen=True, slots=True)
class Sample:
    """One answered case."""

    case: GoldenCase
    payloads: tuple[Payload, ...]

    @property
    def last(self) -> Payload:
        """The judged answer."""
        return self.payloads[-1]

    @property
    def criteria(self) -> Criteria:
        """What the labels ask of it."""
        return read_criteria(self.case.criteria, self.case.id)

    def changed(self, **fields: object) -> Sample:
        """The same with another last answer."""
        last = replace(self.last, **fields)  # type: ignore[arg-type]
        return replace(self, payloads=(*self.payloads[:-1], last))


@dataclass(frozen=True, slots=True)
class Material:
    """What defects are made of."""

    catalog: Catalog
    knowledge: Knowledge
    others: Sequence[Sample]
    """Good answers to other cases."""
    texts: Mapping[str, Sequence[str]]


Plant = Callable[[Sample, Material, random.Random], Sample | None]
"""The sample with the defect in it; None where this answer has no place for it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of defect, what has to notice it, and what may move with it."""

    name: str
    intended: tuple[str, ...]
    """One of these has to fall by `FALL`, unless the verdict changes."""
    may_move: tuple[str, ...]
    """Dimensions that the same defect concerns as well; any other must stay."""
    plant: Plant


def load_texts() -> Mapping[str, Sequence[str]]:
    """Passages to plant, by kind."""
    rows: Mapping[str, Sequence[str]] = yaml.safe_load(TEXTS.read_text(encoding="utf-8"))
    return rows


def list_lines(text: str) -> list[str]:
    """The numbered lines of a reply, without their numbers."""
    return [_LINE.sub("", line) for line in text.splitlines() if _LINE.match(line)]


def with_list(sample: Sample, lines: Sequence[str], ids: Sequence[str], material: Material) -> Sample | None:
    """The answer with this list in words and on the wire, count and total put right; None without a list in words."""
    text = sample.last.ai_response
    old = text.splitlines()
    numbered = [at for at, line in enumerate(old) if _LINE.match(line)]
    if not numbered or not sample.last.recommendations:
        return None
    fresh = [f"{number}. {line}" for number, line in enumerate(lines, 1)]
    told = "\n".join([*old[: numbered[0]], *fresh, *old[numbered[-1] + 1 :]])
    told = _COUNTED.sub(f"Shortlist ({plural(len(dict.fromkeys(ids)), 'assessment')})", told)
    sat = [
        a
        for key in dict.fromkeys(ids)
        if not material.knowledge.entries[(a := material.catalog[key]).id].is_report
    ]
    told = _TOTAL.sub(rf"\g<1>{sum(a.minutes or 0 for a in sat)}\g<2>", told)
    wire = tuple(on_wire(material.catalog[key]) for key in ids)
    return sample.changed(ai_response=told, recommendations=wire)


def on_wire(assessment: Assessment) -> Recommendation:
    """One line of the list as it is sent."""
    return Recommendation(assessment.name, assessment.url, assessment.test_type)


def in_words(key: str, material: Material) -> str:
    """One line of the list as it is told, without its number."""
    fact = material.catalog[key]
    entry = material.knowledge.entries[fact.id]
    time = time_of(fact, is_report=entry.is_report)
    return f"{fact.name} ({fact.test_type}; {time}): {entry.topics[0] if entry.topics else 'covers the need'} for this role"


def lines_by_id(sample: Sample) -> dict[str, str] | None:
    """The told line of each listed id, in order; None where words and list do not run side by side."""
    lines = list_lines(sample.last.ai_response)
    if not lines or len(lines) != len(sample.last.ids) or len(lines) != len(sample.last.recommendations):
        return None
    return dict(zip(sample.last.ids, lines, strict=True))


def with_added(sample: Sample, keys: Sequence[str], material: Material) -> Sample | None:
    """The answer with further products at the end of its list."""
    told = lines_by_id(sample)
    if told is None or not keys:
        return None
    every = told | {key: in_words(key, material) for key in keys}
    return with_list(sample, list(every.values()), list(every), material)


def unrelated(sample: Sample, material: Material, rng: random.Random, count: int) -> list[str]:
    """Products that no label of the case knows, of families that the list does not have, with nothing to go with."""
    criteria = sample.criteria
    known = {*criteria.must, *criteria.may, *criteria.must_not, *criteria.dropped, *sample.last.ids}
    families = {
        material.knowledge.entries[material.catalog[key].id].family
        for key in known
        if key in material.catalog
    }
    free = [
        a.id
        for a in material.catalog
        if a.id not in known
        and (entry := material.knowledge.entries[a.id]).family not in families
        and not entry.instruments
        and entry.successor is None
    ]
    chosen = rng.sample(free, min(4 * count, len(free)))
    distinct: dict[str, str] = {
        material.knowledge.entries[material.catalog[key].id].family: key for key in chosen
    }
    return list(distinct.values())[:count]
