"""Finds the channels: each module of this package that holds an `ADAPTER`."""

from __future__ import annotations

import importlib
import pkgutil
from difflib import get_close_matches

import eval.adapters as package
from eval.adapters.base import AdapterSpec
from eval.errors import AdapterError


def known_adapters() -> dict[str, AdapterSpec]:
    """All channels by name."""
    modules = (
        importlib.import_module(f"{package.__name__}.{m.name}")
        for m in pkgutil.iter_modules(package.__path__)
    )
    specs = [spec for module in modules if isinstance(spec := getattr(module, "ADAPTER", None), AdapterSpec)]
    return {spec.name: spec for spec in sorted(specs, key=lambda spec: spec.name)}


def find_adapter(name: str) -> AdapterSpec:
    """The channel called `name`.

    Raises:
        AdapterError: naming the known ones, the nearest first.
    """
    known = known_adapters()
    if name in known:
        return known[name]
    near = get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise AdapterError(f"no channel {name!r}, known are {', '.join(known)}{hint}")
