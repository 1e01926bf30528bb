"""Whether a message accepts the list: outright, or with a friendly word and nothing else."""

from __future__ import annotations

import re

from app.understanding.reading import Reading
from app.understanding.sentences import ASKING, SentenceKind

EXTRA_WORDS = 5
"""So many words beside the friendly ones are small talk ("that works for us, many thanks to you all")."""

_FRIENDLY = frozenset({"accept_weak", "accept_strong", "greeting"})
_SETTLING = frozenset({"staging", "next_step", "no_preference", "go_ahead"})
_LAST_CLAUSE = re.compile(
    r"[,.;!\n]|\s(?:and|then|and then|so)\s(?=(?:we|i|it|that|the|with that|call|close|wrap|go|done)\b)"
)
_THANKS = re.compile(
    r"[\s,.!]+(?:(?:many |ok |and )?(?:thanks|thank you|thx|cheers|ta|merci|gracias|danke|obrigado)"
    r"(?: (?:very much|a lot|so much|again|a bunch|all|for (?:the|your) help))?)$"
)
_DENIED = re.compile(
    r"\b(?:not|don't|dont|before|can't|cannot|isn't|until|unless|if|once|when)\s+(?:[\w']+\s+){0,3}$"
)
_BEFORE_WEAK = re.compile(
    r"(?:^|[.!?;,\n:]\s*|– "
    r"|\b(?:and|but|well|so|yes|yeah|yep|yup|sure|fine|alright|right|cool|ok|okay|great|perfect|it's|its|all|very|really"
    r"|looks)\s+)$"
)
_AFTER_WEAK = re.compile(
    r"^\s*(?:$|[.!?;,\n:)]|– |and\b|for (?:me|us|now)\b|from (?:my|our) (?:side|end)\b|by (?:me|us)\b|here\b|indeed\b"
    r"|with (?:that|this|it|me|us)\b|to me\b|then\b|so\b|thanks\b|thank\b|now\b)"
)


def accepts_outright(reading: Reading, *, keeping_counts: bool) -> bool:
    """Whether the message says that the list is final.

    Args:
        reading: the message.
        keeping_counts: whether "keep everything" is acceptance; beside an edit it is part of the edit.
    """
    return _closes(reading) or any(
        group == "accept_strong"
        and (keeping_counts or value != "keep_list")
        and _is_stated(reading, match.start)
        for match in reading.cues
        for group, value in match.value
    )


def accepts_kindly(reading: Reading) -> bool:
    """Whether a friendly word stands alone ("That works, thanks"), so that it means yes."""
    folded = reading.text.folded
    friendly = any(
        ("accept_weak", "yes") in match.value
        and _is_stated(reading, match.start)
        and _BEFORE_WEAK.search(folded[: match.start])
        and _AFTER_WEAK.match(folded[match.end :])
        for match in reading.cues
    )
    return friendly and _extra_words(reading) <= EXTRA_WORDS


def _closes(reading: Reading) -> bool:
    """Whether the last clause is a closing word on its own ("lose the G+, keep the rest, done")."""
    last = _LAST_CLAUSE.split(_THANKS.sub("", reading.text.folded.rstrip(" .!")).rstrip(" .!,"))[-1].strip()
    return any(match.form == last for match in reading.cues if ("accept_last", "yes") in match.value)


def _is_stated(reading: Reading, position: int) -> bool:
    sentence = reading.sentence_of(position)
    if sentence is None or sentence.kind in ASKING:
        return False
    before = reading.text.folded[max(sentence.start, position - 30) : position]
    return _DENIED.search(re.split(r"[,;]", before)[-1]) is None


def _extra_words(reading: Reading) -> int:
    """Words beside the friendly ones, in sentences that neither stage the tests nor tell what comes next."""
    extra = 0
    for sentence in reading.sentences:
        inside = [c for c in reading.cues if sentence.start <= c.start < sentence.end]
        if {group for cue in inside for group, _ in cue.value} & _SETTLING:
            continue
        said = sum(len(c.form.split()) for c in inside if {group for group, _ in c.value} & _FRIENDLY)
        extra += max(0, len(reading.text.folded[sentence.start : sentence.end].split()) - said)
    return extra


def ends_in_question(reading: Reading) -> bool:
    """Whether the last sentence asks something."""
    return bool(reading.sentences) and reading.sentences[-1].kind is SentenceKind.QUESTION
