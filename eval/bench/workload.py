"""What the server is asked: our own conversations, and texts made from our own sentences."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

from eval.datasets.conversations import load_conversations

KNOWLEDGE = Path(__file__).resolve().parents[2] / "data" / "knowledge"
JOB_WORDS = 4_000
MESSAGE_CHARACTERS = 32_000
"""The service's own limit for one message."""

Script = tuple[str, ...]
"""What the user of one conversation says, in order."""

_STARTS = ("Al", "Bor", "Cas", "Del", "Ers", "Fal", "Gor", "Hel", "Ivo", "Jun", "Kar", "Lum", "Mer", "Nor")
_MIDDLES = ("ba", "de", "fi", "go", "ka", "li", "mo", "ne", "ri", "sta", "ti", "vo")
_ENDS = ("line", "mark", "nova", "port", "ris", "ston", "tec", "via", "wick", "zen")
_LIST = re.compile(r"(?<=[ :])[\w+#./-]+(?:, [\w+#./-]+){1,5}(?=,? and [\w+#./-]+)")


def load_scripts() -> list[Script]:
    """The conversations to develop against."""
    return [tuple(turn.user for turn in case.turns) for case in load_conversations(["dev"])]


def vary(script: Script, rng: random.Random) -> Script:
    """The same conversation of another company: its name in every message, listed things in another order.

    No message of it has been seen before, so nothing that is remembered by content answers it.
    """
    company = rng.choice(_STARTS) + rng.choice(_MIDDLES) + rng.choice(_MIDDLES) + rng.choice(_ENDS)
    number = rng.randint(100, 999_999)

    def shuffle(found: re.Match[str]) -> str:
        things = found[0].split(", ")
        rng.shuffle(things)
        return ", ".join(things)

    return tuple(
        f"{_LIST.sub(shuffle, text)} ({company}, request {number}-{n})" for n, text in enumerate(script)
    )


def load_sentences() -> list[str]:
    """Every sentence of our summaries of assessments, in file order."""
    summaries = (
        json.loads(line)["summary"]
        for path in sorted((KNOWLEDGE / "assessments").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    )
    return [sentence for summary in summaries for sentence in re.split(r"(?<=[.;])\s+", summary)]


def job_text(sentences: Sequence[str], role: str, rng: random.Random, words: int = JOB_WORDS) -> str:
    """A job description of `words` words for `role`, with the sentences in an order of its own."""
    text = f"We are hiring a {role}. The full job description follows.".split()
    while len(text) < words:
        for sentence in rng.sample(sentences, len(sentences)):
            text.extend(sentence.split())
    job = " ".join(text[:words])
    assert len(job) <= MESSAGE_CHARACTERS, f"{len(job)} characters"
    return job
