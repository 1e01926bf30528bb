"""Whether the answer keeps to what was laid down."""

from __future__ import annotations

from eval.evaluators.base import EvaluatorSpec, Illustration, Measured, no_value
from eval.facts import Check, Facts, broken
from eval.records import Payload

_BREACH_CAP = 0.75
"""Most that an answer can have that does the opposite of what was laid down, however much else it keeps."""


def measure(facts: Facts) -> Measured:
    """Kept constraints less contradicted ones, over all that can be told."""
    known = [each for each in facts.constraints if each.held is not None]
    if not known:
        return no_value("nothing was laid down")
    kept = sum(bool(each.held) for each in known)
    against = sum(each.contradicted and not each.held for each in known)
    value = max(0.0, (kept - against) / len(known))
    if against:
        value = min(value, _BREACH_CAP)
    return Measured(
        value, f"{kept} of {len(known)} constraints kept, {against} contradicted", broken(facts.constraints)
    )


EVALUATOR = EvaluatorSpec(
    name="context_adherence",
    weight=0.15,
    threshold=0.80,
    measure=measure,
    meaning="limits of minutes, languages and length are kept, what was dropped stays out, the reply is in the promised language and ends when the user accepts",
    formula="(kept − contradicted) / stated, not below 0, at most .75 with a contradiction",
    no_value_when="nothing was laid down",
    judged=True,
    example=Illustration(
        "“thirty minutes at most”: the list takes 23, OPQ32r was dropped and is gone",
        Facts("q", "a", Payload("q"), constraints=(Check("30 minutes", True), Check("OPQ32r out", True))),
    ),
    counter_example=Illustration(
        "the list takes 23 minutes, but the dropped OPQ32r is back",
        Facts(
            "q", "a", Payload("q"), constraints=(Check("30 minutes", True), Check("OPQ32r out", False, True))
        ),
    ),
)
