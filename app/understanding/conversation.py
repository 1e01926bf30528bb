"""Cut a conversation into user turns: each message with what stood before it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from app.catalog import AssessmentId, Catalog
from app.records import History, Topic
from app.understanding.lexicon import Lexicon
from app.understanding.reading import Reader, Reading
from app.understanding.sentences import ASKING
from app.understanding.standing import ListReader, topic_asked

READINGS_KEPT = 160
"""Messages whose reading is remembered by content; a reading takes about 20 kB."""
CONTEXT_CHARS = 4000
"""Of what the user wrote before, this much helps to tell ambiguous words apart."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One user message with what stood in the conversation before it."""

    reading: Reading
    standing: tuple[AssessmentId, ...] = ()
    previous_list: tuple[AssessmentId, ...] = ()
    """The list before the standing one."""
    asked: Topic | None = None
    """What the assistant message right before it asked; None if it asked nothing."""

    @property
    def asks(self) -> bool:
        """Whether any of its sentences asks something."""
        return any(sentence.kind in ASKING for sentence in self.reading.sentences)


class ConversationReader:
    """Reads histories into turns. What was read once is remembered by content, with the same result."""

    def __init__(self, catalog: Catalog, lexicon: Lexicon) -> None:
        self._read = lru_cache(maxsize=READINGS_KEPT)(Reader(lexicon).read)
        self._list = lru_cache(maxsize=READINGS_KEPT)(ListReader(catalog, lexicon).read)
        self._topic = lru_cache(maxsize=READINGS_KEPT)(lambda message: topic_asked(lexicon, message))

    def turns(self, history: History) -> list[Turn]:
        """The user turns since the last "start over"."""
        turns: list[Turn] = []
        lists: list[tuple[AssessmentId, ...]] = [()]
        asked: Topic | None = None
        context = ""
        for message in history.messages:
            if message.role == "user":
                previous = lists[-2] if len(lists) > 1 else ()
                turns.append(Turn(self._read(message.content, context), lists[-1], previous, asked))
                context = f"{context}\n{message.content}"[-CONTEXT_CHARS:]
                asked = None
            elif (shown := self._list(message.content)) is not None:
                lists += [shown] if shown != lists[-1] else []
                asked = None
            elif turns and not _was_answered(turns[-1]):
                asked = self._topic(message.content)
        return _since_restart(turns)


def _was_answered(turn: Turn) -> bool:
    """Whether the assistant's listless message after this turn was an answer or a refusal, not a question."""
    return bool(turn.reading.scope) or (bool(turn.standing) and turn.asks)


def _since_restart(turns: list[Turn]) -> list[Turn]:
    """What stood before the last "start over" stands no more."""
    for index in range(len(turns) - 1, -1, -1):
        if turns[index].reading.has("restart"):
            old = turns[index].standing
            later = [
                turn if turn.standing != old else Turn(turn.reading, asked=turn.asked)
                for turn in turns[index + 1 :]
            ]
            return [Turn(turns[index].reading), *later]
    return turns
