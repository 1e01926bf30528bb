"""`python -m eval.bench [--only NAME…] [--json FILE] [--list]`: one table, each number with its command.

Everything measured at once is written to docs/numbers/bench.json, where the documents take it from; a part is
written only where --json says.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import eval.bench.measures  # noqa: F401 - fills the registry
from eval.bench.output import render_table, to_json
from eval.bench.registry import REGISTRY, load_targets, run
from eval.bench.runs import Runs
from eval.bench.server import ROOT

NUMBERS = ROOT / "docs" / "numbers" / "bench.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Fails when something cannot be measured; a missed target is told, not failed on."""
    parser = argparse.ArgumentParser(prog="python -m eval.bench", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="measure these")
    parser.add_argument("--json", type=Path, metavar="FILE", help=f"where to write (all: {NUMBERS.name})")
    parser.add_argument("--list", action="store_true", help="name the measurements and their targets")
    options = parser.parse_args(arguments)
    targets = load_targets()
    try:
        chosen = REGISTRY.select(options.only)
    except ValueError as exc:
        parser.error(str(exc))
    if options.list:
        for each in chosen:
            print(f"{each.name:26}{each.unit:9}{targets.get(each.name, '')!s:8}{each.what}")
        return 0
    results = []
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(Path(folder))
        for each in chosen:
            print(f"measuring {each.name} …", file=sys.stderr, flush=True)
            results.append(run(each, runs, targets))
    print(render_table(results))
    failed = any(result.sample is None for result in results)
    file = options.json or (None if options.only or failed else NUMBERS)
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(to_json(results), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
