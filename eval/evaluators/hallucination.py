"""Whether what the answer claims is borne out. Stored so that higher is better."""

from __future__ import annotations

from eval.evaluators.base import EvaluatorSpec, Illustration, Measured, no_value
from eval.facts import Check, Facts, broken, share
from eval.records import Payload

ONE_FALSE_CAP = 0.75
"""Most that an answer with a false claim can have. The plain share lets one false time among a dozen true claims pass at .92, below the .15 that a reader has to notice (docs/evaluation.md, mutation score)."""


def measure(facts: Facts) -> Measured:
    """Share of the claims that the sources bear out, at most .75 when one does not."""
    supported = share(facts.claims)
    if supported is None:
        return no_value("nothing is claimed that could be checked")
    false = broken(facts.claims)
    value = min(supported, ONE_FALSE_CAP) if false else supported
    known = sum(claim.held is not None for claim in facts.claims)
    return Measured(
        value, f"{known - len(false)} of {known} claims supported, raw rate {1 - supported:.3f}", false
    )


def _claims(*held: bool) -> tuple[Check, ...]:
    return tuple(Check(f"claim {number}", each) for number, each in enumerate(held, 1))


EVALUATOR = EvaluatorSpec(
    name="hallucination",
    weight=0.15,
    threshold=0.95,
    measure=measure,
    meaning="names, addresses, type letters, times, totals and other numbers of the reply are those of the catalogue or of the user",
    formula="supported claims / claims, at most .75 with a false one",
    no_value_when="the reply claims nothing (a bare question)",
    judged=True,
    example=Illustration(
        "“MS Excel (New) (K; 6 minutes)”, and the catalogue says 6 minutes",
        Facts("q", "a", Payload("q"), claims=_claims(True, True, True)),
    ),
    counter_example=Illustration(
        "“MS Excel Master (K; 6 minutes)”, which is no product, beside a time that is another's",
        Facts("q", "a", Payload("q"), claims=_claims(True, False, False)),
    ),
)
