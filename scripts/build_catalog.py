"""Build data/catalog.json from the vendor's export.

    python -m scripts.build_catalog EXPORT [--output FILE] [--check] [--force]

EXPORT is a file or an http(s) URL. Prints what the export had wrong, what differs from the
last build (+ added, - removed, ~ changed) and one line of summary. The catalogue file is
replaced in one step or not touched at all.

Exit code 0: written, or up to date. Exit code 1: the export cannot be used, or `--check`
found a difference.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import httpx

from app.catalog.models import Assessment
from app.catalog.store import load_catalog
from app.errors import CatalogError
from scripts.catalog_export import Report, build_catalog, load_corrections, parse_export

DATA = Path(__file__).resolve().parent.parent / "data"

MAX_SHRINKAGE_PERCENT = 20
"""A catalogue that lost more than this since the last build is likelier a broken scrape."""

DOWNLOAD_TIMEOUT_S = 30.0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="build_catalog", description=__doc__.splitlines()[0])
    parser.add_argument("export", help="file or http(s) URL of the vendor's export")
    parser.add_argument("--output", type=Path, default=DATA / "catalog.json", help="default: %(default)s")
    parser.add_argument(
        "--corrections",
        type=Path,
        default=DATA / "catalog_corrections.json",
        help="names the export has wrong; default: %(default)s",
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if the file is out of date"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help=f"write even if more than {MAX_SHRINKAGE_PERCENT} %% of the records are gone",
    )
    options = parser.parse_args(argv)
    try:
        return _run(options)
    except CatalogError as exc:
        print(f"error: {exc}", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    output: Path = options.output
    rows = parse_export(read_source(options.export), _print_note)
    catalog = build_catalog(rows, load_corrections(options.corrections), _print_note)
    previous = load_previous(output, _print_note)
    if previous:
        for line in compare(previous, catalog):
            print(line)
    content = render_catalog(catalog).encode()
    is_current = output.is_file() and output.read_bytes() == content
    if not is_current and not options.check:
        if not options.force:
            refuse_shrinkage(len(previous), len(catalog))
        write_atomically(output, content)
    state = "up to date" if is_current else "out of date" if options.check else "written"
    print(f"{len(rows)} records read, {len(catalog)} assessments, {output} {state}")
    return 1 if options.check and not is_current else 0


def _print_note(line: str) -> None:
    print(f"note: {line}")


def read_source(source: str) -> bytes:
    """The bytes behind a path or an http(s) URL.

    Raises:
        CatalogError: if they cannot be had.
    """
    try:
        if not source.lower().startswith(("http://", "https://")):
            return Path(source).read_bytes()
        response = httpx.get(source, follow_redirects=True, timeout=DOWNLOAD_TIMEOUT_S)
        return response.raise_for_status().content
    except (OSError, httpx.HTTPError, httpx.InvalidURL) as exc:
        raise CatalogError(f"{source} cannot be read: {exc}") from exc


def load_previous(path: Path, report: Report) -> tuple[Assessment, ...]:
    """The last build; empty if there is none, or none that can be read."""
    if not path.exists():
        return ()
    try:
        return tuple(load_catalog(path))
    except CatalogError as exc:
        report(f"the last build is ignored: {exc}")
        return ()


def compare(old: Iterable[Assessment], new: Iterable[Assessment]) -> list[str]:
    """One line per assessment added (+), removed (-) or changed (~), in id order."""
    before, after = ({assessment.id: assessment for assessment in side} for side in (old, new))
    lines = []
    for key in sorted(before.keys() | after.keys()):
        if key not in before:
            lines.append(f"+ {key}")
        elif key not in after:
            lines.append(f"- {key}")
        elif before[key] != after[key]:
            lines.append(f"~ {key}: {_render_changes(before[key], after[key])}")
    return lines


def _render_changes(old: Assessment, new: Assessment) -> str:
    before, after = asdict(old), asdict(new)
    return "; ".join(
        f"{field} {_render_json(before[field])} -> {_render_json(after[field])}"
        for field in before
        if before[field] != after[field]
    )


def refuse_shrinkage(old_count: int, new_count: int) -> None:
    """Stop a build that lost suspiciously many records.

    Raises:
        CatalogError: if more than `MAX_SHRINKAGE_PERCENT` of them are gone.
    """
    if 100 * (old_count - new_count) > MAX_SHRINKAGE_PERCENT * old_count:
        raise CatalogError(
            f"the export has {new_count} assessments, the last build had {old_count}: "
            "nothing written; use --force if so many were really withdrawn"
        )


def render_catalog(catalog: Iterable[Assessment]) -> str:
    """The catalogue file: a JSON array, one record a line, for readable diffs."""
    return "[\n" + ",\n".join(_render_json(asdict(assessment)) for assessment in catalog) + "\n]\n"


def _render_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file in one step; after a failure the old one is still there.

    Raises:
        CatalogError: if it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as exc:
        raise CatalogError(f"{path} cannot be written: {exc}") from exc


if __name__ == "__main__":
    sys.exit(main())
