"""Reader for recorded conversations in Markdown, as handed out with the assignment.

A file holds `### Turn N` sections with a `**User**` quote and an `**Agent**` answer, lists as tables with an
address in each row, and a line that says whether the conversation ends. What real files do and this copes
with: a turn number that is missing or repeated, a list told in prose, an address whose last part differs from
the catalogue's by a suffix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from eval.errors import DatasetError
from eval.records import Case, Expectation, Labels, ScriptTurn, last_segment

_TURN = re.compile(r"^#{2,4}[ \t]*Turn\b[^\n]*$", re.M | re.I)
_ROLE = re.compile(r"^\*\*(User|Agent|Assistant)\*\*[ \t]*:?[ \t]*$", re.M | re.I)
_URL = re.compile(r"https?://[^\s<>|)\]]+")
_ENDS = re.compile(r"end_of_conversation`?\s*[:=]\s*\**(true|false)", re.I)
_NO_LIST = re.compile(r"no recommendations this turn|recommendations`?\s*:\s*`?(?:null|\[\])", re.I)
_SUFFIX = re.compile(r"-(?:new|v?\d+(?:-\d+)*)$")
_PROSE_LEAST = 2
"""Fewer names than this in prose are a mention, not a list."""


class Resolver:
    """Finds the catalogue id that an address or a name stands for."""

    def __init__(self, names: Mapping[str, str]) -> None:
        """Resolve against `names`, catalogue id to name."""
        self._ids = frozenset(names)
        self._by_stem: dict[str, list[str]] = {}
        for key in sorted(names):
            self._by_stem.setdefault(_stem(key), []).append(key)
        long_first = sorted(names.items(), key=lambda item: (-len(item[1]), item[0]))
        self._names = [
            (re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.I), key) for key, name in long_first
        ]

    def resolve(self, url: str) -> str:
        """The catalogue id for `url`; its own last part if the catalogue knows nothing like it."""
        slug = last_segment(url)
        if slug in self._ids:
            return slug
        near = [f"{slug}-new", slug.removesuffix("-new"), *self._by_stem.get(_stem(slug), [])]
        return next((key for key in near if key in self._ids), slug)

    def named(self, text: str) -> tuple[str, ...]:
        """Ids of the assessments that `text` names, in order; a name within a longer one is not meant."""
        found: list[tuple[int, str]] = []
        rest = text
        for pattern, key in self._names:
            match = pattern.search(rest)
            if match:
                found.append((match.start(), key))
                rest = pattern.sub(lambda hit: " " * len(hit[0]), rest)
        return tuple(key for _, key in sorted(found))


def _stem(slug: str) -> str:
    return _SUFFIX.sub("", slug)


def load_traces(folder: Path, names: Mapping[str, str]) -> tuple[Case, ...]:
    """Every `*.md` file of `folder` that holds turns, by the number in its name.

    Raises:
        DatasetError: there is none.
    """
    resolver = Resolver(names)
    paths = sorted(folder.glob("*.md"), key=lambda path: (_number(path.stem), path.stem))
    cases = [parse_trace(path.read_text(encoding="utf-8"), path.stem, resolver) for path in paths]
    found = tuple(case for case in cases if case.turns)
    if not found:
        raise DatasetError(f"no recorded conversations in {folder}")
    return found


def parse_trace(text: str, name: str, resolver: Resolver) -> Case:
    """One recorded conversation. Its last list is what the final list should hold."""
    marks = [*_TURN.finditer(text)]
    starts = [mark.start() for mark in marks[1:]]
    blocks = [text[mark.end() : end] for mark, end in zip(marks, [*starts, len(text)], strict=False)]
    turns = tuple(turn for block in blocks if (turn := _parse_turn(block, resolver)) is not None)
    final = next((turn.expect.must for turn in reversed(turns) if turn.expect.must), ())
    return Case(
        id=f"trace-{name}",
        turns=turns,
        final=Labels(must=final),
        end=bool(turns) and turns[-1].expect.end is not False,
        family=f"trace-{name}",
        split="traces",
        reason="the recorded list; anything else counts as surplus",
    )


def _parse_turn(block: str, resolver: Resolver) -> ScriptTurn | None:
    roles = [*_ROLE.finditer(block)]
    if not roles or roles[0][1].lower() != "user":
        return None
    answer_at = roles[1].start() if len(roles) > 1 else len(block)
    said = _quoted(block[roles[0].end() : answer_at])
    if not said:
        return None
    answer = block[answer_at:]
    ids = _listed(answer, resolver)
    ends = _ENDS.search(answer)
    return ScriptTurn(
        said,
        Expectation(
            list=bool(ids) if answer else None, end=ends[1].lower() == "true" if ends else None, must=ids
        ),
    )


def _quoted(text: str) -> str:
    """The user's words: the quoted lines, or all of them where nothing is quoted."""
    lines = [line.strip() for line in text.splitlines()]
    quoted = [line[1:].strip() for line in lines if line.startswith(">")]
    return "\n".join(quoted or lines).strip()


def _listed(answer: str, resolver: Resolver) -> tuple[str, ...]:
    rows = [line for line in answer.splitlines() if line.lstrip().startswith("|")]
    in_table = (resolver.resolve(urls[-1]) for row in rows if (urls := _URL.findall(row)))
    found = _unique(in_table)
    if found or _NO_LIST.search(answer):
        return found
    linked = _unique(resolver.resolve(url) for url in _URL.findall(answer))
    told = linked or resolver.named(answer)
    return told if len(told) >= _PROSE_LEAST else ()


def _unique(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for key in ids if key))


def _number(stem: str) -> int:
    digits = re.search(r"\d+", stem)
    return int(digits[0]) if digits else 10**9
