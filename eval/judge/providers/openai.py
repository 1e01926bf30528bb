"""OpenAI and every server that speaks like it (Ollama, vLLM, llama.cpp)."""

from __future__ import annotations

from eval.judge.models import JudgeOptions, JudgeSpec
from eval.judge.wire import ChatJudge, Wire

OPENAI = "https://api.openai.com/v1"


def build(options: JudgeOptions) -> ChatJudge:
    """A judge with the key and the address of `options`."""
    address = options.base_url or OPENAI
    headers = {"authorization": f"Bearer {options.key}"} if options.key else {}
    own = address.startswith(OPENAI)
    return ChatJudge(Wire(address, headers, options.key), options.model, new_limits=own, schema=True)


JUDGE = JudgeSpec("openai", "gpt-4o-mini", build, "openai", local_without_key=True)
