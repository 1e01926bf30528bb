"""Words, sentences, numbers and likeness of texts. Pure, without a model and without state."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

_WORD = re.compile(r"[^\W_]+(?:['’.+#-]?[^\W_]+)*[+#]*")
_SENTENCE_END = re.compile(r"(?<=[.!?।。])\s+|\n+")
_LIST_LINE = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•]|\|)\s*\S")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")


def fold(text: str) -> str:
    """`text` without case, marks and typographic variants."""
    flat = unicodedata.normalize("NFKD", text.replace("–", "-").replace("’", "'"))
    return "".join(c for c in flat if not unicodedata.combining(c)).casefold()


def words(text: str) -> list[str]:
    """The words of `text`, folded."""
    return _WORD.findall(fold(text))


def sentences(text: str) -> list[str]:
    """Sentences and lines of `text`, without empty ones."""
    return [part for raw in _SENTENCE_END.split(text) if (part := raw.strip())]


def list_lines(text: str) -> list[str]:
    """Lines that are numbered, bulleted or rows of a table."""
    return [line.strip() for line in text.splitlines() if _LIST_LINE.match(line)]


def prose(text: str) -> str:
    """`text` without such lines."""
    return "\n".join(line for line in text.splitlines() if not _LIST_LINE.match(line))


def numbers(text: str) -> list[float]:
    """Free-standing numbers of `text`: neither part of a word nor of a version such as 2.0.1."""
    found = []
    for match in _NUMBER.findall(text):
        plain = match.replace(",", "")
        if plain.count(".") <= 1:
            found.append(float(plain))
    return found


def grams(text: str) -> Counter[str]:
    """Runs of 3 to 5 characters within the words of `text`."""
    counted: Counter[str] = Counter()
    for word in words(text):
        padded = f" {word} "
        for size in (3, 4, 5):
            counted.update(_runs(padded, size))
    return counted


def _runs(word: str, size: int) -> Iterator[str]:
    return (word[at : at + size] for at in range(len(word) - size + 1))


def cosine(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Likeness of two bags, 0 to 1, counts damped by a logarithm; 0 when one is empty."""
    if not one or not other:
        return 0.0
    weights = [{key: 1 + math.log(n) for key, n in bag.items()} for bag in (one, other)]
    dot = math.fsum(w * weights[1].get(key, 0.0) for key, w in weights[0].items())
    sizes = [math.sqrt(math.fsum(w * w for w in bag.values())) for bag in weights]
    return dot / (sizes[0] * sizes[1])


def likeness(one: str, other: str) -> float:
    """Cosine of the character runs of two texts."""
    return cosine(grams(one), grams(other))


def containment(part: str, whole: str) -> float:
    """Share of the different words of `part` that stand in `whole`; 0 when `part` has none."""
    wanted = set(words(part))
    return len(wanted & set(words(whole))) / len(wanted) if wanted else 0.0
