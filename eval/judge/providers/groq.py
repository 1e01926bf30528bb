"""Groq, which takes a JSON schema for some models only."""

from __future__ import annotations

from eval.judge.models import JudgeOptions, JudgeSpec
from eval.judge.wire import ChatJudge, Wire

GROQ = "https://api.groq.com"
_WITH_SCHEMA = ("openai/gpt-oss", "meta-llama/llama-4", "moonshotai/kimi-k2")


def build(options: JudgeOptions) -> ChatJudge:
    """A judge with the key and the address of `options`."""
    wire = Wire(options.base_url or GROQ, {"authorization": f"Bearer {options.key}"}, options.key)
    return ChatJudge(
        wire,
        options.model,
        path="openai/v1/chat/completions",
        new_limits=True,
        schema=options.model.startswith(_WITH_SCHEMA),
    )


JUDGE = JudgeSpec("groq", "llama-3.3-70b-versatile", build, "groq")
