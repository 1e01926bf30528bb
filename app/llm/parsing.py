"""Reads a model's answer: forgives form, says what it forgave, and never invents content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.errors import Fault, ModelError
from app.llm.schema import Constraints, ListEdits, RouterAnswer

MOST_CHARS = 20_000
"""Of an answer; a good one has about a thousand."""
MOST_OPENINGS = 200
"""Braces at which an object is looked for: each may be the start of a deep nest that leads nowhere."""

_REASONING = re.compile(r"<(think|thinking|reasoning|analysis)>.*?(?:</\1>|\Z)", re.I | re.S)
_KEYS = frozenset(RouterAnswer.model_fields)
_INNER: dict[str, frozenset[str]] = {
    "constraints": frozenset(Constraints.model_fields),
    "edits": frozenset(ListEdits.model_fields),
}


@dataclass(frozen=True, slots=True)
class Parsed:
    """An answer, and what was forgiven, a word each: counted, so that a model's habits show."""

    answer: RouterAnswer
    forgiven: tuple[str, ...] = ()


def parse_answer(text: str) -> Parsed:
    """The answer in `text`, whatever stands around it.

    Reads past reasoning, fences and sentences, takes the last of several objects, mends near-JSON that is
    complete, and leaves out what has the wrong type. What was cut off is not used.

    Raises:
        ModelError: nothing usable is in it.
    """
    said = _REASONING.sub(" ", text[:MOST_CHARS])
    found = _readings(_objects(said))
    mended = not found and _looks_complete(said)
    if mended:
        found = _readings([_mended(said)])
    answer = RouterAnswer.model_validate(_shaped(found[-1])) if found else RouterAnswer()
    if answer == RouterAnswer():
        raise ModelError(Fault.MALFORMED, "no reading in the answer")
    forgiven = {
        "reasoning": _REASONING.search(text[:MOST_CHARS]) is not None,
        "near_json": mended,
        "text_around": not said.strip().startswith("{") or not said.strip().endswith("}"),
        "several_objects": len(found) > 1,
        **_forgiven_in(found[-1], answer),
    }
    return Parsed(answer, tuple(name for name, is_so in forgiven.items() if is_so))


def _forgiven_in(found: Mapping[str, Any], answer: RouterAnswer) -> dict[str, bool]:
    """What is not as the schema has it."""
    inner = frozenset[str]().union(*_INNER.values())
    parts = [(part, keys) for name, keys in _INNER.items() if isinstance(part := found.get(name), Mapping)]
    written = str(found.get("intent")).strip().lower()
    return {
        "synonym": answer.intent is not None and written != answer.intent,
        "misplaced_keys": not inner.isdisjoint(found),
        "extra_keys": bool(found.keys() - _KEYS - inner) or any(part.keys() - keys for part, keys in parts),
        "wrong_types": _other_types(found, answer.model_dump(mode="json")),
    }


def _other_types(given: object, taken: object) -> bool:
    """Whether a value had to be turned into another type, or left out, to be taken."""
    if isinstance(given, Mapping) and isinstance(taken, Mapping):
        return any(_other_types(given[key], taken[key]) for key in given.keys() & taken.keys())
    return type(given) is not type(taken)


def _mended(text: str) -> object:
    from json_repair import loads

    try:
        return loads(text[text.index("{") :], skip_json_loads=True)
    except (ValueError, RecursionError) as exc:  # it gives up on nests that are too deep
        raise ModelError(Fault.MALFORMED, "nested too deeply") from exc


def _objects(text: str) -> list[object]:
    """JSON objects in `text`, in order, none inside another."""
    decoder, found, position = json.JSONDecoder(), [], text.find("{")
    for _ in range(MOST_OPENINGS):
        if position < 0:
            break
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            found.append(value)
        position = text.find("{", end)
    return found


def _readings(values: Iterable[object]) -> list[Mapping[str, Any]]:
    """Those that hold a key of an answer; a list of objects counts as its objects.

    The keys of an inner part do not suffice: it may be all that is left of an answer that was cut off.
    """
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return [item for item in flat if isinstance(item, Mapping) and not _KEYS.isdisjoint(item)]


def _looks_complete(text: str) -> bool:
    ends = text.rstrip(" \n\r\t`").endswith(("}", "]"))
    return ends and 0 < text.count("{") <= text.count("}") and text.count("[") <= text.count("]")


def _shaped(found: Mapping[str, Any]) -> dict[str, Any]:
    """Put keys that stand one level too high where they belong."""
    shaped = {key: found[key] for key in _KEYS & found.keys()}
    for part, inner in _INNER.items():
        given = found.get(part)
        inside = dict(given) if isinstance(given, Mapping) else {}
        shaped[part] = {**{key: found[key] for key in inner & found.keys()}, **inside}
    return shaped
