"""Nearness of the whole text to the expected one."""

from __future__ import annotations

from eval.evaluators.base import EvaluatorSpec, Illustration, Measured, no_value
from eval.facts import Facts
from eval.records import Payload
from eval.text import likeness, numbers

UNRELATED = 0.36
"""Mean likeness of an answer to another case's expected answer on the golden set: that much is only form."""


def measure(facts: Facts) -> Measured:
    """Likeness above that of unrelated texts, times the share of the expected numbers that are there."""
    if not facts.expected_answer:
        return no_value("there is no expected answer")
    alike = likeness(facts.answer, facts.expected_answer)
    above = max(0.0, (alike - UNRELATED) / (1 - UNRELATED))
    wanted, said = numbers(facts.expected_answer), numbers(facts.answer)
    agree = sum(number in said for number in wanted) / len(wanted) if wanted else 1.0
    return Measured(above * agree, f"likeness {alike:.2f}, {agree:.0%} of the expected numbers")


_EXPECTED = "1. MS Excel (New) (K; 6 minutes)\n2. Accounts Payable (New) (K; 9 minutes)"

EVALUATOR = EvaluatorSpec(
    name="semantic_accuracy",
    weight=0.0,
    measure=measure,
    meaning="the reply as a whole reads like the expected answer and holds its numbers; never a gate, because a swapped digit hardly moves it",
    formula="max(0, (likeness − unrelated) / (1 − unrelated)) × share of the expected numbers",
    no_value_when="there is no expected answer",
    example=Illustration("word for word", Facts("q", _EXPECTED, Payload("q"), expected_answer=_EXPECTED)),
    counter_example=Illustration(
        "about something else", Facts("q", "It will rain in Oslo.", Payload("q"), expected_answer=_EXPECTED)
    ),
)
