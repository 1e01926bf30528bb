"""Sentence encoders, one per module. A module with an `ENCODER: EncoderSpec` is found by itself."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from app.discovery import found_in, nearest
from app.errors import ConfigError
from app.retrieval.encoders.base import Encoder, EncoderFiles, EncoderSpec

__all__ = ["Encoder", "EncoderFiles", "EncoderSpec", "find_encoder", "known_encoders"]


def known_encoders() -> Mapping[str, EncoderSpec]:
    """All encoders of this package by name, sorted; whether they can be built shows when they are."""
    return found_in(sys.modules[__name__], "ENCODER", EncoderSpec)


def find_encoder(name: str) -> EncoderSpec:
    """The encoder called `name`.

    Raises:
        ConfigError: unknown name; lists the known ones and the nearest.
    """
    known = known_encoders()
    if name in known:
        return known[name]
    raise ConfigError(f"unknown encoder {name!r}, known are {', '.join(known)}{nearest(name, [*known])}")
