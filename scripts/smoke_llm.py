"""Check the chosen language model with one real turn, and say in words what is wrong.

`LLM_PROVIDER=groq GROQ_API_KEY=… python -m scripts.smoke_llm`. Exit codes: 0 the model read the turn,
1 it did not, 2 the settings cannot be used.
"""

from __future__ import annotations

import asyncio
import sys

from app.api.chat import take_turn
from app.composition import load_catalog_side
from app.config import Settings, load_settings
from app.errors import Fault, RecommenderError
from app.observability import configure_logging
from app.records import History, Message, Routing

TURN = History(
    (Message("user", "We hire mid-level bookkeepers who close the books each month; Excel matters."),)
)
ADVICE: dict[str, str] = {
    Fault.TIMEOUT: "No answer in time. Is the address right and the model loaded? LLM__TIMEOUT_S allows longer.",
    Fault.CONNECTION: "The server cannot be reached. Is the base URL right, and does the server run?",
    Fault.SERVER: "The provider has trouble of its own (5xx). Try again later.",
    Fault.RATE: "The key works, but too many calls or tokens a minute. Wait a minute.",
    Fault.QUOTA: "The key works, but its quota is used up for now. Wait, or use another key or plan.",
    Fault.TOO_LARGE: "The prompt is too large for this model or plan. Lower LLM__HISTORY_TOKENS or change LLM_MODEL.",
    Fault.AUTH: "The provider does not accept the key. Check it for typing mistakes and for the right project.",
    Fault.REQUEST: "The provider refuses the request. Does LLM_MODEL exist there? LLM__JSON_SCHEMA=false may help.",
    Fault.EMPTY: "The model answered with nothing. Another LLM_MODEL may do better.",
    Fault.BLOCKED: "A filter of the provider kept the answer back. Another LLM_MODEL may do better.",
    Fault.CUT_OFF: "The answer was cut off. Raise LLM__MAX_OUTPUT_TOKENS, or use a model that thinks less.",
    Fault.MALFORMED: "The answer is not the JSON that was asked for. The model may be too small for this.",
    Fault.NO_RECORDING: "This turn was never recorded.",
    Fault.STALE_RECORDING: "This turn was recorded with another prompt.",
    Fault.INTERNAL: "A mistake of ours; the log above says where.",
}


async def smoke(settings: Settings) -> tuple[bool, str]:
    """Whether the model read one turn, and what to say about it."""
    side = load_catalog_side(settings, lambda *_: None)
    if side.routed is None:
        return False, "LLM_PROVIDER is offline: there is no model to check."
    try:
        deadline = asyncio.get_running_loop().time() + settings.http.deadline_s
        response, trace = await take_turn(TURN, side, deadline, asyncio.to_thread)
    finally:
        await side.routed.router.close()
    listed = ", ".join(item.name for item in response.recommendations) or response.reply
    return not trace.routing.degraded, f"{describe(trace.routing)}\nThe turn: {listed}"


def describe(routing: Routing) -> str:
    """What came of the calls, in words."""
    calls = ", ".join(routing.attempts) or "none"
    if routing.degraded:
        return f"{ADVICE.get(routing.why, routing.why)}\nCalls: {calls}. The rules answered instead."
    tokens = f"{routing.input_tokens or '?'} tokens in, {routing.output_tokens or '?'} out"
    before = ", ".join(routing.attempts[:-1])
    failed = f" Before it failed: {before}." if before else ""
    return f"{routing.router} ({routing.model}) works: {tokens}, {routing.ms:.0f} ms.{failed}"


def main() -> int:
    """Run the check."""
    configure_logging("auto", "error")
    try:
        works, words = asyncio.run(smoke(load_settings()))
    except RecommenderError as exc:
        print(f"{type(exc).__name__}: {exc}", file=sys.stderr)
        return 2
    print(words)
    return 0 if works else 1


if __name__ == "__main__":
    sys.exit(main())
