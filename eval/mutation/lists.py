"""Defects in what an answer puts forward."""

from __future__ import annotations

import random
from dataclasses import replace

from app.catalog import AssessmentId
from eval.mutation.base import (
    Kind,
    Material,
    Sample,
    in_words,
    lines_by_id,
    unrelated,
    with_added,
    with_list,
)
from eval.records import Recommendation

_LIST_ALSO = ("accuracy", "completeness", "relevance", "bkg", "correctness", "semantic_accuracy")
_MOST = 10


def product_invented(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """A product that does not exist, in words and on the wire."""
    told = lines_by_id(sample)
    if not told or len(told) == _MOST:
        return None
    name = rng.choice(material.texts["invented"])
    slug = "".join(c if c.isalnum() else "-" for c in name.lower()).strip("-")
    address = f"https://www.shl.com/products/product-catalog/view/{slug}/"
    last = list(told.values())[-1]
    line = f"{len(told) + 1}. {name} (K; time not stated): rounds the battery off"
    text = sample.last.ai_response.replace(last, f"{last}\n{line}")
    wire = (*sample.last.recommendations, Recommendation(name, address, "K"))
    return sample.changed(ai_response=text, recommendations=wire)


def address_changed(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """One address leads nowhere."""
    wire = list(sample.last.recommendations)
    if not wire:
        return None
    at = rng.randrange(len(wire))
    wire[at] = replace(wire[at], url=wire[at].url.rstrip("/") + rng.choice(("-2", "-old", "x")) + "/")
    return sample.changed(recommendations=tuple(wire))


def half_gone(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """Half of what is required is left out."""
    told = lines_by_id(sample)
    must = [key for key in sample.criteria.must if told and key in told]
    if not told or len(must) < 2:
        return None
    gone = set(rng.sample(must, (len(must) + 1) // 2))
    kept = {key: line for key, line in told.items() if key not in gone}
    return with_list(sample, list(kept.values()), list(kept), material) if kept else None


def surplus(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """As many products again, none of which was asked for."""
    if not sample.criteria.may or not sample.last.ids:
        return None
    room = _MOST - len(sample.last.ids)
    count = min(room, max(3, len(sample.last.ids)))
    return with_added(sample, unrelated(sample, material, rng, count), material) if count >= 3 else None


def required_replaced(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """Half of what is required gives way to something unrelated."""
    told = lines_by_id(sample)
    must = [key for key in sample.criteria.must if told and key in told]
    if not told or not must:
        return None
    gone = rng.sample(must, (len(must) + 1) // 2)
    fresh = dict(zip(gone, unrelated(sample, material, rng, len(gone)), strict=False))
    if len(fresh) < len(gone):
        return None
    changed = {
        fresh.get(key, key): in_words(fresh[key], material) if key in fresh else line
        for key, line in told.items()
    }
    return with_list(sample, list(changed.values()), list(changed), material)


def another_list(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """Words and list are those for another job."""
    must = set(sample.criteria.must)
    if not must or not lines_by_id(sample):
        return None
    pool = [other for other in material.others if lines_by_id(other) and not must & set(other.last.ids)]
    if not pool:
        return None
    other = rng.choice(pool).last
    return sample.changed(ai_response=other.ai_response, recommendations=other.recommendations)


def dropped_kept(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """What the user dropped is in the list again."""
    gone = [key for key in sample.criteria.dropped if key in material.catalog]
    return with_added(sample, [rng.choice(gone)], material) if gone else None


def excluded_shown(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """Something that the need rules out is in the list."""
    excluded = [
        key for key in sample.criteria.must_not if key in material.catalog and key not in sample.last.ids
    ]
    return with_added(sample, [rng.choice(excluded)], material) if excluded else None


def limit_ignored(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """The list grows past the limit that was set."""
    criteria = sample.criteria
    sat = [
        a
        for a in material.catalog
        if a.minutes and a.id not in sample.last.ids and not material.knowledge.entries[a.id].is_report
    ]
    if criteria.languages:
        lacking = [
            a for a in sat if a.languages and not any(n.startswith(criteria.languages) for n in a.languages)
        ]
        return with_added(sample, [rng.choice(lacking).id], material)
    if criteria.minutes_each is not None:
        long = [a for a in sat if (a.minutes or 0) > criteria.minutes_each]
        return with_added(sample, [rng.choice(long).id], material)
    if criteria.minutes_total is not None:
        used = sum(material.catalog[key].minutes or 0 for key in sample.last.ids)
        long = [a for a in sat if used + (a.minutes or 0) > criteria.minutes_total + 5]
        return with_added(sample, [rng.choice(long).id], material) if long else None
    if criteria.most is not None:
        return with_added(sample, unrelated(sample, material, rng, criteria.most + 1), material)
    return None


def stands_twice(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """One product is listed twice."""
    told = lines_by_id(sample)
    if not told or len(told) == _MOST:
        return None
    key = rng.choice(list(told))
    return with_list(sample, [*told.values(), told[key]], [*told, key], material)


def two_editions(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """Another edition of a listed product stands beside it."""
    known = {*sample.criteria.must, *sample.criteria.may, *sample.last.ids}
    pairs = [
        other
        for key in sample.last.ids
        if key in material.catalog
        for other in material.knowledge.siblings(AssessmentId(key))
        if other not in known and not material.knowledge.entries[other].instruments
    ]
    fit = [key for key in pairs if material.catalog[key].name.lower() not in sample.case.asked.lower()]
    return with_added(sample, [rng.choice(fit)], material) if fit and len(sample.last.ids) < _MOST else None


def report_alone(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """A report is listed, and nothing that it could be drawn from."""
    known = {*sample.criteria.must, *sample.criteria.may, *sample.last.ids}
    alone = [
        key
        for key, entry in material.knowledge.entries.items()
        if entry.instruments and key not in known and not set(entry.instruments) & set(sample.last.ids)
    ]
    return with_added(sample, [rng.choice(alone)], material) if len(sample.last.ids) < _MOST else None


_ADDED_ALSO = (
    "accuracy",
    "relevance",
    "bkg",
    "correctness",
    "semantic_accuracy",
    "context_adherence",
    "hallucination",
)

KINDS = (
    Kind("product invented", ("hallucination",), ("accuracy", "relevance", "bkg_truth", "correctness", "semantic_accuracy", "helpfulness"), product_invented),
    Kind("address changed", ("hallucination",), ("accuracy", "completeness", "relevance", "bkg", "bkg_truth"), address_changed),
    Kind("half of the list gone", ("completeness",), _LIST_ALSO, half_gone),
    Kind("surplus", ("accuracy",), _ADDED_ALSO, surplus),
    Kind("required replaced", ("accuracy",), (*_LIST_ALSO, "context_adherence"), required_replaced),
    Kind("list for another job", ("accuracy",), (*_LIST_ALSO, "context_adherence", "hallucination", "bkg_truth", "helpfulness", "conciseness"), another_list),
    Kind("dropped item kept", ("context_adherence",), _ADDED_ALSO, dropped_kept),
    Kind("excluded item shown", ("context_adherence",), _ADDED_ALSO, excluded_shown),
    Kind("limit ignored", ("context_adherence",), _ADDED_ALSO, limit_ignored),
    Kind("listed twice", ("bkg",), (*_LIST_ALSO, "hallucination", "bkg_truth", "conciseness"), stands_twice),
    Kind("two editions", ("bkg",), _ADDED_ALSO, two_editions),
    Kind("report without its instrument", ("bkg",), _ADDED_ALSO, report_alone),
)  # fmt: skip
