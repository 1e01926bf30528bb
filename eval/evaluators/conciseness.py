"""Whether the answer says it once and briefly."""

from __future__ import annotations

from eval.evaluators.base import EvaluatorSpec, Illustration, Measured, no_value
from eval.facts import Facts
from eval.records import Payload
from eval.text import fold, sentences, words


def measure(facts: Facts) -> Measured:
    """Within the length that a fitting answer takes, times the share of sentences that are not said twice."""
    most = facts.prose_words_most
    length = len(words(facts.prose))
    if most is None or not words(facts.answer):
        return no_value("no fitting length is known" if most is None else "the answer is empty")
    over = min(1.0, max(0.0, (length - most) / most))
    said = [fold(sentence) for sentence in sentences(facts.answer)]
    distinct = len(set(said)) / len(said)
    return Measured(
        (1 - over) * distinct, f"{length} words of prose, {most} are enough; {distinct:.0%} said once"
    )


_LINE = "Accounts Payable and Excel fit the time you have."

EVALUATOR = EvaluatorSpec(
    name="conciseness",
    weight=0.0,
    threshold=0.50,
    measure=measure,
    meaning="prose around the list stays within what such a reply takes, and nothing stands there twice",
    formula="(1 − clip((words − most) / most)) × share of distinct sentences; lists are not counted as words",
    no_value_when="no fitting length is known, or the reply is empty",
    judged=True,
    example=Illustration(
        "a lead sentence, the list, the total time",
        Facts("q", _LINE, Payload("q"), prose=_LINE, prose_words_most=40),
    ),
    counter_example=Illustration(
        "the same sentence three times",
        Facts("q", "\n".join([_LINE] * 3), Payload("q"), prose="\n".join([_LINE] * 3), prose_words_most=40),
    ),
)
