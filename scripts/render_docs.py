"""Put the measured numbers into the documents, or check that they are there.

Between `<!-- numbers:FILE.NAME -->` and `<!-- /numbers -->` stands what docs/numbers/FILE.json says:
`bench.table`, or `bench` alone, is all of it as a table, `bench.health_start_s` one value with its unit. A file holds a list of
like objects, such a list under "results", or one object of names and values. A row is known by its "name", or
by its "what" with everything but letters and digits as underscores. Between `<!-- code:NAME -->` and
`<!-- /code -->` stands a table of scripts/code_tables.py, from what registers itself in the code.

Run: python scripts/render_docs.py [--check]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- numbers:([\w.-]+) -->)(.*?)(<!-- /numbers -->)", re.DOTALL)
OPENING = "<!-- numbers:"
CODE_BLOCK = re.compile(r"(<!-- code:([\w-]+) -->)(.*?)(<!-- /code -->)", re.DOTALL)
CODE_OPENING = "<!-- code:"
WORDS = {None: "", True: "yes", False: "no"}
HIDDEN = {"command", "name", "note"}
"""Keys that stay out of tables with a "what": the first says how to repeat it, which the documents say once."""

Row = Mapping[str, Any]


def find_documents(root: Path) -> Iterator[Path]:
    """The documents that may hold numbers."""
    named = (root / name for name in ("README.md", "APPROACH.md"))
    yield from (path for path in named if path.exists())
    yield from sorted((root / "docs").rglob("*.md"))


def load_rows(folder: Path, name: str) -> list[Row]:
    """The rows of one numbers file.

    Raises:
        ValueError: there is no such file, or it holds something else.
    """
    path = folder / f"{name}.json"
    if not path.exists():
        raise ValueError(f"docs/numbers/{name}.json does not exist")
    content = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(content, dict):
        rows = content.get("results") or [{"what": key, "value": value} for key, value in content.items()]
    else:
        rows = content
    if (
        not isinstance(rows, list)
        or not rows
        or any(not isinstance(row, dict) or row.keys() != rows[0].keys() for row in rows)
    ):
        raise ValueError(f"docs/numbers/{name}.json holds neither an object nor a list of like objects")
    return rows


def render_table(rows: list[Row]) -> str:
    """Rows with the same keys as a Markdown table; a spread of two numbers takes one column."""
    keys = [key for key in rows[0] if not ("what" in rows[0] and key in HIDDEN)]
    spread = {"low", "high", "spread"} <= set(keys)
    keys = [key for key in keys if not (spread and key in ("low", "high"))]
    lines = [keys, ["---"] * len(keys), *([_cell(row, key) for key in keys] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(row: Row, key: str) -> str:
    if key == "spread" and {"low", "high"} <= row.keys():
        if row["low"] is None or row["high"] is None:
            return ""
        return f"{render_value(row['low'])} to {render_value(row['high'])} ({row['spread']})"
    return render_value(row[key]).replace("|", "\\|").replace("\n", " ")


def render_value(value: object) -> str:
    """Thousands separated, no more than three digits after the point and no trailing zeros there."""
    if value is None or isinstance(value, bool):
        return WORDS[value]
    if isinstance(value, float):
        digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 3
        text = f"{value:,.{digits}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:,}" if isinstance(value, int) else str(value)


def render_numbers(folder: Path, name: str) -> str:
    """What stands in the block `name`.

    Raises:
        ValueError: there is no such number.
    """
    file, _, number = name.partition(".")
    rows = load_rows(folder, file)
    if number in ("", "table"):
        return "\n" + render_table(rows)
    for row in rows:
        if number in (row.get("name"), slug(str(row.get("what", "")))):
            if row.get("value") is None:
                raise ValueError(f"{name} has not been measured")
            return f"{render_value(row['value'])} {row.get('unit', '')}".rstrip()
    raise ValueError(f"there is no number {name}")


def slug(what: str) -> str:
    """`what` as a name: "recall@10, test" is recall_10_test."""
    return re.sub(r"\W+", "_", what.lower()).strip("_")


def render_document(text: str, folder: Path) -> str:
    """`text` with every block filled from `folder`.

    Raises:
        ValueError: a block names no number, or does not end.
    """
    if len(BLOCK.findall(text)) != text.count(OPENING):
        raise ValueError(f"a block that begins with {OPENING} does not end, or its name is malformed")
    if len(CODE_BLOCK.findall(text)) != text.count(CODE_OPENING):
        raise ValueError(f"a block that begins with {CODE_OPENING} does not end, or its name is malformed")
    text = BLOCK.sub(lambda block: block[1] + render_numbers(folder, block[2]) + block[4], text)
    return CODE_BLOCK.sub(lambda block: block[1] + render_code(block[2]) + block[4], text)


def render_code(name: str) -> str:
    """The table `name` of scripts/code_tables.py, which imports the evaluation only when a document asks for it.

    Raises:
        ValueError: there is no such table, or something in it is not described.
    """
    sys.path.insert(0, str(ROOT))
    from scripts.code_tables import render_table as render_code_table

    return render_code_table(name)


def render_all(root: Path, *, check: bool) -> int:
    """Rewrite the documents under `root`, or with `check` only complain; gives the exit code."""
    stale: list[str] = []
    wrong = False
    for path in find_documents(root):
        text = path.read_text(encoding="utf-8")
        name = str(path.relative_to(root))
        try:
            rendered = render_document(text, root / "docs" / "numbers")
        except ValueError as exc:
            print(f"{name}: {exc}", file=sys.stderr)
            wrong = True
            continue
        if rendered != text:
            stale.append(name)
            if not check:
                path.write_text(rendered, encoding="utf-8")
    if stale:
        print(f"{'stale' if check else 'rewritten'}: {', '.join(stale)}")
    return int(wrong or (check and bool(stale)))


def main() -> int:
    """Rewrite, or with --check complain."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="change nothing, fail on a difference")
    return render_all(ROOT, check=parser.parse_args().check)


if __name__ == "__main__":
    sys.exit(main())
