"""What a stream can say, whatever shape its frames have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that a stream carried: decoded JSON or bare words, with the event name where SSE gave one."""

    data: Any
    event: str = ""


class Kind(StrEnum):
    """What a signal means for the answer."""

    START = "start"
    PIECE = "piece"
    """`text` follows what came before."""
    WHOLE = "whole"
    """`text` is the whole answer."""
    END = "end"
    """Nothing follows; `text` says why when the answer was cut short."""
    LIFE = "life"
    """Nothing but a sign of life, or figures about the answer."""
    ERROR = "error"
    """`text` says what went wrong."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One unit, understood. Ids and token counts are None where the unit has none."""

    kind: Kind
    text: str = ""
    message_id: str | None = None
    thread_id: str | None = None
    trace_id: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ShapeSpec:
    """A way in which frames are written, as the registry knows it."""

    name: str
    summary: str
    read: Callable[[Unit], tuple[Signal, ...] | None]
    """What the unit says; None when it is not of this shape. No unit is of two shapes."""
    samples: tuple[Unit, ...]
    """One unit of each sort, which the contract test holds against every other shape."""


def words(value: object) -> str:
    """`value` if it is a string, else nothing."""
    return value if isinstance(value, str) else ""


def maybe(value: object) -> str | None:
    """`value` if it is a string with something in it."""
    return value if isinstance(value, str) and value else None


def count(value: object) -> int | None:
    """`value` if it is a whole number that can count something."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def part(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object under `key`; an empty one when there is none."""
    found = value.get(key)
    return found if isinstance(found, Mapping) else {}


def complaint(error: object) -> str:
    """What an error field says: its words, or its message, or itself."""
    if isinstance(error, Mapping):
        return words(error.get("message")) or str(dict(error))
    return words(error) or str(error)
