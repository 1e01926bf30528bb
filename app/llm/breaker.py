"""Skip a provider that keeps failing, and try it again with one call after a while.

Own code because a stated time decides here: after "come back in twelve minutes" the pause is twelve minutes.
The libraries looked at (purgatory, aiobreaker, pybreaker) know one fixed pause, and let every waiting call
through as soon as it is over.
"""

from __future__ import annotations

from collections.abc import Callable

MAX_PAUSE_S = 3_600.0
"""A stated time is believed up to this."""


class Breaker:
    """State of one provider. Used from one event loop, so nothing is locked."""

    def __init__(self, failures: int, pause_s: float, clock: Callable[[], float]) -> None:
        """Open after `failures` in a row, for `pause_s` seconds of `clock`."""
        self._limit = failures
        self._pause_s = pause_s
        self._clock = clock
        self._failed = 0
        self._open_until: float | None = None
        self._probing = False

    def take(self) -> bool:
        """Whether a call may be made. After a pause only one may, until it has ended."""
        if self._open_until is None:
            return True
        if self._probing or self._clock() < self._open_until:
            return False
        self._probing = True
        return True

    def release(self) -> None:
        """The call ended without saying anything of the provider."""
        self._probing = False

    def succeed(self) -> None:
        """The call was answered."""
        self._failed, self._open_until, self._probing = 0, None, False

    def fail(self, *, at_once: bool = False, pause_s: float | None = None) -> None:
        """The call failed.

        Args:
            at_once: skip the provider from now on, however few failures there were.
            pause_s: for at least this long.
        """
        self._failed += 1
        if at_once or self._probing or self._failed >= self._limit:
            pause = min(max(self._pause_s, pause_s or 0), MAX_PAUSE_S)
            self._open_until = self._clock() + pause
        self._probing = False
