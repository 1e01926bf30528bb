"""How each provider of judges writes on the wire, over the server of `tests.model_server`."""

from __future__ import annotations

import json
from typing import Any

from pydantic import SecretStr

from eval.judge.asking import Patience
from eval.judge.base import CallSettings, Fingerprint, JudgeQuestion, Rubric
from eval.judge.client import JudgeClient
from eval.judge.ledger import Ledger
from eval.judge.models import JudgeModel, JudgeOptions
from eval.judge.prices import PriceTable
from eval.judge.registry import find_judge
from tests.model_server import KEY, WIRES, Wire

ANCHORS = ("nothing", "little", "half", "most", "all")
RUBRIC = Rubric("It is right.", ANCHORS)
QUESTION = JudgeQuestion(
    "accuracy",
    RUBRIC,
    "Which test for a web page author?",
    "HTML5 (New) takes 11 minutes.",
    ("HTML5 (New): 11 minutes, knowledge.",),
)
PATIENT = Patience(timeout_s=5, deadline_s=20)


def verdict(
    score: Any = "3", evidence: tuple[str, ...] = ("takes 11 minutes",), reason: str = "It is."
) -> str:
    """A judge's reply."""
    return json.dumps({"evidence": list(evidence), "reason": reason, "score": score})


def _message(text: str, finish: str) -> str:
    stop = {"stop": "end_turn", "length": "max_tokens", "filter": "refusal"}[finish]
    usage = {
        "input_tokens": 300,
        "cache_read_input_tokens": 20,
        "cache_creation_input_tokens": 1,
        "output_tokens": 45,
    }
    return json.dumps(
        {
            "type": "message",
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": stop,
            "usage": usage,
        }
    )


def _anthropic_error(status: int, words: str) -> str:
    return json.dumps({"type": "error", "error": {"type": str(status), "message": words}})


_OPENAI = WIRES["openai"]
JUDGE_WIRES: dict[str, Wire] = {
    "openai": _OPENAI,
    "groq": WIRES["groq"],
    "gemini": WIRES["gemini"],
    "azure": Wire(
        str,
        "/openai/deployments/some-model/chat/completions",
        _OPENAI.good,
        _OPENAI.none,
        lambda headers: headers.get("api-key", ""),
        lambda body: int(body["max_completion_tokens"]),
        _OPENAI.error,
    ),
    "anthropic": Wire(
        str,
        "/v1/messages",
        _message,
        json.dumps({"type": "message", "content": [], "stop_reason": "end_turn"}),
        lambda headers: headers.get("x-api-key", ""),
        lambda body: int(body["max_tokens"]),
        _anthropic_error,
    ),
}
"""By provider."""


def model_of(name: str, url: str, model: str = "some-model") -> JudgeModel:
    """The provider called `name`, at the test's server."""
    options = JudgeOptions(model, SecretStr(KEY), JUDGE_WIRES[name].address(url), api_version="v")
    return find_judge(name).build(options)


async def _no_wait(_: float) -> None:
    return


def client_of(name: str, url: str, **options: Any) -> JudgeClient:
    """A client that does not wait between attempts, priced as gpt-4o-mini is."""
    given = {
        "ledger": Ledger(),
        "price": PriceTable.load().find("openai", "gpt-4o-mini"),
        "patience": PATIENT,
        "sleep": _no_wait,
        **options,
    }
    return JudgeClient(model_of(name, url), Fingerprint(name, "some-model", "v1", CallSettings()), **given)
