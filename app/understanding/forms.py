"""Other ways to write a phrase of the vocabulary: plurals, two spellings in use, short titles, turned pairs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping


class Variants:
    """Adds to phrases what people write as well; the phrases themselves always come first."""

    def __init__(self, either: Mapping[str, str], short_titles: Mapping[str, str]) -> None:
        """Take the pairs of data/lexicon/spellings.json.

        Args:
            either: words in two spellings ("center", "centre"); with "-" behind them beginnings of words.
            short_titles: last words of titles and what is said for them ("technician", "tech").
        """
        pairs = [*either.items(), *((other, one) for one, other in either.items())]
        self._spellings = [(_word(one), other.removesuffix("-")) for one, other in pairs]
        self._short_titles = short_titles

    def of_phrases(self, forms: Iterable[str]) -> list[str]:
        """The forms, then their other spellings, then the plurals of all."""
        spelt = list(forms)
        spelt += [other for form in spelt for other in self._respelt(form)]
        return [*spelt, *(each for form in spelt for each in plural(form))]

    def of_titles(self, roles: Iterable[str]) -> list[str]:
        """The same for titles, short ones included; a short title alone ("tech") says too little."""
        titles = list(roles)
        short = [
            f"{title.removesuffix(long)}{brief}"
            for title in titles
            for long, brief in self._short_titles.items()
            if title.endswith(f" {long}")
        ]
        return self.of_phrases([*titles, *short])

    def _respelt(self, form: str) -> Iterable[str]:
        for one, other in self._spellings:
            respelt = one.sub(other, form)
            if respelt != form:
                yield respelt


def turned(form: str) -> str:
    """A pair the other way round ("reading and reasoning"); empty for what is no pair."""
    first, joint, second = form.partition(" and ")
    return f"{second} and {first}" if joint else ""


def plural(form: str) -> list[str]:
    """Regular English plurals of a phrase, by its last word."""
    if len(form) < 4 or not form[-1].isalpha() or form.endswith("s"):
        return [form + "es"] if form.endswith(("ss", "ch")) else []
    if form.endswith("y") and form[-2] not in "aeiou":
        return [form[:-1] + "ies"]
    if form.endswith(("man", "woman")):
        return [form[:-2] + "en"]
    hissing = form.endswith(("ch", "sh", "x")) and not form.endswith("tech")
    return [form + ("es" if hissing else "s")]


def _word(spelling: str) -> re.Pattern[str]:
    if spelling.endswith("-"):
        return re.compile(rf"\b{re.escape(spelling[:-1])}")
    return re.compile(rf"\b{re.escape(spelling)}(?=s?\b)")
