"""Finds the targets: each module of this package that holds a `TARGET`."""

from __future__ import annotations

import eval.targets as package
from app.discovery import found_in, nearest
from eval.errors import AdapterError
from eval.targets.base import TargetSpec


def known_targets() -> dict[str, TargetSpec]:
    """All targets by name."""
    return found_in(package, "TARGET", TargetSpec)


def find_target(name: str) -> TargetSpec:
    """The target called `name`.

    Raises:
        AdapterError: naming the known ones, the nearest first.
    """
    known = known_targets()
    if name in known:
        return known[name]
    raise AdapterError(f"no target {name!r}, known are {', '.join(known)}{nearest(name, [*known])}")
