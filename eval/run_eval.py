"""`python -m eval.run_eval --mode api|ui|all`: the same as `python -m eval run --channel …`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from eval.cli import app


def arguments(given: Sequence[str]) -> list[str]:
    """The words of the command line as `python -m eval` takes them."""
    return [
        "run",
        *("--channel" if word == "--mode" else word.replace("--mode=", "--channel=") for word in given),
    ]


def main() -> None:
    """Entry point."""
    app(arguments(sys.argv[1:]))


if __name__ == "__main__":
    main()
