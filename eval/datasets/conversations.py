"""The labelled conversations of eval/conversations/, one YAML file each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from eval.errors import DatasetError
from eval.records import Case, Expectation, Labels, ScriptTurn, Split

CONVERSATIONS = Path(__file__).resolve().parent.parent / "conversations"

_CASE_KEYS = {"id", "family", "facts", "turns", "final", "end", "reason", "tags"}
_TURN_KEYS = {"user", "expect", "persona"}
_EXPECT_KEYS = {"list", "end", "must", "must_not"}
_FINAL_KEYS = {"must", "may", "must_not"}


def load_conversations(splits: Iterable[Split], folder: Path = CONVERSATIONS) -> tuple[Case, ...]:
    """All cases of `splits`, in file order; a split whose folder does not exist has none.

    Raises:
        DatasetError: naming the file and what is wrong with it, or an id that two files share.
    """
    cases = tuple(
        parse_conversation(path.read_text(encoding="utf-8"), split, path.name)
        for split in splits
        for path in sorted((folder / split).glob("*.yaml"))
    )
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise DatasetError(f"two conversations are called {case.id!r}")
        seen.add(case.id)
    return cases


def parse_conversation(text: str, split: Split, source: str) -> Case:
    """One case from the text of its file.

    Raises:
        DatasetError: naming `source` and the key.
    """
    try:
        row = yaml.safe_load(text)
        _only(row, _CASE_KEYS)
        _only(row["final"], _FINAL_KEYS)
        facts = {str(key): _fact(value) for key, value in (row.get("facts") or {}).items()}
        case = Case(
            id=str(row["id"]),
            turns=tuple(_turn(each) for each in row["turns"]),
            final=Labels(**{key: tuple(row["final"].get(key) or ()) for key in sorted(_FINAL_KEYS)}),
            end=bool(row.get("end", True)),
            family=str(row.get("family", "")),
            split=split,
            facts=facts,
            reason=str(row.get("reason", "")),
            tags=tuple(row.get("tags") or ()),
        )
    except (yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as exc:
        raise DatasetError(f"{source}: {exc}") from exc
    if not case.turns:
        raise DatasetError(f"{source}: no turns")
    return case


def _turn(row: Mapping[str, Any]) -> ScriptTurn:
    _only(row, _TURN_KEYS)
    expect = row.get("expect") or {}
    _only(expect, _EXPECT_KEYS)
    when = (row.get("persona") or {}).get("when")
    expectation = Expectation(
        list=expect.get("list"),
        end=expect.get("end"),
        must=tuple(expect.get("must") or ()),
        must_not=tuple(expect.get("must_not") or ()),
    )
    return ScriptTurn(str(row["user"]), expectation, str(when) if when else None)


def _fact(value: object) -> str | int | tuple[str, ...]:
    if isinstance(value, list):
        return tuple(map(str, value))
    return value if isinstance(value, int) else str(value)


def _only(row: Mapping[str, Any], allowed: set[str]) -> None:
    unknown = sorted(row.keys() - allowed)
    if unknown:
        raise ValueError(f"unknown keys {unknown}; known are {sorted(allowed)}")
