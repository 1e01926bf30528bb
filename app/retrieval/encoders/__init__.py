"""Sentence encoders, one per module. A module with an `ENCODER: EncoderSpec` is found by itself."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Mapping

from app.errors import ConfigError
from app.retrieval.encoders.base import Encoder, EncoderFiles, EncoderSpec

__all__ = ["Encoder", "EncoderFiles", "EncoderSpec", "find_encoder", "known_encoders"]


def known_encoders() -> Mapping[str, EncoderSpec]:
    """All encoders of this package by name, sorted; whether they can be built shows when they are."""
    modules = (
        importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    )
    specs = [module.ENCODER for module in modules if hasattr(module, "ENCODER")]
    return {spec.name: spec for spec in sorted(specs, key=lambda spec: spec.name)}


def find_encoder(name: str) -> EncoderSpec:
    """The encoder called `name`.

    Raises:
        ConfigError: unknown name; lists the known ones and the nearest.
    """
    known = known_encoders()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f", nearest is {near[0]!r}" if near else ""
    raise ConfigError(f"unknown encoder {name!r}{hint}; known: {', '.join(known)}")
