"""Whether every part that was asked for is there."""

from __future__ import annotations

from eval.evaluators.base import EvaluatorSpec, Illustration, Measured, no_value
from eval.facts import Check, Facts, broken, share
from eval.records import Payload


def measure(facts: Facts) -> Measured:
    """Covered parts over parts asked for."""
    covered = share(facts.facets)
    if covered is None:
        return no_value("no part can be told from the case")
    missing = broken(facts.facets)
    known = sum(facet.held is not None for facet in facts.facets)
    return Measured(covered, f"{known - len(missing)} of {known} parts covered", missing)


EVALUATOR = EvaluatorSpec(
    name="completeness",
    weight=0.10,
    threshold=0.70,
    measure=measure,
    meaning="each required assessment is in the list or another edition or level of it is; each point that the reply has to make is made",
    formula="covered parts / parts asked for",
    no_value_when="no part can be told from the case",
    judged=True,
    example=Illustration(
        "Excel, payables and a personality questionnaire asked for, all three are there",
        Facts("q", "a", Payload("q"), facets=(Check("excel", True), Check("payables", True), Check("opq", True))),
    ),
    counter_example=Illustration(
        "only the Excel test is there",
        Facts("q", "a", Payload("q"), facets=(Check("excel", True), Check("payables", False), Check("opq", False))),
    ),
)  # fmt: skip
