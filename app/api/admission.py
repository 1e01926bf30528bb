"""Back-pressure: a bounded number of turns, computed or waiting, in one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from app.errors import BusyError
from app.observability import Metrics


class Admission:
    """Lets `most` callers in at a time and turns the next one away at once.

    Counted is what has been read and understood as a request, not open connections, so that callers who
    send slowly take no place. Used from one event loop: nothing is locked.
    """

    def __init__(self, most: int, metrics: Metrics) -> None:
        self.inside = 0
        self._most = most
        self._metrics = metrics

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Hold a place for the length of the block.

        Raises:
            BusyError: every place is taken.
        """
        if self.inside >= self._most:
            self._metrics.count("refused_total", why="busy")
            raise BusyError("Too many requests are being worked on. Please send this one again in a moment.")
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1
