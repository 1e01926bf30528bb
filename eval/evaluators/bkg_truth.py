"""Whether figures equal the figures computed again (the oracle)."""

from __future__ import annotations

from eval.evaluators.base import EvaluatorSpec, Illustration, Measured, no_value
from eval.facts import Facts, Figure
from eval.records import Payload


def measure(facts: Facts) -> Measured:
    """Share of the stated figures that agree with the sources within their tolerance."""
    known = [figure for figure in facts.figures if figure.true is not None]
    if not known:
        return no_value("no figure is stated that the sources know")
    wrong = tuple(f"{f.key}: said {f.said:g}, is {f.true:g}" for f in known if not f.right)
    return Measured(
        1 - len(wrong) / len(known), f"{len(known) - len(wrong)} of {len(known)} figures agree", wrong
    )


EVALUATOR = EvaluatorSpec(
    name="bkg_truth",
    weight=0.0,
    threshold=0.95,
    exact=True,
    measure=measure,
    meaning="minutes of each product, the total and the number of assessments equal those computed from the catalogue",
    formula="figures that agree / figures stated, by product and unit",
    no_value_when="no figure is stated that the catalogue knows",
    example=Illustration(
        "“in total: 15 minutes” for tests of 6 and 9",
        Facts("q", "a", Payload("q"), figures=(Figure("total", 15, 15), Figure("excel", 6, 6))),
    ),
    counter_example=Illustration(
        "“in total: 51 minutes” for the same two, one of them given as 60",
        Facts("q", "a", Payload("q"), figures=(Figure("total", 51, 15), Figure("excel", 60, 6), Figure("count", 2, 2))),
    ),
)  # fmt: skip
