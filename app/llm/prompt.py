"""Builds the one prompt of a turn from the text file, our vocabulary, catalogue facts and the conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from app.catalog import AssessmentId
from app.errors import ConfigError
from app.knowledge import Knowledge
from app.llm.base import Prompt
from app.llm.budget import trim
from app.llm.schema import answer_schema
from app.llm.vocabulary import Vocabulary
from app.records import History, Understanding

PROMPT_FILE = Path(__file__).parent / "prompts" / "router-v2.md"
MOST_FACTS = 14
"""Assessments whose facts go into the prompt: a whole list, and a few that are asked about."""
_VERSION = re.compile(r"<!-- version: (\S+) -->\n")


class PromptBuilder:
    """Writes prompts. The part that is the same for every conversation stands first: providers may cache it."""

    def __init__(
        self, vocabulary: Vocabulary, *, history_tokens: int, max_output_tokens: int, file: Path = PROMPT_FILE
    ) -> None:
        text = file.read_text(encoding="utf-8")
        version = _VERSION.match(text)
        if version is None:
            raise ConfigError(f"{file.name} does not begin with a version")
        self.version = version[1]
        self._fixed = _with_vocabulary(text[version.end() :], vocabulary.knowledge)
        self._vocabulary = vocabulary
        self._history_tokens = history_tokens
        self._max_output_tokens = max_output_tokens

    def build(self, history: History, seen: Understanding, *, smaller: bool = False) -> Prompt:
        """The prompt for the last message of `history`.

        Args:
            history: the conversation.
            seen: what the rules read in it: the assessments whose facts are given.
            smaller: with half of the conversation and of the answer's cap, for a server that found it too large.
        """
        share = 2 if smaller else 1
        kept = trim(history, self._history_tokens // share, self._vocabulary.reads_as_list)
        conversation = [{"role": message.role, "content": message.content} for message in kept]
        return Prompt(
            version=self.version,
            system=f"{self._fixed}\n{self.facts(seen)}\n",
            user=json.dumps(conversation, ensure_ascii=False),
            json_schema=answer_schema(),
            max_output_tokens=self._max_output_tokens // share,
        )

    def facts(self, seen: Understanding) -> str:
        """A line of catalogue facts for each assessment that the conversation names or that is listed."""
        entries = self._vocabulary.knowledge.entries
        asked = [AssessmentId(wish) for wish in seen.advice_on if wish in entries]
        ids = dict.fromkeys([*seen.named, *seen.compared, *asked, *seen.standing])
        return "\n".join(self._line(id_, id_ in seen.standing) for id_ in list(ids)[:MOST_FACTS]) or "(none)"

    def _line(self, id_: AssessmentId, listed: bool) -> str:
        assessment, entry = self._vocabulary.catalog[id_], self._vocabulary.knowledge.entries[id_]
        minutes = f"{assessment.minutes} minutes" if assessment.minutes is not None else "minutes not stated"
        facts = [
            f"types {assessment.test_type}",
            minutes,
            f"{len(assessment.languages)} languages" if assessment.languages else "languages not stated",
            f"levels {', '.join(assessment.levels) or 'not stated'}",
        ]
        where = "on the list" if listed else "not on the list"
        return f"- {assessment.name} ({where}): {entry.summary} [{'; '.join(facts)}]"


def _with_vocabulary(text: str, knowledge: Knowledge) -> str:
    kinds = ("measure", "behaviour")
    measures = [skill.id for skill in knowledge.skills.values() if skill.kind in kinds]
    specific = [family.id for family in knowledge.families.values() if not family.generic]
    return text.replace("<<families>>", _listed(specific)).replace("<<measures>>", _listed(measures))


def _listed(ids: Iterable[str]) -> str:
    return ", ".join(sorted(ids))
