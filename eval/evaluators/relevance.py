"""Whether the answer is about this question."""

from __future__ import annotations

from eval.evaluators.base import EvaluatorSpec, Illustration, Measured
from eval.facts import Check, Facts, broken, share
from eval.records import Payload
from eval.text import likeness, words

ALIKE = 0.6
"""On the golden set four good answers in five are at least so alike to the labelled subject (median .90), answers to
other cases are not (median .27)."""


def measure(facts: Facts) -> Measured:
    """Half likeness of subject, half fitness of the kind of answer; what cannot be told leaves the mean."""
    if not words(facts.answer):
        return Measured(0.0, "the answer is empty")
    subject, form = subject_fit(facts), share(facts.form or facts.facets)
    parts = [value for value in (subject, form) if value is not None]
    if not parts:
        return Measured(None, "neither the subject nor the kind of answer is known")
    told = [f"subject {subject:.2f}"] if subject is not None else []
    told += [f"kind {form:.2f}"] if form is not None else []
    return Measured(sum(parts) / len(parts), ", ".join(told), broken(facts.form))


def subject_fit(facts: Facts) -> float | None:
    """Likeness of the answer's subject to one known to fit, `ALIKE` and above counting in full. None: not known."""
    if not facts.reference_topic or not facts.topic:
        return None
    return min(1.0, likeness(facts.topic, facts.reference_topic) / ALIKE)


_YES, _NO = (Check("a list", True),), (Check("a list", False),)

EVALUATOR = EvaluatorSpec(
    name="relevance",
    weight=0.15,
    threshold=0.60,
    measure=measure,
    meaning="a list when a list is asked for, a refusal when one is due, on the subject that the labels name",
    formula="mean of subject fit (likeness of character runs to the labelled subject) and share of the right kind of answer; an empty answer is 0",
    no_value_when="neither subject nor kind is labelled",
    judged=True,
    example=Illustration(
        "asked for Java tests, answers with a list of Java tests",
        Facts("Java tests", "Core Java", Payload("q"), form=_YES, topic="core java programming", reference_topic="core java programming sql"),
    ),
    counter_example=Illustration(
        "asked for Java tests, asks which weather is meant",
        Facts("Java tests", "weather?", Payload("q"), form=_NO, topic="weather", reference_topic="core java programming sql"),
    ),
)  # fmt: skip
