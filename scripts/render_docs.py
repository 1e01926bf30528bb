"""Put the measured numbers into the documents, or check that they are there.

A block `<!-- numbers:NAME -->…<!-- /numbers -->` in a Markdown file holds a table of docs/numbers/NAME.json:
an object of names and values, or a list of objects with the same keys.

Run: python scripts/render_docs.py [--check]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NUMBERS = ROOT / "docs" / "numbers"
BLOCK = re.compile(r"(<!-- numbers:([\w-]+) -->\n)(.*?)(<!-- /numbers -->)", re.DOTALL)


def find_documents() -> Iterator[Path]:
    """Every Markdown file of the project, environments and data left out."""
    for path in sorted(ROOT.rglob("*.md")):
        parts = path.relative_to(ROOT).parts
        if not any(part.startswith(".venv") or part in ("node_modules", "data") for part in parts):
            yield path


def render_table(rows: list[dict[str, Any]]) -> str:
    """Rows with the same keys as a Markdown table."""
    keys = list(rows[0])
    lines = [keys, ["---"] * len(keys), *([render_value(row[key]) for key in keys] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def render_value(value: object) -> str:
    """A cell: numbers with thousands separated and no trailing zeros, bars escaped."""
    if isinstance(value, float):
        return f"{value:,.3f}".rstrip("0").rstrip(".")
    return f"{value:,}" if type(value) is int else str(value).replace("|", "\\|")


def render_numbers(name: str) -> str:
    """The table of one numbers file.

    Raises:
        ValueError: there is no such file, or it holds something else.
    """
    path = NUMBERS / f"{name}.json"
    if not path.exists():
        raise ValueError(f"docs/numbers/{name}.json does not exist")
    content = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(content, dict):
        content = [{"what": key, "value": value} for key, value in content.items()]
    if (
        not isinstance(content, list)
        or not content
        or any(row.keys() != content[0].keys() for row in content)
    ):
        raise ValueError(f"docs/numbers/{name}.json holds neither an object nor a list of like objects")
    return render_table(content)


def render_document(text: str) -> str:
    """`text` with every block filled from its file."""
    return BLOCK.sub(lambda block: block[1] + render_numbers(block[2]) + block[4], text)


def main() -> int:
    """Rewrite, or with --check complain."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing, fail on a difference")
    options = parser.parse_args()
    stale: list[str] = []
    for path in find_documents():
        text = path.read_text(encoding="utf-8")
        try:
            rendered = render_document(text)
        except ValueError as exc:
            print(f"{path.relative_to(ROOT)}: {exc}", file=sys.stderr)
            return 1
        if rendered != text:
            stale.append(str(path.relative_to(ROOT)))
            if not options.check:
                path.write_text(rendered, encoding="utf-8")
    if stale:
        print(f"{'stale' if options.check else 'rewritten'}: {', '.join(stale)}")
        return int(options.check)
    return 0


if __name__ == "__main__":
    sys.exit(main())
