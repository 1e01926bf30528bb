"""What a provider gets and gives: one prompt, one JSON text, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from app.records import History


@dataclass(frozen=True, slots=True)
class Prompt:
    """One call: instructions, the conversation as it stands, and the shape of the answer."""

    instructions: str
    history: History
    json_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """The raw JSON text and its price in tokens; None where the provider does not say."""

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None


class LanguageModel(Protocol):
    """One model of one provider. Reads words into a record; never picks an assessment or an address."""

    def answer(self, prompt: Prompt, timeout_s: float) -> Answer:
        """One attempt.

        Raises:
            DeadlineExceededError: no answer within `timeout_s`.
        """
        ...
