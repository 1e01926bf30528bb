"""What the commands print."""

from __future__ import annotations

import os
import sys


def show(text: str) -> None:
    """Print `text`; ends quietly where the reader has gone, as `| head` does."""
    try:
        print(text, flush=True)  # noqa: T201
    except BrokenPipeError:
        # The interpreter flushes once more when it ends, and would complain there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
