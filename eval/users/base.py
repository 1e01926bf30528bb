"""Who plays the recruiter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from eval.records import Case, Payload


@dataclass(frozen=True, slots=True)
class Utterance:
    """What the user says next."""

    text: str
    script_index: int | None = None
    """Which recorded turn this is; None for words made up on the way."""
    fault: str | None = None
    """Why this user is not to be trusted here: it said what it was not given."""


class User(Protocol):
    """One recruiter in one conversation; keeps track of where it is."""

    def say(self, reply: Payload | None) -> Utterance | None:
        """The next message after `reply` (None at the start); None when there is nothing left to say."""
        ...

    @property
    def unsaid(self) -> int:
        """Recorded turns not said yet."""
        ...


UserFactory = Callable[[Case], User]
