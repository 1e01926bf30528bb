"""The port of a language model that reads a conversation. No provider is behind it yet: the service is offline."""

from app.llm.base import Answer, LanguageModel, Prompt

__all__ = ["Answer", "LanguageModel", "Prompt"]
