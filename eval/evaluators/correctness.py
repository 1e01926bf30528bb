"""Whether the answer says what a stable reference says, claim by claim."""

from __future__ import annotations

from eval.evaluators.base import EvaluatorSpec, Illustration, Measured, no_value
from eval.facts import Facts
from eval.records import Payload
from eval.text import containment, list_lines, numbers, sentences

_ALIKE = 0.6


def measure(facts: Facts) -> Measured:
    """F1 over the claims of the two texts: list lines where the reference is a list, else sentences."""
    if not facts.expected_answer:
        return no_value("there is no expected answer")
    if facts.stale:
        return no_value("the expected answer is marked as possibly out of date")
    lines = list_lines(facts.expected_answer)
    wanted = lines or sentences(facts.expected_answer)
    said = list_lines(facts.answer) if lines else sentences(facts.answer)
    met = [claim for claim in wanted if any(_says(each, claim) for each in said)]
    beside = sum(not any(_says(each, claim) for claim in wanted) for each in said) if lines else 0
    missed = len(wanted) - len(met)
    value = len(met) / (len(met) + 0.5 * (beside + missed)) if met else 0.0
    reason = f"{len(met)} of {len(wanted)} expected claims made, {beside} others"
    return Measured(value, reason, tuple(claim for claim in wanted if claim not in met))


def _says(text: str, claim: str) -> bool:
    """Whether `text` makes `claim`: its numbers without the list number, and most of its words."""
    wanted, there = numbers(_bare(claim)), numbers(_bare(text))
    return containment(_bare(claim), _bare(text)) >= _ALIKE and all(n in there for n in wanted)


def _bare(line: str) -> str:
    return line.lstrip("0123456789.)-*•| ")


_EXPECTED = "1. MS Excel (New) (K; 6 minutes)\n2. Accounts Payable (New) (K; 9 minutes)"

EVALUATOR = EvaluatorSpec(
    name="correctness",
    weight=0.0,
    threshold=0.60,
    measure=measure,
    meaning="the lines of the reply, as text, are those of the expected answer, with the same numbers",
    formula="TP / (TP + ½(FP + FN)) over lines; a line is met with 60 % of its words and all its numbers",
    no_value_when="there is no expected answer, or it may be out of date",
    judged=True,
    example=Illustration("both expected lines are there", Facts("q", _EXPECTED, Payload("q"), expected_answer=_EXPECTED)),
    counter_example=Illustration(
        "one line has another time, the other is missing",
        Facts("q", "1. MS Excel (New) (K; 60 minutes)", Payload("q"), expected_answer=_EXPECTED),
    ),
)  # fmt: skip
