"""Finds the rules: each module of `eval.sql.rules` that holds a `RULE`."""

from __future__ import annotations

from functools import cache

from app.discovery import found_in
from eval.sql import rules
from eval.sql.subject import RuleSpec


@cache
def known_rules() -> dict[str, RuleSpec]:
    """All rules by name."""
    return found_in(rules, "RULE", RuleSpec)
