"""What judging would cost, before anything is asked. Opens no connection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eval.judge.base import Fingerprint, JudgeQuestion, Usage
from eval.judge.cache import JudgeCache, cache_key
from eval.judge.checks import spare_call
from eval.judge.prices import Price, estimate_tokens
from eval.judge.prompt import render

USUAL_REPLY_TOKENS = 150
"""Two quotes and two sentences; the cap is what the most is reckoned with."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Expected calls and micro-dollars. Without a price the cost is None."""

    questions: int
    spared: int
    """No call is of any use."""
    remembered: int
    """In the cache, or asked twice."""
    usage: Usage
    """Of the calls that are left, as they usually are."""
    likely_usd_micro: int | None
    most_usd_micro: int | None
    """If every reply ran to its cap and none had to be repeated."""

    @property
    def calls(self) -> int:
        """Calls that are left."""
        return self.questions - self.spared - self.remembered


def estimate(
    questions: Iterable[JudgeQuestion],
    fingerprint: Fingerprint,
    price: Price | None,
    cache: JudgeCache | None = None,
) -> Estimate:
    """Reckon with the exact prompts of `questions`."""
    asked = spared = remembered = 0
    usual, most = Usage(estimated=True), Usage(estimated=True)
    seen: set[str] = set()
    for question in questions:
        asked += 1
        if spare_call(question) is not None:
            spared += 1
            continue
        messages = render(question)
        key = cache_key(fingerprint, question, messages)
        if key in seen or (cache is not None and cache.get(key) is not None):
            remembered += 1
            continue
        seen.add(key)
        read = estimate_tokens(messages.system, messages.user)
        usual += Usage(read, output_tokens=USUAL_REPLY_TOKENS, estimated=True)
        most += Usage(read, output_tokens=fingerprint.settings.max_output_tokens, estimated=True)
    return Estimate(
        asked,
        spared,
        remembered,
        usual,
        price.cost(usual) if price else None,
        price.cost(most) if price else None,
    )
