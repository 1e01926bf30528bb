"""Turn what a person pasted into plain text, and align it for matching."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

_DROPPED_BLOCKS = re.compile(r"<(script|style|template)\b.*?(</\1\s*>|\Z)|<!--.*?(-->|\Z)", re.I | re.S)
_BLOCK_TAGS = re.compile(
    r"</?(?:p|div|ul|ol|li|h[1-6]|br|tr|table|section|article|header|footer)\b[^<>]*>", re.I
)
_TAGS = re.compile(r"</?[a-zA-Z][^<>]{0,500}>")
_URLS = re.compile(r"https?://\S+|www\.\S+")
_SPACES = re.compile(r"[^\S\n]+")
_DASH = re.compile(r" (?:-{1,3}|–) | --(?=\w)")
_LINES = re.compile(r"\s*\n\s*")

_QUOTES = str.maketrans({
    "‘": "'", "’": "'", "ʼ": "'", "‛": "'", "`": "'", "´": "'",
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
    "…": "...", "•": "\n", "·": "\n", "▪": "\n", "●": "\n", "\r": "\n", "\u2028": "\n", "\u2029": "\n",
    "—": " - ", "‑": "-", "‐": "-", "−": "-",
})  # fmt: skip

# Letters of other scripts that look like Latin ones; replaced only inside a word that also holds
# Latin letters or symbols such as "++", so that Russian or Greek text stays what it is.
_LOOKALIKES = str.maketrans("АВЕКМНОРСТХаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEKMHOPCTXaeopcyxijsABEZHIKMNOPTYX")
_MIXED_WORD = re.compile(r"[^\W\d_]*[\u0370-\u04ff][^\W\d_]*(?:\+\+|#)?", re.U)


def clean(text: str) -> str:
    """Plain text: no markup, no invisible characters, straight quotes, one space.

    Scripts, styles and HTML comments vanish with their content. Line breaks are kept, single.
    """
    text = (
        text.encode("utf-8", "replace").decode("utf-8")
        if any("\ud800" <= c <= "\udfff" for c in text)
        else text
    )
    if "<" in text:
        text = _DROPPED_BLOCKS.sub(" ", text)
        text = _BLOCK_TAGS.sub("\n", text)
        text = _TAGS.sub(" ", text)
    if "&" in text:
        text = html.unescape(text)
    text = unicodedata.normalize("NFKC", text).replace("–", "-").translate(_QUOTES)
    if not text.isascii():
        text = _MIXED_WORD.sub(_unmask, text)
    if not text.isprintable():
        text = "".join(_visible(char) for char in text)
    text = _LINES.sub("\n", _SPACES.sub(" ", text)).strip()
    return _DASH.sub(" – ", text).strip(" \n–")


def _visible(char: str) -> str:
    category = unicodedata.category(char)
    if category in ("Cf", "Cc", "Co", "Cn", "Cs") and char != "\n":
        return " " if char in "\t\v\f" else ""
    if category == "So":  # emoji and dingbats stand between words
        return " "
    return char


def _unmask(match: re.Match[str]) -> str:
    word = match.group()
    replaced = word.translate(_LOOKALIKES)
    looks_latin = _has_latin(word) or word[-1] in "+#"
    return replaced if looks_latin and replaced.isascii() else word


def _has_latin(word: str) -> bool:
    return any("a" <= char.lower() <= "z" for char in word)


_ACCENTED = {
    code: base
    for code in range(0x00C0, 0x0250)
    if (base := unicodedata.normalize("NFD", chr(code))[0]).isascii() and base.isalpha()
}
"""Latin letters with a mark, to the letter without: people leave accents out."""
_FOLDED: dict[int, str | int | None] = {**_ACCENTED, **str.maketrans("-_/\\|", "     ")}
_NOT_TOKEN = re.compile(r"[^\w+#.&']+")


def fold(text: str) -> str:
    """Matching form of `text`, character for character: lower case, no accents, joiners become spaces."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(char.lower()[0] for char in text)
    return lowered.translate(_FOLDED)


def pattern(form: str) -> str:
    """A phrase in matching form, single-spaced."""
    return " ".join(fold(clean(form)).split())


@dataclass(frozen=True, slots=True)
class Text:
    """One message, cleaned, with its matching form; both have the same length."""

    plain: str
    folded: str

    @property
    def is_empty(self) -> bool:
        """Whether there is no letter or digit at all."""
        return not any(char.isalnum() for char in self.plain)


def prepare(raw: str) -> Text:
    """Clean `raw` and align its matching form."""
    plain = clean(raw)
    squeezed: list[str] = []
    previous = " "
    for char, low in zip(plain, fold(plain), strict=True):
        if low == " " and previous == " ":
            continue
        squeezed.append(char)
        previous = low
    plain = "".join(squeezed)
    return Text(plain, fold(plain))


def words(text: str) -> list[str]:
    """Lower-case words of `text`, symbols of technical names kept."""
    return [word.strip(".'&") for word in _NOT_TOKEN.split(fold(text)) if word.strip(".'&")]


def strip_urls(text: str) -> str:
    """`text` without web addresses."""
    return _URLS.sub(" ", text)
