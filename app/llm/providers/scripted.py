"""Plays recorded answers: a paid run again, without network, key or cost."""

from __future__ import annotations

from app.llm.base import Answer, ModelOptions, Prompt, ProviderSpec
from app.llm.recordings import Recordings


class ScriptedModel:
    """Looks the answer up by the prompt and the exact messages."""

    model = "recorded"

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings

    async def answer(self, prompt: Prompt, timeout_s: float) -> Answer:
        """The recorded answer.

        Raises:
            MissingRecordingError: this conversation was never recorded.
            StaleRecordingError: it was, with another prompt.
        """
        return self._recordings.find(prompt)

    async def close(self) -> None:
        """Nothing is held."""


def build(options: ModelOptions) -> ScriptedModel:
    """Read the recordings.

    Raises:
        ConfigError: they cannot be read.
    """
    assert options.recordings is not None  # checked by the registry
    return ScriptedModel(Recordings.load(options.recordings))


PROVIDER = ProviderSpec(
    name="scripted", default_model="recorded", build=build, needs_key=False, needs_recordings=True
)
