"""Finds what registers itself: each module of a package that holds a specification under an agreed name."""

from __future__ import annotations

import importlib
import pkgutil
from difflib import get_close_matches
from types import ModuleType
from typing import Protocol, TypeVar


class Named(Protocol):
    """A specification: what is known of a part before it is built."""

    @property
    def name(self) -> str:
        """What it is chosen by."""
        ...


Spec = TypeVar("Spec", bound=Named)


def found_in(package: ModuleType, attribute: str, kind: type[Spec]) -> dict[str, Spec]:
    """All specifications of `package` by name, sorted; its modules are imported, what they describe is not built."""
    modules = (
        importlib.import_module(f"{package.__name__}.{module.name}")
        for module in pkgutil.iter_modules(package.__path__)
    )
    specs = [spec for module in modules if isinstance(spec := getattr(module, attribute, None), kind)]
    return {spec.name: spec for spec in sorted(specs, key=lambda spec: spec.name)}


def nearest(name: str, known: list[str]) -> str:
    """A hint at the known name that was probably meant; empty when none comes near."""
    near = get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""
