"""Whether a model's prose may be shown: nothing in it that the catalogue does not have."""

from __future__ import annotations

import re

from app.llm.vocabulary import Vocabulary

MOST_PROSE_CHARS = 1_500
_LINK = re.compile(r"(?:https?://|www\.)[^\s<>|)\]\"']+|\]\(", re.I)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_CODE = re.compile(r"[{}<>]|```")


def grounded(text: str, vocabulary: Vocabulary, known: str) -> str:
    """`text` if it may be shown, else "".

    It may not hold a link, unless the catalogue has it; name what looks like a product and is none; state a
    number that is neither in `known` nor in the name of an assessment it names; name an assessment that
    `known` does not; be laid out like a shortlist, which would be read back as one; hold markup; or be long.

    Args:
        text: what the model wrote.
        vocabulary: the catalogue's names.
        known: the facts that the model was given, and what the user wrote.
    """
    text = text.strip()
    if not text or len(text) > MOST_PROSE_CHARS or _CODE.search(text):
        return ""
    addresses = {assessment.url for assessment in vocabulary.catalog}
    if any(link.rstrip(".,;!?") not in addresses for link in _LINK.findall(text)):
        return ""
    named = vocabulary.named_in(text)
    if vocabulary.unknown_in(text) or not set(named) <= set(vocabulary.named_in(known)):
        return ""
    numbers = {
        *_NUMBER.findall(known),
        *(n for i in named for n in _NUMBER.findall(vocabulary.catalog[i].name)),
    }
    if not set(_NUMBER.findall(text)) <= numbers or vocabulary.reads_as_list(text):
        return ""
    return text
