"""A language model plays the persona. What it says beyond what it was given is its own fault."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from eval.records import Case, ChatMessage, Payload
from eval.users.base import Utterance

DONE = "[[done]]"
"""What the model writes when it has nothing left to say."""

_NUMBER = re.compile(r"\d+")
_LEVELS = re.compile(
    r"\b(entry[- ]level|graduates?|juniors?|mid[- ]level|seniors?|supervisors?|managers?|directors?|"
    r"executives?|cxos?)\b",
    re.I,
)


class ChatModel(Protocol):
    """Anything that continues a conversation. Providers implement it elsewhere."""

    def complete(self, system: str, messages: Sequence[ChatMessage]) -> str:
        """The next message."""
        ...


@dataclass
class ScriptedModel:
    """Says what it is told to, for tests."""

    lines: list[str]
    told: str = ""
    """The instructions of the last call."""

    def complete(self, system: str, messages: Sequence[ChatMessage]) -> str:
        """The next line; done when there is none left."""
        self.told = system
        return self.lines.pop(0) if self.lines else DONE


class LlmUser:
    """Plays one case with a model."""

    def __init__(self, case: Case, model: ChatModel, guarded_names: Iterable[str] = ()) -> None:
        """Play `case` with `model`.

        Args:
            case: gives the facts and the turns to get said.
            model: what writes the messages.
            guarded_names: names that only count as given if the case or the service has said them, such as
                every assessment and language of the catalogue.
        """
        self._case = case
        self._model = model
        self._guarded = {name.lower() for name in guarded_names}
        self._given = given_text(case)
        self._messages: list[ChatMessage] = []
        self._done = False

    def say(self, reply: Payload | None) -> Utterance | None:
        """What the model says, with its fault if it asserted what it was not given."""
        if self._done:
            return None
        if reply is not None:
            self._messages.append(ChatMessage("user", reply.ai_response))
            listed = " ".join(each.name for each in reply.recommendations)
            self._given += f"\n{reply.ai_response} {listed}".lower()
        text = self._model.complete(instructions(self._case), self._messages).strip()
        if not text or DONE in text:
            self._done = True
            return None
        self._messages.append(ChatMessage("assistant", text))
        return Utterance(text, fault=asserted_beyond(text, self._given, self._guarded))

    @property
    def unsaid(self) -> int:
        """Not known of a free conversation: 0."""
        return 0


def given_text(case: Case) -> str:
    """Everything that the user of `case` may assert, lower-cased."""
    facts = (" ".join(v) if isinstance(v, tuple) else str(v) for v in case.facts.values())
    return "\n".join([*facts, *(turn.user for turn in case.turns)]).lower()


def instructions(case: Case) -> str:
    """What the model is told."""
    facts = "\n".join(
        f"- {key}: {', '.join(v) if isinstance(v, tuple) else v}" for key, v in case.facts.items()
    )
    wishes = "\n".join(f"- {turn.user}" for turn in case.turns)
    return (
        "You are a recruiter who asks a service for assessments. You know only these facts:\n"
        f"{facts}\nWhat you want to get said, in this order, in your own words:\n{wishes}\n"
        "Answer what you are asked from the facts; say that you have no preference for anything else. "
        f"Never invent a fact. Write one short message at a time, and {DONE} when you have accepted a list."
    )


def asserted_beyond(text: str, given: str, guarded: Iterable[str] = ()) -> str | None:
    """The first thing that `text` asserts and `given` (lower-cased) does not hold; None if there is none.

    Looks at numbers, levels and `guarded` names: what changes a shortlist and what models like to make up.
    """
    known_numbers = set(_NUMBER.findall(given))
    number = next((n for n in _NUMBER.findall(text) if n not in known_numbers), None)
    if number is not None:
        return f"the number {number}"
    level = next((m[0] for m in _LEVELS.finditer(text) if m[0].lower().rstrip("s") not in given), None)
    if level is not None:
        return f"the level {level!r}"
    lowered = text.lower()
    name = next((n for n in sorted(guarded) if n not in given and _holds(lowered, n)), None)
    return f"the name {name!r}" if name is not None else None


def _holds(text: str, name: str) -> bool:
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        at = text.find(name, at + 1)
    return False
