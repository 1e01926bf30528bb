"""Finds the evaluators: each module of this package that holds an `EVALUATOR`."""

from __future__ import annotations

from functools import cache

import eval.evaluators as package
from app.discovery import found_in, nearest
from eval.errors import EvaluatorError
from eval.evaluators.base import EvaluatorSpec


@cache
def known_evaluators() -> dict[str, EvaluatorSpec]:
    """All evaluators by name."""
    return found_in(package, "EVALUATOR", EvaluatorSpec)


def find_evaluator(name: str) -> EvaluatorSpec:
    """The evaluator called `name`.

    Raises:
        EvaluatorError: naming the known ones, the nearest first.
    """
    known = known_evaluators()
    if name in known:
        return known[name]
    raise EvaluatorError(f"no dimension {name!r}, known are {', '.join(known)}{nearest(name, [*known])}")
