"""The shape of a model's answer, whose fields take what was meant and leave out what was not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from app.knowledge import Purpose
from app.records import Act, ScopeIssue, Seniority

MOST_WORDS = 40
"""Entries of one list."""
MOST_ENTRY_CHARS = 120

_SYNONYMS: dict[str, Act] = {
    word: act
    for act, words in {
        Act.CLARIFY: "clarification clarifying ask ask_question need_info",
        Act.RECOMMEND: "recommendation shortlist suggest suggestion list search find",
        Act.REFINE: "refinement update modify edit change add remove drop replace",
        Act.COMPARE: "comparison explain describe question info information",
        Act.REFUSE: "refusal decline off_topic out_of_scope",
        Act.CONFIRM: "confirmation accept accepted close done finish end",
    }.items()
    for word in words.split()
}
_YES = frozenset({"true", "yes", "y", "1"})
_NO = frozenset({"false", "no", "n", "0"})
_NOTHING = frozenset({"", "null", "none", "n/a", "unknown", "unspecified"})
_NUMBER = re.compile(r"\d{1,5}")


def _entries(value: object) -> list[str]:
    """Strings of a list, or of a text that lists them; nothing else."""
    if isinstance(value, str):
        value = re.split(r"[,;\n]", value)
    if not isinstance(value, list):
        return []
    texts = [_text(entry) for entry in value if isinstance(entry, str | int)]
    kept = [text[:MOST_ENTRY_CHARS] for text in texts if text.lower() not in _NOTHING]
    return list(dict.fromkeys(kept))[:MOST_WORDS]


def _text(value: object) -> str:
    if isinstance(value, list):
        return " ".join(filter(None, map(_text, value)))
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _maybe_text(value: object) -> str | None:
    text = _text(value)
    return None if text.lower() in _NOTHING else text[:MOST_ENTRY_CHARS]


def _flag(value: object) -> bool | None:
    word = str(value).strip().lower()
    return True if word in _YES else False if word in _NO else None


def _yes(value: object) -> bool:
    return _flag(value) is True


def _number(value: object) -> int | None:
    found = None if isinstance(value, bool) else _NUMBER.search(_text(value))
    return int(found.group()) or None if found else None


def _code(value: object) -> str:
    return re.sub(r"[\s-]+", "_", _text(value).lower())


def _act(value: object) -> str | None:
    code = _code(value)
    return code if code in set(Act) else _SYNONYMS.get(code)


def _seniority(value: object) -> str | None:
    return code if (code := _code(value)) in set(Seniority) else None


def _purpose(value: object) -> str | None:
    return code if (code := _code(value)) in set(Purpose) else None


def _stack_side(value: object) -> str | None:
    return code if (code := _code(value)) in ("backend", "frontend", "balanced") else None


def _issues(value: object) -> list[str]:
    return [code for entry in _entries(value) if (code := _code(entry)) in set(ScopeIssue)]


def _types(value: object) -> list[str]:
    return [entry.upper() for entry in _entries(value) if entry.upper() in tuple("ABCDEKPS")]


Entries = Annotated[list[str], BeforeValidator(_entries)]
Flag = Annotated[bool | None, BeforeValidator(_flag)]
Yes = Annotated[bool, BeforeValidator(_yes)]
Number = Annotated[int | None, BeforeValidator(_number)]
Words = Annotated[str | None, BeforeValidator(_maybe_text)]
TypeLetters = Annotated[list[Literal["A", "B", "C", "D", "E", "K", "P", "S"]], BeforeValidator(_types)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Constraints(_Part):
    """What is true of the people and of the tests."""

    role: Words = None
    family: Words = None
    seniority: Annotated[Seniority | None, BeforeValidator(_seniority)] = None
    purpose: Annotated[Purpose | None, BeforeValidator(_purpose)] = None
    leads: Flag = None
    stack_side: Annotated[Literal["backend", "frontend", "balanced"] | None, BeforeValidator(_stack_side)] = (
        None
    )
    skills: Entries = Field(default_factory=list)
    unwanted_skills: Entries = Field(default_factory=list)
    test_types: TypeLetters = Field(default_factory=list)
    unwanted_test_types: TypeLetters = Field(default_factory=list)
    minutes_each: Number = None
    minutes_total: Number = None
    list_size: Number = None
    test_languages: Entries = Field(default_factory=list)
    spoken_language: Words = None
    accent: Words = None
    adaptive: Flag = None
    remote: Flag = None
    quick: Flag = None


class ListEdits(_Part):
    """What the last message does to the standing list, in names."""

    add: Entries = Field(default_factory=list)
    drop: Entries = Field(default_factory=list)
    replace: Entries = Field(default_factory=list)
    only: Entries = Field(default_factory=list)
    keep: Entries = Field(default_factory=list)
    undo: Yes = False


class RouterAnswer(_Part):
    """One reading of a conversation. Holds no address and no id that is not checked afterwards."""

    intent: Annotated[Act | None, BeforeValidator(_act)] = None
    constraints: Constraints = Constraints()
    search_query: Annotated[str, BeforeValidator(_text)] = ""
    named_assessments: Entries = Field(default_factory=list)
    edits: ListEdits = ListEdits()
    out_of_scope: Annotated[list[ScopeIssue], BeforeValidator(_issues)] = Field(default_factory=list)
    reply_text: Annotated[str, BeforeValidator(_text)] = ""


@cache
def answer_schema() -> Mapping[str, Any]:
    """JSON schema of an answer, without references: not every server follows them."""
    schema = RouterAnswer.model_json_schema()
    definitions = schema.pop("$defs", {})

    def inline(node: Any) -> Any:
        if isinstance(node, dict):
            if "$ref" in node:
                return inline(definitions[node["$ref"].rsplit("/", 1)[1]])
            return {
                key: inline(value)
                for key, value in node.items()
                if key not in ("default", "description") and (key != "title" or not isinstance(value, str))
            }
        return [inline(item) for item in node] if isinstance(node, list) else node

    inlined: Mapping[str, Any] = inline(schema)
    return inlined
