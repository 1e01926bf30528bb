"""What a target has to tell the evaluators, and how it registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from eval.facts import Facts
from eval.golden import GoldenCase
from eval.records import Payload


class Target(Protocol):
    """Knows what is true of one assistant's subject. Holds no state that a case could change."""

    def facts(self, case: GoldenCase, payloads: Sequence[Payload]) -> Facts:
        """What the evaluators need to know of the answers to `case`, the judged one last.

        Raises:
            DatasetError: the case asks for something that this target does not know.
        """
        ...

    def lint(self, case: GoldenCase) -> Sequence[str]:
        """What is wrong with the labels of `case`, in words."""
        ...


@dataclass(frozen=True, slots=True)
class TargetSpec:
    """A target as the registry knows it."""

    name: str
    summary: str
    load: Callable[[], Target]
    """Raises AdapterError when what is true cannot be loaded."""
    golden: str
    """Name of its golden set under data/."""
    build_golden: Callable[[], str] | None = None
    """Text of that file from its sources; None when the file is its own source."""
