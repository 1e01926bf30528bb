"""Says the recorded turns in order, whatever comes back."""

from __future__ import annotations

from eval.records import Case, Payload
from eval.users.base import Utterance


class ScriptedUser:
    """The recording."""

    def __init__(self, case: Case) -> None:
        self._turns = case.turns
        self._next = 0

    def say(self, reply: Payload | None) -> Utterance | None:
        """The next recorded turn."""
        if self._next >= len(self._turns):
            return None
        index, self._next = self._next, self._next + 1
        return Utterance(self._turns[index].user, index)

    @property
    def unsaid(self) -> int:
        """Recorded turns not said yet."""
        return len(self._turns) - self._next
