"""What every channel takes and gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from eval.records import ChatMessage, Payload


@dataclass(frozen=True, slots=True)
class AdapterOptions:
    """What a channel may need to be built."""

    url: str | None = None
    timeout_s: float = 30.0
    dense: bool = True
    """Whether the in-process pipeline loads its dense side."""
    provider: str = ""
    """Who reads the conversations in process, as LLM_PROVIDER names it; empty: what LLM_PROVIDER says."""
    recording: Path | None = None
    """File of recorded answers."""


class Adapter(Protocol):
    """A way to the target. Stateless between calls: the whole conversation goes with each."""

    @property
    def target(self) -> str:
        """What is on the other end, for people."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of the results has to know, such as a part that is not loaded."""
        ...

    def ask(self, messages: Sequence[ChatMessage]) -> Payload:
        """The answer to the last of `messages`. Never raises for what the target does or fails to do."""
        ...

    def close(self) -> None:
        """Let go of whatever is held."""
        ...


@dataclass(frozen=True, slots=True)
class AdapterSpec:
    """A channel as the registry knows it."""

    name: str
    summary: str
    build: Callable[[AdapterOptions], Adapter]
    """Raises AdapterError when the options do not suffice or the target cannot be loaded."""
    carries: frozenset[str] = frozenset({"ai_response", "recommendations", "ends"})
    """Parts of an answer that the channel delivers; the others are empty in every payload of it."""
    measures: frozenset[str] = frozenset({"latency_ms"})
    """Times and counts that the channel measures of a whole answer; the others are None in every payload of it."""
