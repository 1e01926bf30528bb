"""Conversations as data: how the files beside this one are read and written into a history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from app.catalog import Catalog

FOLDER = Path(__file__).parent
_MACRO = re.compile(r"\{(filler|tags):([^{}]*)\}")
_FILLER = (
    "Our company was founded by two brothers in a small valley and has grown every year since then.",
    "Colleagues praise the canteen, the view over the river and the friendly tone in the corridors.",
    "We offer thirty days of leave, a bicycle scheme and a summer party that people talk about for weeks.",
    "Decisions are made close to where the work happens, and nobody has to ask twice for new equipment.",
    "Our offices are bright and quiet, and the tram stops right in front of the door.",
    "Twice a year all sites meet for a long weekend by the sea, families included.",
)
"""Sentences of an advert that say nothing about what to test."""


@dataclass(frozen=True)
class Expect:
    """What has to hold of the reply to one user message."""

    act: str | list[str] | None = None
    rule: str | list[str] | None = None
    not_act: str | list[str] | None = None
    not_rule: str | list[str] | None = None
    ask: str | list[str] | None = None
    asked: int | None = None
    """How many earlier questions were recognised."""
    listed: bool | None = None
    ends: bool | None = None
    must: list[str] = field(default_factory=list)
    must_not: list[str] = field(default_factory=list)
    any_of: list[list[str]] = field(default_factory=list)
    """Of each group, at least one."""
    if_list: list[str] = field(default_factory=list)
    """To be in the list if there is one."""
    if_list_any: list[list[str]] = field(default_factory=list)
    """Of each group at least one, if there is a list."""
    exactly: list[str] | None = None
    """In this order."""
    same_set: list[str] | None = None
    """In any order."""
    at_least: int | None = None
    at_most: int | None = None
    order: list[list[str]] = field(default_factory=list)
    """Pairs: where both are listed, the first stands before the second."""
    types_absent: list[str] = field(default_factory=list)
    any_type: list[str] = field(default_factory=list)
    """Of these type letters at least one is in the list."""
    at_most_matching: dict[str, int] = field(default_factory=dict)
    """Pattern over ids: how many of them at most."""
    known_minutes_at_most: int | None = None
    each_minutes_at_most: int | None = None
    top_candidates: list[str] = field(default_factory=list)
    """Among the first ten that retrieval found."""
    says: list[str] = field(default_factory=list)
    """Each a pattern that the reply holds, whatever the casing."""
    never_says: list[str] = field(default_factory=list)
    issue: str | list[str] | None = None


@dataclass(frozen=True)
class Step:
    """One message; an expectation stands with a user message."""

    role: str
    text: str = ""
    shown: tuple[str, ...] = ()
    form: str = "numbered"
    expect: Expect | None = None


@dataclass(frozen=True)
class Dialogue:
    """A conversation with what it is there for."""

    id: str
    case: str
    pair: str
    side: str
    why: str
    steps: tuple[Step, ...]


def load(folder: Path = FOLDER) -> list[Dialogue]:
    """All dialogues of all files, in file order."""
    found = [
        _dialogue(row, path)
        for path in sorted(folder.glob("*.yaml"))
        for row in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]
    ids = [dialogue.id for dialogue in found]
    assert len(ids) == len(set(ids)), sorted({id_ for id_ in ids if ids.count(id_) > 1})
    return found


def _dialogue(row: dict[str, Any], path: Path) -> Dialogue:
    try:
        steps = tuple(_steps(row["messages"]))
        side = row["side"]
        assert side in ("trigger", "twin"), side
        return Dialogue(row["id"], row["case"], row["pair"], side, row["why"], steps)
    except (KeyError, TypeError, AssertionError) as exc:
        raise ValueError(f"{path.name}, {row.get('id')}: {exc!r}") from exc


def _steps(rows: list[dict[str, Any]]) -> Iterator[Step]:
    known = {each.name for each in fields(Expect)}
    for row in rows:
        if "user" in row:
            assert row.keys() <= {"user", "expect"}, row
            wanted = row.get("expect")
            assert wanted is None or wanted.keys() <= known, set(wanted) - known
            yield Step("user", expand(row["user"]), expect=Expect(**wanted) if wanted else None)
        else:
            assert row.keys() <= {"assistant", "shown", "form"}, row
            yield Step(
                "assistant",
                row.get("assistant", ""),
                tuple(row.get("shown", ())),
                row.get("form", "numbered"),
            )


def expand(text: str) -> str:
    """Write out `{filler:450}` (words of an advert) and `{tags:words}` (invisible tag characters)."""

    def write(match: re.Match[str]) -> str:
        if match[1] == "tags":
            return "".join(chr(0xE0000 + ord(char)) for char in match[2])
        return filler(int(match[2]))

    return _MACRO.sub(write, text)


def filler(words: int) -> str:
    """About `words` words that say nothing about the job."""
    sentences: list[str] = []
    while sum(len(sentence.split()) for sentence in sentences) < words:
        sentences.append(_FILLER[len(sentences) % len(_FILLER)])
    return " ".join(sentences)


def show(step: Step, catalog: Catalog) -> str:
    """An assistant message as a client would send it back."""
    if not step.shown:
        return step.text
    items = [catalog[id_] for id_ in step.shown]  # type: ignore[index]
    intro = step.text or "Here is what I suggest."
    match step.form:
        case "numbered":
            lines = [f"{n}. {a.name} ({a.test_type}) {a.url}" for n, a in enumerate(items, 1)]
        case "bullets":
            lines = [f"- **{a.name}** [{a.test_type}]" for a in items]
        case "table":
            rows = [f"| {n} | {a.name} | {a.test_type} | <{a.url}> |" for n, a in enumerate(items, 1)]
            lines = ["| # | Name | Type | URL |", "|---|---|---|---|", *rows]
        case "stripped":
            names = " ".join(f"{n}. {a.name} ({a.test_type})" for n, a in enumerate(items, 1))
            return f"{intro} Shortlist ({len(items)} assessments): {names}"
        case other:
            raise ValueError(other)
    return "\n".join([intro, "", *lines])
