"""Correct typos towards the words of the vocabulary, never away from real words."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from app.understanding.lexicon import Lexicon
from app.understanding.text import Text, prepare

_TOKEN = re.compile(r"(?<![\w.])[a-z]{4,}(?![\w+#])")
SHORT_WORD = 7
"""Words up to this length may be one slip away from the right one, longer ones two."""

TIED = 6
"""Words that may be equally near and still mean one thing."""


class Speller:
    """Finds the vocabulary word that a misspelt word stands for."""

    def __init__(self, lexicon: Lexicon, cache_size: int = 8192) -> None:
        self._lexicon = lexicon
        self._candidates: dict[str, list[str]] = defaultdict(list)
        for word in sorted(lexicon.spellings):
            self._candidates[word[:2]].append(word)
        self._starts: dict[str, list[str]] = defaultdict(list)
        for start in self._candidates:
            self._starts[start[0]].append(start)
        self._words = frozenset(
            word for index in lexicon.indexes for form in index.forms for word in form.split()
        )
        self._phrases = lexicon.skills.forms | lexicon.names.forms
        self.correct = lru_cache(maxsize=cache_size)(self._correct)

    def repair(self, text: Text) -> Text:
        """`text` with typos of vocabulary words corrected; the very same object if there is none."""
        plain: list[str] = []
        end = 0
        for match in _TOKEN.finditer(text.folded):
            right = self.correct(match.group())
            if right is not None:
                capital = text.plain[match.start()].isupper()  # tells a name from a word
                plain += [text.plain[end : match.start()], right.capitalize() if capital else right]
                end = match.end()
        repaired = self._join_split("".join(plain) + text.plain[end:])
        return text if repaired == text.plain else prepare(repaired)

    def _correct(self, word: str) -> str | None:
        stem = _singular(word)
        if {word, stem} & self._words or {word, stem} & self._lexicon.known_words:
            return None
        allowed = 1 if len(word) <= SHORT_WORD else 2
        starts = dict.fromkeys((*self._starts.get(word[0], ()), word[1::-1]))  # or its first two swapped
        candidates = [each for start in starts for each in self._candidates.get(start, ())]
        found = process.extract(word, candidates, scorer=OSA.distance, score_cutoff=allowed, limit=TIED)
        nearest = [each for each, distance, _ in found if distance == found[0][1]]
        return nearest[0] if len({self._meaning(each) for each in nearest}) == 1 else None

    def _meaning(self, word: str) -> str:
        """The skill or role that the word alone names; the vocabulary holds common misspellings of one too."""
        for index in (self._lexicon.skills, self._lexicon.roles):
            for match in index.find(word):
                return str(match.value)
        return word

    def _join_split(self, plain: str) -> str:
        """Join a word that was split in two ("ang ular"), if the halves are no words and no phrase ("MS Excel")."""
        joined: list[str] = []
        for word in plain.split(" "):
            glued = (joined[-1] + word).lower() if joined else ""
            halves_are_words = (
                bool(joined) and self._is_word(joined[-1].lower()) and self._is_word(word.lower())
            )
            apart = bool(joined) and f"{joined[-1]} {word}".lower() in self._phrases
            if self._lexicon.spellings.get(glued) == "skill" and not halves_are_words and not apart:
                joined[-1] += word
            else:
                joined.append(word)
        return " ".join(joined)

    def _is_word(self, word: str) -> bool:
        return len(word) >= 4 and (word in self._lexicon.known_words or word in self._words)


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") else word
