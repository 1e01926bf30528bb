"""Read the vendor's export: bytes in, a catalogue out, or an error that names the record.

What the export does, and what is made of it:

- It holds raw control characters inside strings: white space is collapsed everywhere.
- Pre-packaged job solutions sit among the assessments: left out, see `is_bundle`.
- Times are words as often as numbers: see `parse_duration`.
- A test type may be listed twice: the first mention counts.
- Levels come in no fixed order: written from junior to senior, so that a new scrape in
  another order is no change. Types and languages keep the order the vendor shows.
- A key given twice in one object: the last value that is not empty counts, and is reported.
- The same record twice: kept once and reported; the same id with other facts is an error.
- A level or type word nobody knows, a missing field, no type at all, a status other than
  "ok": an error, because a guess would reach the people who read the shortlist.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from app.catalog.models import (
    LEVEL_LABELS,
    TYPE_LABELS,
    Assessment,
    AssessmentId,
    Duration,
    Level,
    TestType,
)
from app.catalog.store import Catalog
from app.errors import CatalogError

Row = Mapping[str, object]
"""One object of the export."""

Report = Callable[[str], None]
"""Receives one line about something odd that does not stop the build."""

_Code = TypeVar("_Code", TestType, Level)

_BUNDLE = re.compile(r"\bSolution\b")
_LINK = re.compile(r"https://[^/\s]+/(?:[^/?#\s]+/)*(?P<slug>[^/?#\s]+)/?")
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b\ufeff\ud800-\udfff]+")
"""White space, and the invisible characters JSON lets through but no name needs."""

_TYPES = {label: code for code, label in TYPE_LABELS.items()}
_LEVELS = {label: code for code, label in LEVEL_LABELS.items()}

_DURATION_WORDS = {
    "": Duration.EMPTY,
    "-": Duration.DASH,
    "–": Duration.DASH,
    "n/a": Duration.NOT_APPLICABLE,
    "tbc": Duration.TO_BE_CONFIRMED,
    "untimed": Duration.UNTIMED,
    "variable": Duration.VARIABLE,
}
_NUMBER = "([1-9][0-9]{0,2})"
_UNIT = "(?: ?min(?:ute)?s?)?"
_DURATION_PATTERNS = (
    (re.compile(f"()0+{_UNIT}"), Duration.ZERO),
    (re.compile(f"{_NUMBER}{_UNIT}"), Duration.STATED),
    (re.compile(f"{_NUMBER} ?(?:to|-) ?{_NUMBER}{_UNIT}"), Duration.STATED),
    (re.compile(f"max\\.? {_NUMBER}{_UNIT}"), Duration.CEILING),
    (re.compile(f"untimed,? approx\\.? {_NUMBER}{_UNIT}"), Duration.UNTIMED),
)
"""Matched against the whole wording; the first group holds the minutes, if any."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A name the export has wrong, and why we think so."""

    id: str
    exported_name: str
    """The correction applies only while the export says this, white space collapsed."""
    name: str
    reason: str


