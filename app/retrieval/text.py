"""Which text stands for an assessment, and how text becomes tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from app.catalog import Assessment
from app.catalog.models import TYPE_LABELS
from app.knowledge import Entry

TEXT_VERSION: int = 1
"""Raise it whenever `document` gives other text than before: stored embeddings then count as stale."""

_STOP_WORDS = frozenset(
    """
    a about all also am an and any are aren as at be been being but by can could did didn do does doesn
    don each eg etc for from had has have having he her here him his how i ie if in into is isn it its
    just me more most my no nor not of on only or other our out own same she should shouldn so some such
    than that the their them then there these they this those to too very was wasn we were what when
    where which while who why will with won would you your
    find give hello hi kindly like look looking need new please recommend suggest thank thanks want
    """.split()  # one word a line would be a hundred lines
)
"""Function words, and words that only say that something is asked for. Kept short: words that most documents
share lose their weight when the index is built, and a word left out here can never be searched."""

_ACCENTS = re.compile("[\u0300-\u036f]")
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
"""Soft hyphen, zero-width characters, direction marks."""
_PUNCTUATION = str.maketrans(
    dict.fromkeys("\u2018\u2019\u02bc", "'") | dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-")
)

_SPELLINGS: tuple[tuple[str, re.Pattern[str], str], ...] = tuple(
    (hint, re.compile(pattern), spelling)
    for hint, pattern, spelling in (
        ("'", r"(?<=\w)'(?:s|t|re|ve|ll|d|m)\b", ""),
        (".", r"(?<=\b[a-z])\.(?=[a-z]\b)", ""),  # u.s., e.g.
        ("&", r"\b([a-z]) ?& ?([a-z])\b", r"\1&\2"),
        ("net", r"\b(asp|vb|ado)[\s.-]{0,3}(?:dot[\s.-]{0,3})?net\b", r"\1.net"),
        ("net", r"\bdot[\s.-]{0,3}net\b", ".net"),
        ("net", r"(?<![\w.])net(?=[\s-](?:core|developer|framework|mvc|mvvm|wcf|wpf|xaml)\b)", ".net"),
        (
            "js",
            r"\b(angular|backbone|d3|ember|express|next|node|nuxt|react|three|vue)[\s.-]{0,3}"
            r"(?:dot[\s.-]{0,3})?js\b",
            r"\1.js",
        ),
        ("sharp", r"\b([cf])[\s-]?sharp\b", r"\1#"),
        ("plus", r"\bc[\s-]?plus[\s-]?plus\b", "c++"),
        ("cpp", r"\bcpp\b", "c++"),
        ("sql", r"\bpl[\s/-]{0,3}sql\b", "pl/sql"),
        ("tsql", r"\btsql\b", "t-sql"),
        ("cd", r"\bci[\s/-]{0,3}cd\b", "ci/cd"),
    )
)
"""Casual writings of one name, brought to the spelling that `_CHUNK` knows. In order: asp.net before .net.
Each with letters that all its forms hold: looking for those first is far cheaper than the pattern."""

_LETTERS = "(?:[^\\W_]|[\u0900-\u0963\u0966-\u0e7f])+"
"""A run of word characters. Indic and Thai blocks are named because `re` does not take their vowel signs for
letters; U+0964 and U+0965 are full stops."""

_CHUNK = re.compile(  # `plain` is the short cut of nine words in ten
    rf"""
    (?P<plain> [a-z]{{2,}} (?= [\s,;:!?)] | \.(?:\s|\Z) | \Z ) )
  | (?P<symbol> (?<!\w) (?: [a-z]\+\+ | [a-z]\+(?![\w+]) | [cf]\# | \.net(?!\w) | [a-z]&[a-z](?!\w) ) )
  | (?P<dotted> (?:asp|vb|ado)\.net(?!\w) | [a-z0-9]+\.js(?!\w) | (?<!\w)(?:pl/sql|ci/cd)(?!\w) )
  | v?(?P<version> \d+(?:\.\d+)+ )
  | (?P<words> {_LETTERS} (?:-{_LETTERS})* )
    """,
    re.VERBOSE,
)
_RUNS = re.compile(r"\d+|\D+")


def document(assessment: Assessment, entry: Entry) -> str:
    """The text by which `assessment` is found: names first, then what it measures and for whom.

    The vendor's "(New)" is left out of the name: it is on most of the catalogue and tells nothing.
    """
    parts = (
        " ".join(assessment.name.replace("(New)", " ").split()),
        ", ".join(entry.aliases),
        entry.summary.rstrip(". "),
        ", ".join(entry.topics),
        ", ".join(entry.suits),
        ", ".join(TYPE_LABELS[code] for code in assessment.types),
    )
    return ". ".join(part for part in parts if part) + "."


def tokenize(text: str) -> list[str]:
    """The words of `text` in order, for counting; empty if it says nothing that can be looked for.

    - Compatibility forms are unified (NFKC); case, accents and invisible characters do not count.
    - Technology names keep their symbols and get one spelling however they were written: c++, c#, f#, .net,
      asp.net, node.js, pl/sql, ci/cd. Names made of words give those too (asp.net: asp.net, asp, .net).
      A symbol is never dropped: c++ does not give c, r&d does not give r.
    - A word of letters and digits comes whole and in parts: java8, java, 8. So does a pair with a hyphen:
      frontend, front, end. Single letters that arise only by such a split are left out: c-level gives no c.
    - Version numbers stay whole, 6.0 gives 6 as well.
    - Plural endings go (databases: database). Function words and words of asking are dropped.
    """
    tokens: list[str] = []
    for chunk in _CHUNK.finditer(_normal(text)):
        if chunk.lastgroup != "plain":
            tokens.extend(_tokens(chunk))
        elif chunk[0] not in _STOP_WORDS:
            tokens.append(_singular(chunk[0]))
    return tokens


def without_stop_words(text: str) -> str:
    """`text` without function words and words of asking, everything else as it was; all of it if only such are there."""
    telling = [word for word in text.split() if word.strip(",.;:!?()").lower() not in _STOP_WORDS]
    return " ".join(telling) or text


def _normal(text: str) -> str:
    """`text` in one case and one spelling of everything that `_SPELLINGS` lists."""
    plain = text.lower() if text.isascii() else _ascii_like(text)
    for hint, pattern, spelling in _SPELLINGS:
        if hint in plain:
            plain = pattern.sub(spelling, plain)
    return plain


def _ascii_like(text: str) -> str:
    """`text` without what an ASCII text cannot have: accents, variants of one letter, typographic marks."""
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", _INVISIBLE.sub("", text)))
    return unicodedata.normalize("NFC", bare).lower().translate(_PUNCTUATION)


def _tokens(chunk: re.Match[str]) -> Iterator[str]:
    match chunk.lastgroup:
        case "symbol":
            yield chunk["symbol"]
        case "dotted":
            yield from _dotted(chunk["dotted"])
        case "version":
            yield chunk["version"]
            if chunk["version"].endswith(".0"):
                yield chunk["version"].removesuffix(".0")
        case _:
            yield from _words(chunk["words"])


def _dotted(name: str) -> Iterator[str]:
    """`name` and the words in it that mean something alone."""
    yield name
    if name.endswith(".net"):
        yield from (name.removesuffix(".net"), ".net")
    elif name.endswith(".js"):
        yield name.removesuffix(".js")
    else:
        yield from name.split("/")


def _words(chain: str) -> Iterator[str]:
    """Tokens of words joined by hyphens, or of one word."""
    words = chain.split("-")
    if len(words) == 2 and words[0][0].isalpha():
        yield _singular("".join(words))
    for word in words:
        if word in _STOP_WORDS or (len(words) > 1 and len(word) == 1 and word.isalpha()):
            continue
        yield _singular(word)
        runs = _RUNS.findall(word)
        if len(runs) > 1:
            yield from (run for run in runs if run.isdigit() or len(run) > 1)


def _singular(word: str) -> str:
    """`word` without an English plural ending, judged by its letters alone.

    Series becomes sery: harmless, since queries and documents go the same way.
    """
    if word[-1] != "s" or len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1]
