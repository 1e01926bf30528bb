"""Whether what is put forward is right for the question."""

from __future__ import annotations

from eval.evaluators.base import EvaluatorSpec, Illustration, Measured, no_value
from eval.facts import Facts, Reference, broken, share
from eval.metrics import f1, precision_at, recall_at
from eval.records import Payload

LIST_LIMIT = 10
_FORBIDDEN_CAP = 0.5
"""Most that a list with something labelled wrong can have: a wrong test is worse than a missing one."""


def measure(facts: Facts) -> Measured:
    """F1 of the list against the labels; without a list that is asked for, the share of the form that is right."""
    reference = facts.reference
    if reference is None or not reference.must:
        asked_for = (*facts.form, *facts.facets)
        right = share(asked_for)
        if right is None:
            return no_value("nothing is known of the right answer")
        return Measured(right, "kind of answer and points asked for", broken(asked_for))
    shown = facts.shown[:LIST_LIMIT]
    recall = recall_at(shown, reference.must)
    known_share = precision_at(shown, reference.must, reference.may)
    value = f1(recall, known_share) if reference.exhaustive else recall
    missed = [f"missing: {key}" for key in reference.must if key not in shown]
    known = {*reference.must, *reference.may}
    surplus = [f"unasked: {key}" for key in shown if reference.exhaustive and key not in known]
    wrong = [key for key in shown if key in reference.must_not]
    capped = min(value or 0.0, _FORBIDDEN_CAP) if wrong else value or 0.0
    found = len(reference.must) - len(missed)
    reason = f"{found} of {len(reference.must)} required, {len(surplus)} unasked, {len(wrong)} labelled wrong"
    return Measured(capped, reason, (*missed, *surplus))


_LABELS = Reference(must=("excel", "payables"), may=("data-entry",), must_not=("receivables",))

EVALUATOR = EvaluatorSpec(
    name="accuracy",
    weight=0.25,
    threshold=0.70,
    measure=measure,
    meaning="the list holds what the labels require and little else",
    formula="F1 of the list against must (may neither earns nor costs), at most .5 with a labelled mistake; where no list is labelled, share of the right kind of answer and of the points it has to make",
    no_value_when="the case has no labels",
    judged=True,
    example=Illustration(
        "payables clerk: Accounts Payable and MS Excel are listed",
        Facts("q", "a", Payload("q"), shown=("excel", "payables"), reference=_LABELS),
    ),
    counter_example=Illustration(
        "the same clerk gets Accounts Receivable and MS Excel",
        Facts("q", "a", Payload("q"), shown=("excel", "receivables"), reference=_LABELS),
    ),
)
