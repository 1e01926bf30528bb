"""A recruiter who knows the facts of a case and answers whatever is asked from them. Offline, deterministic.

The recorded turns are of two kinds. Up to the first list that the recording expects they tell facts: the
persona tells them when it is asked something, or one by one. After that they edit, ask and accept: the
persona says them in order, once a list is there. A turn marked `persona: {when: TOPIC}` is only said when
that topic is asked. A question about what the facts do not hold is answered with "no preference".
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from eval.records import Case, Payload
from eval.users.base import Utterance
from eval.users.topics import Topic, topics_asked

NO_PREFERENCE = "No preference on that, please go on with what you know."
MOST_MADE_UP = 4
"""Answers from the facts in one conversation; a service that keeps asking gets silence after these."""

_FACT: dict[Topic, tuple[str, str]] = {
    "role": ("role", "It is for: {}."),
    "level": ("level", "Level: {}."),
    "lead": ("level", "Level: {}."),
    "skills": ("skills", "What matters: {}."),
    "purpose": ("purpose", "The purpose is {}."),
    "language": ("language", "Language: {}."),
    "spoken": ("language", "They speak {}."),
    "accent": ("language", "{}."),
    "minutes": ("minutes", "At most {} minutes."),
}


class PersonaUser:
    """Plays one case."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._left = list(range(1, len(case.turns)))
        first_list = next((i for i, turn in enumerate(case.turns) if turn.expect.list), len(case.turns) - 1)
        self._telling = set(range(1, first_list + 1))
        self._made_up = 0
        self._started = False

    def say(self, reply: Payload | None) -> Utterance | None:
        """The opening, then an answer to what is asked, else the next recorded turn."""
        if not self._started:
            self._started = True
            return Utterance(self._case.turns[0].user, 0)
        if reply is not None and reply.asks and self._made_up < MOST_MADE_UP:
            return self._answer(topics_asked(reply.ai_response))
        return self._next_turn()

    @property
    def unsaid(self) -> int:
        """Recorded turns not said yet, those left out that wait for a question."""
        return sum(self._case.turns[index].when is None for index in self._left)

    def _next_turn(self) -> Utterance | None:
        index = next((i for i in self._left if self._case.turns[i].when is None), None)
        if index is None:
            return None
        self._left = [i for i in self._left if i > index]
        return Utterance(self._case.turns[index].user, index)

    def _answer(self, topics: tuple[Topic, ...]) -> Utterance | None:
        """From the facts; together with the recorded turn that tells facts, if one is due."""
        index = self._due(topics)
        recorded = self._case.turns[index].user if index is not None else ""
        if index is not None:
            self._left = [i for i in self._left if i != index]
        facts = [sentence for topic in topics if (sentence := tell(topic, self._case.facts, recorded))]
        words = " ".join(dict.fromkeys([*facts, recorded] if recorded else facts))
        self._made_up += 1
        if words:
            return Utterance(words, index)
        if topics and topics[0] == "go_ahead":
            return self._next_turn() or Utterance("Yes, go ahead.")
        if not topics and self._left:
            return self._next_turn()
        return Utterance(NO_PREFERENCE)

    def _due(self, topics: tuple[Topic, ...]) -> int | None:
        waiting = (i for i in self._left if self._case.turns[i].when in topics)
        following = (i for i in self._left[:1] if i in self._telling and self._case.turns[i].when is None)
        return next(waiting, next(following, None))


def tell(topic: Topic, facts: Mapping[str, str | int | tuple[str, ...]], said_anyway: str = "") -> str:
    """The sentence that answers `topic`; empty if the facts do not hold it or `said_anyway` says it."""
    key, form = _FACT.get(topic, ("", ""))
    value = facts.get(key)
    if value is None or value == () or value == "":
        return ""
    words = ", ".join(value) if isinstance(value, tuple) else str(value)
    told = set(re.findall(r"\w+", said_anyway.lower()))
    if set(re.findall(r"\w+", words.lower())) <= told:
        return ""
    return form.format(words)
