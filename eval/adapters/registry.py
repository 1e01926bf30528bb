"""Finds the channels: each module of this package that holds an `ADAPTER`."""

from __future__ import annotations

import eval.adapters as package
from app.discovery import found_in, nearest
from eval.adapters.base import AdapterSpec
from eval.errors import AdapterError


def known_adapters() -> dict[str, AdapterSpec]:
    """All channels by name."""
    return found_in(package, "ADAPTER", AdapterSpec)


def find_adapter(name: str) -> AdapterSpec:
    """The channel called `name`.

    Raises:
        AdapterError: naming the known ones, the nearest first.
    """
    known = known_adapters()
    if name in known:
        return known[name]
    raise AdapterError(f"no channel {name!r}, known are {', '.join(known)}{nearest(name, [*known])}")
