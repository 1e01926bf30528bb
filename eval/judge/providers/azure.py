"""OpenAI's models on Azure: an address, a deployment and a version of their own."""

from __future__ import annotations

from urllib.parse import quote

from eval.judge.models import JudgeOptions, JudgeSpec
from eval.judge.wire import ChatJudge, Wire


def build(options: JudgeOptions) -> ChatJudge:
    """A judge with the key and the deployment of `options`."""
    assert options.base_url is not None  # checked by the registry
    deployment = quote(options.deployment or options.model, safe="")
    path = f"openai/deployments/{deployment}/chat/completions?api-version={quote(options.api_version)}"
    wire = Wire(options.base_url, {"api-key": options.key}, options.key)
    return ChatJudge(wire, options.model, path=path, new_limits=True, schema=True)


JUDGE = JudgeSpec("azure", "gpt-4o-mini", build, "azure", needs_address=True)