def load_corrections(path: Path) -> tuple[Correction, ...]:
    """Read the corrections file.

    Raises:
        CatalogError: if the file is missing or malformed.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        return tuple(Correction(**row) for row in rows)
    except (OSError, TypeError, ValueError) as exc:
        raise CatalogError(f"{path} cannot be used: {exc}") from exc


def parse_export(content: bytes, report: Report) -> list[Row]:
    """Decode the export: a JSON array of objects, raw control characters allowed.

    Raises:
        CatalogError: if the content is anything else.
    """
    if not content.strip():
        raise CatalogError("the export is empty")
    if content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        raise CatalogError("the export is a web page, not JSON")
    merge = partial(_merge_pairs, report=report)
    try:
        rows = json.loads(content.decode("utf-8-sig"), strict=False, object_pairs_hook=merge)
    except (ValueError, RecursionError) as exc:
        raise CatalogError(f"the export is not JSON, or not all of it: {exc}") from exc
    if not isinstance(rows, list):
        raise CatalogError("the export does not hold a JSON array")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise CatalogError(f"record {number} of the export is not an object")
    return rows


def _merge_pairs(pairs: list[tuple[str, object]], report: Report) -> Row:
    merged: dict[str, object] = {}
    for key, value in pairs:
        if key in merged:
            report(f"{_label(dict(pairs))}: {key!r} given twice, last non-empty value kept")
        if key not in merged or value not in ("", None, []):
            merged[key] = value
    return merged


def build_catalog(rows: Iterable[Row], corrections: Iterable[Correction], report: Report) -> Catalog:
    """Every assessment of the export, each once, names corrected.

    Raises:
        CatalogError: if a record is wrong, or two records claim one id or one entity.
    """
    rows = list(rows)
    bundles = [str(row["name"]) for row in rows if is_bundle(row)]
    if bundles:
        report(f"{len(bundles)} job solutions left out: {', '.join(bundles)}")
    assessments = (parse_record(row) for row in rows if not is_bundle(row))
    found = _without_repeats(assessments, report)
    for correction in corrections:
        assessment = found.get(correction.id)
        if assessment is None or assessment.name != correction.exported_name:
            said = f"says {assessment.name!r}" if assessment else "has no such record"
            report(f"correction of {correction.id} no longer applies: the export {said}")
        else:
            found[correction.id] = replace(assessment, name=correction.name)
            report(f"name of {correction.id} corrected to {correction.name!r}")
    return Catalog(found.values())


def is_bundle(row: Row) -> bool:
    """Whether the record is a pre-packaged job solution, not an assessment.

    The export has no field for it; the whole word "Solution" in the name is what they share.
    """
    return _BUNDLE.search(str(row.get("name"))) is not None


def parse_record(row: Row) -> Assessment:
    """One object of the export as an assessment.

    Raises:
        CatalogError: naming the record and the field.
    """
    try:
        _refuse_failed_scrape(row)
        url = _required(row, "link")
        levels = _codes(row, "job_levels", _LEVELS)
        minutes, duration = parse_duration(
            _text(row["duration"]), _text(row.get("duration_raw")).rpartition("=")[2].strip()
        )
        return Assessment(
            id=_parse_slug(url),
            entity_id=_required(row, "entity_id"),
            name=_required(row, "name"),
            url=url,
            types=_codes(row, "keys", _TYPES, required=True),
            minutes=minutes,
            duration=duration,
            levels=tuple(level for level in Level if level in levels),
            languages=_words(row, "languages"),
            remote=_flag(row, "remote"),
            adaptive=_flag(row, "adaptive"),
        )
    except KeyError as exc:
        raise CatalogError(f"{_label(row)}: field {exc} is missing") from exc
    except (TypeError, ValueError) as exc:
        raise CatalogError(f"{_label(row)}: {exc}") from exc


def parse_duration(shown: str, raw: str = "") -> tuple[int | None, Duration]:
    """Minutes and kind of a time statement.

    A range such as "15 to 35" counts as its lower end, as in the vendor's own `shown`;
    "max 60" is a ceiling of 60; "Untimed, approx. 25" is untimed with 25 minutes.

    Args:
        shown: what the vendor displays; may be empty.
        raw: the longer wording behind it; decides the kind where there is one.

    Raises:
        ValueError: on an unknown wording, or if the two disagree on the minutes.
    """
    read_shown, read_raw = _read_duration(shown), _read_duration(raw)
    if not raw or not shown:
        return read_raw if raw else read_shown
    if read_shown[0] != read_raw[0]:
        raise ValueError(f"duration {shown!r} contradicts duration_raw {raw!r}")
    return read_raw


def _read_duration(text: str) -> tuple[int | None, Duration]:
    wording = text.lower()
    if wording in _DURATION_WORDS:
        return None, _DURATION_WORDS[wording]
    for pattern, kind in _DURATION_PATTERNS:
        if match := pattern.fullmatch(wording):
            return int(match[1]) if match[1] else None, kind
    raise ValueError(f"unknown duration {text!r}")


def _without_repeats(assessments: Iterable[Assessment], report: Report) -> dict[str, Assessment]:
    found: dict[str, Assessment] = {}
    entities: dict[str, str] = {}
    for assessment in assessments:
        known = found.setdefault(assessment.id, assessment)
        if known != assessment:
            raise CatalogError(f"the export holds {assessment.id!r} twice, with differences")
        if known is not assessment:
            report(f"repeated record of {assessment.id} left out")
        owner = entities.setdefault(assessment.entity_id, assessment.id)
        if owner != assessment.id:
            raise CatalogError(
                f"the export gives entity {assessment.entity_id} to {owner!r} and to {assessment.id!r}"
            )
    return found


def _refuse_failed_scrape(row: Row) -> None:
    status = row.get("status", "ok")
    if status != "ok":
        raise ValueError(f"status is {status!r}, not 'ok'")


def _parse_slug(url: str) -> AssessmentId:
    link = _LINK.fullmatch(url)
    if link is None:
        raise ValueError(f"link {url!r} is not an https address that ends in a slug")
    return AssessmentId(link["slug"])


def _text(value: object) -> str:
    if not isinstance(value, str | int | None):
        raise TypeError(f"{value!r} is not text")
    return "" if value is None else _BLANKS.sub(" ", str(value)).strip()


def _required(row: Row, field: str) -> str:
    text = _text(row[field])
    if not text:
        raise ValueError(f"field {field!r} is empty")
    return text


def _words(row: Row, field: str) -> tuple[str, ...]:
    """The field's words in the export's order, without blanks and repeats."""
    values = row[field] or []
    if not isinstance(values, list):
        raise TypeError(f"field {field!r} is not a list")
    return tuple(dict.fromkeys(word for word in map(_text, values) if word))


def _codes(row: Row, field: str, known: Mapping[str, _Code], *, required: bool = False) -> tuple[_Code, ...]:
    words = _words(row, field)
    if required and not words:
        raise ValueError(f"field {field!r} is empty")
    for word in words:
        if word not in known:
            raise ValueError(f"unknown word {word!r} in {field!r}; known: {', '.join(known)}")
    return tuple(known[word] for word in words)


def _flag(row: Row, field: str) -> bool:
    answer = _text(row[field]).lower()
    if answer not in ("yes", "no"):
        raise ValueError(f"field {field!r} is {answer!r}, neither yes nor no")
    return answer == "yes"


def _label(row: Row) -> str:
    return f"record {row.get('name') or row.get('link') or row.get('entity_id')!r}"
