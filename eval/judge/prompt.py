"""From a question to the exact text a judge reads.

Untrusted text stands between fences whose mark is a hash of that text: the same question gives the same bytes,
and the text cannot hold the mark that would close its own fence.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from eval.judge.base import JudgeQuestion

PROMPT_VERSION = "v1"
VERDICT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "evidence": {"type": "array", "items": {"type": "string"}},
        "reason": {"type": "string"},
        "score": {"type": "string", "enum": ["0", "1", "2", "3", "4", "cannot_tell"]},
    },
    "required": ["evidence", "reason", "score"],
    "additionalProperties": False,
}
"""The order of the properties is the order in which a model writes them. The score is text, since not every
provider takes a menu of numbers and words."""

_FOLDER = Path(__file__).with_name("prompts")
_MARK_DIGITS = 12
_FENCE_LIKE = re.compile(r"<{3,}|>{3,}")


@dataclass(frozen=True, slots=True)
class Rendered:
    """The two messages of one call."""

    system: str
    user: str


def render(question: JudgeQuestion, version: str = PROMPT_VERSION) -> Rendered:
    """The messages for `question`.

    Raises:
        KeyError: the prompt file names something that no question has.
    """
    system, user = _parts(version)
    texts = (question.question, question.answer, *question.context, question.expected or "")
    mark = _mark(texts)
    shown = {
        "criterion": question.rubric.criterion,
        "anchors": "\n".join(f"{n} = {words}" for n, words in enumerate(question.rubric.anchors)),
        "question": _fenced("question", question.question, mark),
        "context": _fenced("context", "\n".join(question.context), mark) if question.context else "(nothing)",
        "expected": "(none)" if question.expected is None else _fenced("hint", question.expected, mark),
        "answer": _fenced("answer", question.answer, mark),
    }
    return Rendered(system.substitute({}), user.substitute(shown))


@cache
def _parts(version: str) -> tuple[Template, Template]:
    text = (_FOLDER / f"{version}.txt").read_text(encoding="utf-8")
    system, user = text.removeprefix("[system]\n").split("\n[user]\n")
    return Template(system), Template(user.rstrip("\n"))


@cache
def prompt_fingerprint(version: str = PROMPT_VERSION) -> str:
    """Name of the prompt with a hash (8 digits) of its file, so that an edited prompt is another prompt."""
    content = (_FOLDER / f"{version}.txt").read_bytes()
    return f"{version}-{hashlib.sha256(content).hexdigest()[:8]}"


def _mark(texts: Iterable[str]) -> str:
    """Hex digits that occur in none of `texts`, always the same for the same texts."""
    whole = "\0".join(texts)
    digest = hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()
    while (mark := digest[:_MARK_DIGITS]) in whole:
        digest = hashlib.sha256(digest.encode()).hexdigest()
    return mark


def _fenced(name: str, text: str, mark: str) -> str:
    """`text` between its fences; runs of brackets that look like one are spaced out."""
    harmless = _FENCE_LIKE.sub(lambda found: " ".join(found[0]), text)
    clean = harmless.encode("utf-8", "replace").decode("utf-8")
    return f"<<<begin {name} {mark}>>>\n{clean}\n<<<end {name} {mark}>>>"
