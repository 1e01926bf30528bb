"""What to do with what was understood: named rules, the first that applies wins."""

from __future__ import annotations

from app.catalog import Catalog
from app.knowledge import Knowledge
from app.policy.rules import RULES
from app.records import Decision, Understanding

__all__ = ["RULES", "PolicyEngine"]


class PolicyEngine:
    """Runs the rules. Stateless."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge) -> None:
        self._catalog = catalog
        self._knowledge = knowledge

    def decide(self, understanding: Understanding) -> Decision:
        """The decision of the first rule that applies."""
        decisions = (rule(understanding, self._catalog, self._knowledge) for rule in RULES)
        return next(decision for decision in decisions if decision is not None)
