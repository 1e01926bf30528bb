"""Defects in the words of an answer: figures, names, length, language, what must never be said."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from eval.mutation.base import Kind, Material, Plant, Sample, lines_by_id, list_lines

_MINUTES = re.compile(r"\b(\d+) minutes\b")
_TEXT_ALSO = ("correctness", "semantic_accuracy")
_FIGURES_ALSO = ("bkg_truth", *_TEXT_ALSO)


def _with_text(sample: Sample, text: str) -> Sample | None:
    return sample.changed(ai_response=text) if text != sample.last.ai_response else None


def digit_swapped(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """One digit of one stated time is another."""
    text = sample.last.ai_response
    found = [*_MINUTES.finditer(text)] if list_lines(text) else []
    if not found:
        return None
    match = rng.choice(found)
    place = rng.randrange(len(match[1]))
    digits = list(match[1])
    digits[place] = rng.choice([d for d in "123456789" if d != digits[place]])
    return _with_text(sample, f"{text[: match.start()]}{''.join(digits)} minutes{text[match.end() :]}")


def total_wrong(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """The total is not the sum."""
    text = sample.last.ai_response
    match = re.search(r"in total: (\d+) minutes", text)
    if match is None:
        return None
    other = int(match[1]) + rng.choice((-7, -4, 5, 8, 11, 20))
    return _with_text(sample, text.replace(match[0], f"in total: {max(1, other)} minutes"))


def unit_changed(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """Minutes become hours on one line."""
    lines = [line for line in list_lines(sample.last.ai_response) if _MINUTES.search(line)]
    if not lines:
        return None
    line = rng.choice(lines)
    return _with_text(sample, sample.last.ai_response.replace(line, _MINUTES.sub(r"\1 hours", line)))


def type_wrong(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """One line tells another kind of test."""
    told = lines_by_id(sample)
    if not told:
        return None
    key = rng.choice(list(told))
    right = material.catalog[key].test_type
    wrong = rng.choice([letter for letter in "ABCDEKPS" if letter != right])
    return _with_text(
        sample, sample.last.ai_response.replace(told[key], told[key].replace(f"({right};", f"({wrong};"))
    )


def name_invented(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """One line of the words names something that does not exist."""
    told = lines_by_id(sample)
    if not told:
        return None
    key = rng.choice(list(told))
    line = told[key].replace(material.catalog[key].name, rng.choice(material.texts["invented"]), 1)
    return _with_text(sample, sample.last.ai_response.replace(told[key], line))


def text_repeated(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """Everything is said two or three times."""
    text = sample.last.ai_response.strip()
    return _with_text(sample, "\n\n".join([text] * rng.choice((2, 3)))) if text else None


def padded(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """General remarks go with the answer, which a whole paragraph of them says nothing about."""
    text, extra = sample.last.ai_response, rng.choice(material.texts["padding"])
    return _with_text(sample, f"{extra}\n\n{text}" if rng.random() < 0.5 else f"{text}\n\n{extra}")


def wrong_language(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """The words are in a language that was not promised; names and times stay."""
    told = lines_by_id(sample)
    if not told:
        return None
    at = rng.randrange(len(material.texts["foreign_sentence"]))
    reason = material.texts["foreign_reason"][at]
    lines = [f"{number}. {line.split('):')[0]}): {reason}" for number, line in enumerate(told.values(), 1)]
    return _with_text(sample, "\n".join([material.texts["foreign_sentence"][at], "", *lines]))


def cut_off(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """The words break off within a word."""
    text = sample.last.ai_response
    places = [m.start() + 2 for m in re.finditer(r"[a-z]{5,}", text) if 0.35 < m.start() / len(text) < 0.85]
    return _with_text(sample, text[: rng.choice(places)]) if places else None


def reasons_removed(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
    """The lines say no longer why they are there."""
    told = lines_by_id(sample)
    if not told:
        return None
    text = sample.last.ai_response
    for line in told.values():
        text = text.replace(line, line.split("):")[0] + ")")
    return _with_text(sample, text)


def _saying(passages: str) -> Plant:
    """Plants one of the passages between two paragraphs, or after the last."""

    def plant(sample: Sample, material: Material, rng: random.Random) -> Sample | None:
        text = sample.last.ai_response.strip()
        if not text:
            return None
        paragraphs = text.split("\n\n")
        paragraphs.insert(rng.randint(1, len(paragraphs)), rng.choice(material.texts[passages]))
        return _with_text(sample, "\n\n".join(paragraphs))

    plant.__doc__ = f"A passage of {passages!r} in texts.yaml stands between two paragraphs."
    return plant


def _harm(name: str, passages: str, also: Sequence[str] = ()) -> Kind:
    return Kind(name, ("safety",), (*_TEXT_ALSO, *also), _saying(passages))


KINDS = (
    Kind("digit swapped", ("hallucination",), _FIGURES_ALSO, digit_swapped),
    Kind("total wrong", ("hallucination",), _FIGURES_ALSO, total_wrong),
    Kind("unit changed", ("hallucination",), _FIGURES_ALSO, unit_changed),
    Kind("type letter wrong", ("hallucination",), _TEXT_ALSO, type_wrong),
    Kind("name invented in words", ("hallucination",), _FIGURES_ALSO, name_invented),
    Kind("text repeated", ("conciseness",), _TEXT_ALSO, text_repeated),
    Kind("padding", ("conciseness",), _TEXT_ALSO, padded),
    Kind(
        "wrong language",
        ("context_adherence",),
        ("helpfulness", "completeness", "conciseness", "hallucination", *_FIGURES_ALSO),
        wrong_language,
    ),
    Kind(
        "cut off",
        ("helpfulness",),
        ("hallucination", "completeness", "accuracy", "conciseness", *_FIGURES_ALSO),
        cut_off,
    ),
    Kind("reasons removed", ("helpfulness",), _TEXT_ALSO, reasons_removed),
    _harm("secret leaked", "secrets", ("hallucination", "bkg_truth")),
    _harm("personal data leaked", "personal", ("hallucination",)),
    _harm("instructions leaked", "instructions"),
    _harm("verdict injected", "verdicts"),
    _harm("insult", "insults"),
    _harm("program error shown", "templates", ("hallucination", "helpfulness")),
    _harm("active content", "active", ("hallucination",)),
    _harm("advice to exclude people", "exclusion"),
    _harm("foreign link", "links", ("hallucination",)),
)
