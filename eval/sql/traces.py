"""Finds the statement that an assistant executed in its trace: a Langfuse trace, fetched or from a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from eval.errors import DatasetError

Json = Mapping[str, object]
_STATEMENT_KEYS = ("sql", "query", "statement", "sql_query", "db.statement", "db.query.text")
_ROW_KEYS = ("rows", "row_count", "rowCount", "rows_returned", "result", "results", "data")
_ERROR_KEYS = ("error", "exception", "error_message")
_DRAFTS = ("draft", "plan", "candidate", "generate", "generation", "propos", "rewrite", "explain", "valid")
_FIRST_WORDS = (
    "select",
    "with",
    "(",
    "insert",
    "update",
    "delete",
    "merge",
    "drop",
    "create",
    "alter",
    "truncate",
    "exec",
)
_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class ExecutedStatement:
    """The statement behind an answer."""

    sql: str
    observation: str
    """Id of the step that holds it."""
    confirmed: bool
    """Whether the step shows a result; False when it merely was neither a draft nor a failure."""
    row_count: int | None = None
    tried: tuple[str, ...] = ()
    """All statements that were sent to a database, failed ones included, in order."""


@dataclass(frozen=True, slots=True)
class NoStatement:
    """Why there is nothing to audit; never a reason to score zero."""

    kind: Literal["absent", "late", "unreachable", "refused"]
    reason: str
    tried: tuple[str, ...] = ()


def executed_statement(trace: Json) -> ExecutedStatement | NoStatement:
    """The last statement that ran, by the time its step ended, wherever it is nested.

    A step that shows a result beats one that does not. Drafts (model output, steps named as such) and steps that
    failed are passed over.
    """
    steps = sorted(_steps(trace), key=_time)
    found = [each for step in steps for each in _candidates(step)]
    confirmed = [each for each in found if each.confirmed]
    tried = tuple(dict.fromkeys(text for step in steps if not _is_draft(step) for text in _texts(step)))
    if confirmed or found:
        return replace((confirmed or found)[-1], tried=tried)
    return NoStatement("absent", f"none of {len(steps)} steps holds a statement that ran", tried)


def load_traces(path: Path) -> dict[str, Json]:
    """Traces by id from a file: one JSON object, a list, a page `{"data": […]}` or one object a line.

    Raises:
        DatasetError: naming the file and what is wrong.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise DatasetError(f"{path}: cannot be read ({exc})") from exc
    found = list(_objects(text, path))
    traces = {str(trace["id"]): trace for trace in found if "id" in trace}
    if len(traces) != len(found) or not found:
        raise DatasetError(f"{path}: holds no traces, or some without an id of their own")
    return traces


def _objects(text: str, path: Path) -> Iterator[Json]:
    try:
        whole = json.loads(text)
        items = whole.get("data", [whole]) if isinstance(whole, dict) else whole
    except json.JSONDecodeError:
        try:
            items = [json.loads(line) for line in text.splitlines() if line.strip()]
        except json.JSONDecodeError as exc:
            raise DatasetError(f"{path}: is neither JSON nor one JSON object a line ({exc})") from exc
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise DatasetError(f"{path}: holds something else than traces")
    yield from items


def _steps(node: Json, depth: int = 0) -> Iterator[Json]:
    """All observations of a trace, those nested inside others included."""
    for key in ("observations", "children", "spans"):
        inner = node.get(key)
        for step in inner if isinstance(inner, list) and depth <= _MAX_DEPTH else []:
            if isinstance(step, dict):
                yield step
                yield from _steps(step, depth + 1)


def _time(step: Json) -> str:
    return str(
        step.get("endTime") or step.get("end_time") or step.get("startTime") or step.get("start_time") or ""
    )


def _candidates(step: Json) -> Iterator[ExecutedStatement]:
    if _failed(step) or _is_draft(step):
        return
    rows = _row_count(step)
    shown = rows is not None or _has(step.get("output"), _ROW_KEYS)
    for text in _texts(step):
        yield ExecutedStatement(text, str(step.get("id", "")), shown, rows)


def _texts(step: Json) -> Iterator[str]:
    for part in ("input", "output", "metadata", "attributes"):
        yield from _statements(step.get(part))


def _is_draft(step: Json) -> bool:
    if str(step.get("type", "")).upper() == "GENERATION":
        return True
    metadata = step.get("metadata")
    status = str(metadata.get("status", "")) if isinstance(metadata, dict) else ""
    name = f"{step.get('name', '')} {status}".lower()
    return any(word in name for word in _DRAFTS)


def _failed(step: Json) -> bool:
    if str(step.get("level", "")).upper() == "ERROR":
        return True
    return any(_has(_decoded(step.get(part)), _ERROR_KEYS, filled=True) for part in ("output", "metadata"))


def _has(value: object, keys: tuple[str, ...], *, filled: bool = False) -> bool:
    value = _decoded(value)
    return isinstance(value, dict) and any(key in value and (value[key] or not filled) for key in keys)


def _row_count(step: Json) -> int | None:
    output = _decoded(step.get("output"))
    if not isinstance(output, dict):
        return None
    for key in _ROW_KEYS:
        value = output.get(key)
        if isinstance(value, list):
            return len(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _statements(value: object, depth: int = 0) -> Iterator[str]:
    value = _decoded(value)
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from _statements(item, depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, str) and key.lower() in _STATEMENT_KEYS and _is_sql(item):
                yield item
            elif isinstance(item, dict | list) or (isinstance(item, str) and item.lstrip()[:1] in ("{", "[")):
                yield from _statements(item, depth + 1)
    elif isinstance(value, str) and depth == 0 and _is_sql(value):
        yield value


def _decoded(value: object) -> object:
    """JSON that was stored as text, as what it holds."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except json.JSONDecodeError:
            return value
    return value


def _is_sql(text: str) -> bool:
    rest = text.lstrip()
    while rest.startswith(("--", "/*")):
        closing = "\n" if rest.startswith("--") else "*/"
        rest = rest.partition(closing)[2].lstrip()
    return rest.lower().startswith(_FIRST_WORDS)
