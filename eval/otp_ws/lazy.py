"""Values that the first who needs them makes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Lazy(Generic[Value]):
    """Made once, however many threads ask at the same time: checked, locked, checked again.

    A failed attempt leaves nothing behind, so the next one who asks tries again.
    """

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make
        self._value: Value | None = None
        self._lock = threading.Lock()

    def get(self) -> Value:
        """The value."""
        value = self._value
        if value is None:
            with self._lock:
                value = self._value
                if value is None:
                    value = self._value = self._make()
        return value

    def renew(self, stale: Value) -> Value:
        """The value after `stale`; of all who noticed that it is stale the first makes the new one."""
        with self._lock:
            if self._value is None or self._value == stale:
                self._value = None
                self._value = self._make()
            return self._value
