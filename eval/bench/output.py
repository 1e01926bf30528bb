"""The table for people and the file for the documents."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from eval.bench.records import Result

HEADER = ("measurement", "value", "unit", "spread", "n", "target", "met", "command")
RIGHT = {"value", "n"}


def render_value(value: float) -> str:
    """Three significant digits, whole numbers from 100 on."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def cells(result: Result) -> list[str]:
    """One row of the table."""
    sample = result.sample
    spread = ""
    if sample and sample.low is not None and sample.high is not None:
        spread = f"{render_value(sample.low)}-{render_value(sample.high)} ({sample.spread})"
    return [
        result.name,
        render_value(sample.value) if sample else "failed",
        result.unit,
        spread,
        f"{sample.n:,}" if sample else "",
        str(result.target or ""),
        {True: "yes", False: "NO", None: ""}[result.met],
        result.command,
    ]


def render_table(results: Sequence[Result]) -> str:
    """Aligned plain text, then notes and failures."""
    rows = [list(HEADER), *map(cells, results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if name in RIGHT else cell.ljust(width)
            for cell, width, name in zip(row, widths, HEADER, strict=True)
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    notes = [f"{each.name}: {text}" for each in results if (text := each.failure or _note(each))]
    return "\n".join([*lines, "", *notes]).rstrip() + "\n"


def _note(result: Result) -> str:
    return result.sample.note if result.sample else ""


def to_json(results: Iterable[Result]) -> dict[str, Any]:
    """Everything as JSON types; about the machine only what bears on the numbers."""
    return {
        "machine": {
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
            "cores": os.cpu_count(),
            "date": datetime.now(UTC).date().isoformat(),
        },
        "results": [_row(each) for each in results],
    }


def _row(result: Result) -> dict[str, Any]:
    sample = result.sample
    return {
        "name": result.name,
        "what": result.what,
        "value": None if sample is None else round(sample.value, 3),
        "unit": result.unit,
        "n": sample.n if sample else 0,
        "low": None if sample is None or sample.low is None else round(sample.low, 3),
        "high": None if sample is None or sample.high is None else round(sample.high, 3),
        "spread": sample.spread if sample else "",
        "target": str(result.target or ""),
        "met": result.met,
        "command": result.command,
        "note": result.failure or _note(result),
    }
