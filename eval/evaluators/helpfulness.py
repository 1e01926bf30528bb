"""Whether the user can act on the answer."""

from __future__ import annotations

from eval.evaluators import relevance
from eval.evaluators.base import EvaluatorSpec, Illustration, Measured, no_value
from eval.facts import Check, Facts, broken, share
from eval.records import Payload

_BESIDE_THE_POINT = 0.5


def measure(facts: Facts) -> Measured:
    """Share of what makes an answer usable; at most .5 where it is beside the point."""
    usable = share(facts.usefulness)
    if usable is None:
        return no_value("nothing is known of what would help")
    fits = relevance.measure(facts).value
    capped = fits is not None and fits < _BESIDE_THE_POINT
    value = min(usable, _BESIDE_THE_POINT) if capped else usable
    reason = "beside the point, so at most .5" if capped else "share of what makes it usable"
    return Measured(value, reason, broken(facts.usefulness))


EVALUATOR = EvaluatorSpec(
    name="helpfulness",
    weight=0.0,
    threshold=0.50,
    measure=measure,
    meaning="each line has a reason and a time, the text is whole, and an answer without a list says what to do next",
    formula="share of these, at most .5 when relevance is below .5",
    no_value_when="nothing is known of what would help",
    judged=True,
    example=Illustration(
        "each line says why it is there and how long it takes",
        Facts("q", "a", Payload("q"), usefulness=(Check("reasons", True), Check("times", True))),
    ),
    counter_example=Illustration(
        "bare names, and the last sentence breaks off",
        Facts("q", "a", Payload("q"), usefulness=(Check("reasons", False), Check("times", True), Check("whole", False))),
    ),
)  # fmt: skip
