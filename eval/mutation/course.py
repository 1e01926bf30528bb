"""Defects in what kind of answer it is, when it ends and how long it takes."""

from __future__ import annotations

import random

from eval.mutation.base import Kind, Material, Sample

_LOST_WITH_THE_LIST = (
    "accuracy", "completeness", "relevance", "hallucination", "context_adherence", "bkg", "bkg_truth",
    "correctness", "semantic_accuracy", "helpfulness", "conciseness",
)  # fmt: skip


def _instead(sample: Sample, text: str) -> Sample | None:
    """`text` and no list, where a list is asked for."""
    if not sample.criteria.list or not sample.last.ids:
        return None
    return sample.changed(ai_response=text, recommendations=(), ends=False)


def false_empty(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """Says that there is nothing, where there is something."""
    return _instead(sample, rng.choice(material.texts["empty"]))


def asks_instead(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """Asks where it should answer."""
    return _instead(sample, rng.choice(material.texts["questions"]))


def beside_the_point(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """Speaks of something else."""
    return _instead(sample, rng.choice(material.texts["refusals"]))


def says_nothing(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """No words and no list."""
    return sample.changed(ai_response=rng.choice(("", " ", "\n", "…")), recommendations=())


def ends_wrongly(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """Ends while the user goes on, or goes on after the user has accepted."""
    if sample.criteria.ends is None:
        return None
    return sample.changed(ends=not sample.criteria.ends)


def slow(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """The user waits long for the whole answer."""
    return sample.changed(latency_ms=rng.uniform(9_000, 29_000))


def slow_stream(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """The first words come late, and so do the last."""
    first = rng.uniform(3_000, 8_000)
    return sample.changed(
        latency_ms=first + rng.uniform(6_000, 20_000), ttft_ms=first, chunk_count=rng.randint(20, 80)
    )


KINDS = (
    Kind("false “nothing found”", ("accuracy", "completeness"), _LOST_WITH_THE_LIST, false_empty),
    Kind("asks instead of answering", ("accuracy", "completeness"), _LOST_WITH_THE_LIST, asks_instead),
    Kind("beside the point", ("relevance",), _LOST_WITH_THE_LIST, beside_the_point),
    Kind("says nothing", ("relevance",), _LOST_WITH_THE_LIST, says_nothing),
    Kind("ends wrongly", ("context_adherence",), ("helpfulness",), ends_wrongly),
    Kind("slow answer", ("latency",), (), slow),
    Kind("slow stream", ("latency",), (), slow_stream),
)
