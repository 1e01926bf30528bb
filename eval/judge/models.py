"""The port: what a provider of judges is given for one call and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pydantic import SecretStr

from app.errors import Fault
from eval.judge.base import CallSettings, Usage
from eval.judge.prompt import Rendered


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back and was billed, whole or not."""

    text: str
    usage: Usage | None = None
    """None: the provider does not say."""
    fault: Fault | None = None
    """CUT_OFF, BLOCKED or EMPTY: there are no words that may be read."""


class JudgeModel(Protocol):
    """One model of one provider."""

    async def reply(self, messages: Rendered, settings: CallSettings, timeout_s: float) -> Reply:
        """Make one call, without a retry of its own.

        Raises:
            ModelError: no reply, with the fault; never with the key.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """What a provider may need to be built."""

    model: str
    api_key: SecretStr | None = None
    base_url: str | None = None
    deployment: str = ""
    api_version: str = ""

    @property
    def key(self) -> str:
        """The key in the clear; empty if there is none."""
        return self.api_key.get_secret_value() if self.api_key else ""


@dataclass(frozen=True, slots=True)
class JudgeSpec:
    """A provider as the registry knows it."""

    name: str
    default_model: str
    build: Callable[[JudgeOptions], JudgeModel]
    settings: str
    """Prefix of its settings: "openai" for OPENAI_API_KEY and OPENAI_BASE_URL."""
    local_without_key: bool = False
    """Whether a server on this machine or network needs no key."""
    needs_address: bool = False
