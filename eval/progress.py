"""Shows how far a long step is: a bar with the remaining time in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from typing import Protocol, TextIO, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
LINE_EVERY_S = 10.0


class SizedIterable(Sized, Iterable[T_co], Protocol[T_co]):
    """Something that can be gone through and has a length."""


def track(items: SizedIterable[T], label: str, stream: TextIO = sys.stderr) -> Iterator[T]:
    """Each of `items`, while `stream` shows the progress."""
    if stream.isatty():
        yield from _bar(items, label, stream)
    else:
        yield from _lines(items, label, stream)


def _bar(items: SizedIterable[T], label: str, stream: TextIO) -> Iterator[T]:
    columns = (TextColumn("{task.description:<28}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=stream)) as progress:
        task = progress.add_task(label, total=len(items))
        for item in items:
            yield item
            progress.advance(task)


def _lines(items: SizedIterable[T], label: str, stream: TextIO) -> Iterator[T]:
    start = last = time.monotonic()
    for number, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if now - last >= LINE_EVERY_S:
            last = now
            left = (now - start) / number * (len(items) - number)
            print(f"{label}: {number}/{len(items)}, about {left:.0f} s left", file=stream, flush=True)
    took = time.monotonic() - start
    print(f"{label}: {len(items)} done in {took:.1f} s", file=stream, flush=True)
