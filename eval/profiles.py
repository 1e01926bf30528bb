"""Which dimensions a run measures, and what each weighs. Checked before anything is asked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from eval.errors import EvaluatorError
from eval.evaluators.base import EvaluatorSpec
from eval.evaluators.registry import find_evaluator, known_evaluators

PROFILES = Path(__file__).with_name("profiles.yaml")
STANDARD, COMPACT = "standard", "compact"
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Dimension:
    """One evaluator with its part in the overall."""

    spec: EvaluatorSpec
    weight: float


@dataclass(frozen=True, slots=True)
class Profile:
    """The dimensions of a run.

    Raises:
        EvaluatorError: a weight that is negative or no number, or weights that do not sum to 1.
    """

    name: str
    dimensions: tuple[Dimension, ...]

    def __post_init__(self) -> None:
        check_weights({each.spec.name: each.weight for each in self.dimensions})

    @property
    def weights(self) -> Mapping[str, float]:
        """Weight by dimension."""
        return {each.spec.name: each.weight for each in self.dimensions}


def check_weights(weights: Mapping[str, float]) -> None:
    """Complain about weights that cannot be used.

    Raises:
        EvaluatorError: naming the dimension, or the sum.
    """
    for name, weight in weights.items():
        if not math.isfinite(weight) or weight < 0:
            raise EvaluatorError(f"the weight of {name} is {weight}, it has to be 0 or more")
    total = math.fsum(weights.values())
    if abs(total - 1) > _TOLERANCE:
        raise EvaluatorError(f"the weights sum to {total:g}, they have to sum to 1: {dict(weights)}")


def load_profile(name: str = STANDARD, enable: Sequence[str] = (), path: Path = PROFILES) -> Profile:
    """The profile called `name`; `enable` adds opt-in dimensions, which weigh nothing.

    Raises:
        EvaluatorError: an unknown profile or dimension, or weights that cannot be used.
    """
    rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    if name not in rows:
        raise EvaluatorError(f"no profile {name!r}, known are {', '.join(rows)}")
    row = rows[name]
    given: Mapping[str, float] | None = row["dimensions"]
    if given is None:
        every = known_evaluators().values()
        chosen = [Dimension(spec, spec.weight) for spec in every if spec.weight > 0 or row["opt_in"]]
    else:
        chosen = [Dimension(find_evaluator(each), float(weight)) for each, weight in given.items()]
    present = {each.spec.name for each in chosen}
    chosen += [Dimension(find_evaluator(each), 0.0) for each in dict.fromkeys(enable) if each not in present]
    return Profile(name, tuple(sorted(chosen, key=lambda each: (-each.spec.weight, each.spec.name))))
