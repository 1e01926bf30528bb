"""From the frames of a socket to units: JSON and SSE, whole, in pieces, or several in one frame."""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass, field

from eval.otp_ws.signals import Unit

DONE = "[DONE]"
LIMIT = 4_194_304
"""Characters of an unfinished unit after which it is given up."""
_FIELDS = ("event", "data", "id", "retry")


@dataclass(slots=True)
class Unframer:
    """Puts pieces together and takes apart what came together. Not safe for several threads."""

    faults: list[str] = field(default_factory=list)
    """What could not be read, in words."""
    _held: str = ""
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")(errors="replace")
    )

    def feed(self, frame: str | bytes) -> list[Unit]:
        """The units that are complete with `frame`. Bytes may end in the middle of a character."""
        text = frame if isinstance(frame, str) else self._decoder.decode(frame)
        units, rest = _split(self._held + text)
        if self._held and not units and _stands_alone(text):
            self._give_up()
            units, rest = _split(text)
        self._held = rest
        if len(rest) > LIMIT:
            self._give_up()
        return units

    def end(self) -> None:
        """Nothing follows: what is still held was never finished."""
        if self._held.strip():
            self._give_up()

    def _give_up(self) -> None:
        self.faults.append(f"an unreadable frame: {self._held.strip()[:80]!r}")
        self._held = ""


def _split(text: str) -> tuple[list[Unit], str]:
    """Complete units of `text`, and what is left."""
    start = text.lstrip()
    if start.startswith("{"):
        return _json_units(start)
    if start.strip() == DONE:
        return [Unit(DONE)], ""
    return _sse_units(text)


def _json_units(text: str) -> tuple[list[Unit], str]:
    units: list[Unit] = []
    decoder = json.JSONDecoder()
    while text.startswith("{"):
        try:
            value, end = decoder.raw_decode(text)
        except ValueError:
            break
        units.append(Unit(value))
        text = text[end:].lstrip()
    if units and text.strip() == DONE:
        return [*units, Unit(DONE)], ""
    return units, text


def _sse_units(text: str) -> tuple[list[Unit], str]:
    *blocks, rest = text.replace("\r\n", "\n").split("\n\n")
    units: list[Unit] = []
    for block in blocks:
        units += _sse_unit(block) or ([Unit(block)] if block.strip() else [])
    if rest.strip() and (last := _sse_unit(rest)) is not None and _is_whole(last):
        return units + last, ""
    return units, rest if rest.strip() else ""


def _sse_unit(block: str) -> list[Unit] | None:
    """The unit of one block; none of a comment; None when the block is not SSE."""
    event, data, commented = "", [], False
    for line in block.splitlines():
        name, colon, value = line.partition(":")
        if colon and not name:
            commented = True
        elif colon and name in _FIELDS:
            value = value.removeprefix(" ")
            if name == "event":
                event = "" if value == "message" else value  # what SSE calls an event without a name
            data += [value] if name == "data" else []
        elif line.strip():
            return None
    if not data:
        return [Unit(None, event or "comment")] if commented or event else None
    joined = "\n".join(data)
    try:
        return [Unit(json.loads(joined), event)]
    except ValueError:
        return [Unit(joined, event)]


def _is_whole(units: list[Unit]) -> bool:
    """Whether a block without the blank line that ends it needs nothing more."""
    return all(u.data == DONE or u.event == "comment" or not isinstance(u.data, str | None) for u in units)


def _stands_alone(text: str) -> bool:
    """Whether this is a message of its own, so that what was held before it will never be finished."""
    units, _ = _json_units(text.lstrip())
    return any(name in unit.data for unit in units for name in ("type", "choices", "error"))
