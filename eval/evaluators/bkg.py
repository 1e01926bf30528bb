"""Whether relations between products are used rightly (the business knowledge graph)."""

from __future__ import annotations

from eval.evaluators.base import EvaluatorSpec, Illustration, Measured, no_value
from eval.facts import Check, Facts, broken, share
from eval.records import Payload

_ONE_WRONG_CAP = 0.75


def measure(facts: Facts) -> Measured:
    """Share of the relations in play that are used rightly, at most .75 with a wrong one."""
    right = share(facts.relations)
    if right is None:
        return no_value("no relation is in play")
    wrong = broken(facts.relations)
    return Measured(
        min(right, _ONE_WRONG_CAP) if wrong else right, f"{len(facts.relations)} relations in play", wrong
    )


EVALUATOR = EvaluatorSpec(
    name="bkg",
    weight=0.0,
    threshold=0.80,
    exact=True,
    measure=measure,
    meaning="a report stands beside an instrument it is drawn from, no two editions of one test, no retired edition, nothing twice",
    formula="relations used rightly / relations in play, at most .75 with a wrong one",
    no_value_when="nothing is listed",
    example=Illustration(
        "OPQ Leadership Report beside the OPQ32r it is drawn from",
        Facts("q", "a", Payload("q"), relations=(Check("report with its instrument", True),)),
    ),
    counter_example=Illustration(
        "the report alone, and two editions of one Java test",
        Facts("q", "a", Payload("q"), relations=(Check("report", False), Check("one edition", False), Check("java", True))),
    ),
)  # fmt: skip
