"""Shapes of frames: one module each, found by its `SHAPE`."""

from __future__ import annotations

import sys

from app.discovery import found_in
from eval.otp_ws.signals import ShapeSpec, Signal, Unit


def known_shapes() -> dict[str, ShapeSpec]:
    """All shapes by name."""
    return found_in(sys.modules[__name__], "SHAPE", ShapeSpec)


def read(unit: Unit, shapes: dict[str, ShapeSpec]) -> tuple[Signal, ...] | None:
    """What `unit` says in the one shape that it has; None when it has none of `shapes`."""
    return next((found for shape in shapes.values() if (found := shape.read(unit)) is not None), None)
