"""The port: what a provider is given for one call, what it gives back, and how it is found and built."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from pydantic import SecretStr

THINKING_TOKENS = 2_000
"""Room for what a model writes to itself, beside the answer: it counts against the cap of both."""


@dataclass(frozen=True)
class Prompt:
    """One call: instructions, the conversation as it stands, and the shape of the answer."""

    version: str
    system: str
    user: str
    """The conversation as a JSON list of `{"role", "content"}`."""
    json_schema: Mapping[str, Any]
    max_output_tokens: int

    @cached_property
    def conversation_key(self) -> str:
        """SHA-256 of the exact messages, in hex."""
        return _sha256(self.user)

    @cached_property
    def prompt_key(self) -> str:
        """SHA-256 of everything else that shapes the answer, in hex."""
        schema = json.dumps(self.json_schema, sort_keys=True)
        return _sha256(f"{self.version}\n{self.max_output_tokens}\n{schema}\n{self.system}")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class Answer:
    """The raw text of one answer and its price in tokens; None where the provider does not say."""

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    notes: tuple[str, ...] = ()
    """What went wrong beside the answer, a word each, such as "not_recorded"."""


class LanguageModel(Protocol):
    """One model of one provider. Reads words into a record; never picks an assessment or an address."""

    @property
    def model(self) -> str:
        """The provider's name of the model."""
        ...

    async def answer(self, prompt: Prompt, timeout_s: float) -> Answer:
        """Make one call, without a retry of its own.

        Args:
            prompt: what to ask.
            timeout_s: seconds after which the caller goes on without the answer.

        Raises:
            ModelError: no answer, with the fault. Nothing else that the provider's library raises.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What a provider may need to be built."""

    model: str
    api_key: SecretStr | None = None
    base_url: str | None = None
    timeout_s: float = 8.0
    json_schema: bool = True
    recordings: Path | None = None


@dataclass(frozen=True, slots=True)
class ProviderSpec:
    """A provider as the registry knows it."""

    name: str
    default_model: str
    build: Callable[[ModelOptions], LanguageModel]
    """Imports the provider's library; raises ConfigError when an option does not suffice."""
    settings: str = ""
    """Prefix of its settings: "groq" for GROQ_API_KEY and GROQ_BASE_URL; empty if it has none."""
    needs_key: bool = True
    local_without_key: bool = False
    """Whether a server on this machine or network needs no key."""
    needs_recordings: bool = False
    """Whether it plays LLM__RECORDINGS instead of calling anybody."""
    module: str = ""
    """What has to be importable; empty if nothing beyond the service's own packages."""
    package: str = ""
    """The distribution that brings it."""
