"""The words by which figures are recognised, and the patterns made of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

import yaml

_FILE = Path(__file__).parent / "numbers.yaml"
_DIGITS = r"\d(?:[\d,]*\d)?(?:\.\d+)?|\.\d+"
_END = r"(?![\w.]*\w)"
"""Not inside a longer word or number."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of `numbers.yaml` and the compiled patterns."""

    scales: dict[str, Decimal]
    letters: dict[str, Decimal]
    words: dict[str, Decimal]
    fractions: dict[str, Decimal]
    percent: frozenset[str]
    points: frozenset[str]
    basis_points: frozenset[str]
    currency: frozenset[str]
    about: re.Pattern[str]
    """At the end of what stands before a figure."""
    falling: re.Pattern[str]
    before_negative: re.Pattern[str]
    figure: re.Pattern[str]
    """Groups: open, sign, cur, num, word, scale, letter, unit, back (currency behind), close."""
    excluded: tuple[tuple[str, re.Pattern[str]], ...]
    """Kind and pattern of everything that has digits and measures nothing, in the order they are looked for."""
    counted: re.Pattern[str]
    """At the start of what stands behind a figure."""


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary, read once."""
    raw = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    scales = {word: Decimal(value) for value, words in raw["scales"].items() for word in words}
    letters = {letter: Decimal(value) for letter, value in raw["letters"].items()}
    return Vocabulary(
        scales=scales,
        letters=letters,
        words={word: Decimal(str(value)) for word, value in raw["words"].items()},
        fractions={word: Decimal(str(value)) for word, value in raw["fractions"].items()},
        percent=frozenset(raw["percent"]),
        points=frozenset(raw["points"]),
        basis_points=frozenset(raw["basis_points"]),
        currency=frozenset(raw["currency"]),
        about=_compile(rf"{any_of(raw['about'])}\s*(?:{any_of(raw['currency'])}\s*)?$"),
        falling=_compile(rf"{any_of(raw['falling'])}(?:\s+\S+){{0,2}}\s*$"),
        before_negative=_compile(
            rf"(?:^|[|:=\t\n]|{any_of(raw['before_negative'])}|{any_of(raw['currency'])})\s*$"
        ),
        figure=_figure(raw, scales),
        excluded=_excluded(raw),
        counted=_compile(rf"\s*(?:\w+\s+)?{any_of(raw['counted'])}"),
    )


def spans(text: str) -> list[tuple[int, int]]:
    """Ranges of everything in `text` that has digits: figures, and dates, codes and the like."""
    words = vocabulary()
    patterns = [words.figure, *(pattern for _, pattern in words.excluded)]
    return [match.span() for pattern in patterns for match in pattern.finditer(text)]


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def any_of(words: list[str]) -> str:
    """Pattern for one of `words`, longest first, not within a longer word."""
    ordered = sorted(words, key=len, reverse=True)
    return "(?:" + "|".join(_word(str(word)) for word in ordered) + ")"


def _word(word: str) -> str:
    before = r"(?<!\w)" if word[0].isalpha() else ""
    after = r"(?!\w)" if word[-1].isalpha() or word[-1] > "ऀ" else ""
    return before + re.escape(word).replace(r"\ ", r"\s+") + after


def _figure(raw: dict[str, list[str]], scales: dict[str, Decimal]) -> re.Pattern[str]:
    scale = "|".join(re.escape(word) for word in sorted(scales, key=len, reverse=True))
    numbers = any_of([*raw["words"]])
    fraction = any_of([*raw["fractions"]])
    unit = any_of([*raw["points"], *raw["basis_points"], *raw["percent"]])
    unit = unit.replace(r"(?<!\w)", "")  # 12pp, 5bps
    currency = any_of(raw["currency"]).replace(r"(?!\w)", "")  # Rs500, INR500
    return _compile(
        rf"(?P<open>\((?=\s*(?:{currency})?\s*\d))?\s*(?P<sign>[-−+](?=\s*(?:{currency}\s*)?[\d.]))?\s*"
        rf"(?:(?P<cur>{currency})\s*)?(?P<sign2>[-−](?=\d))?"
        rf"(?:(?P<num>(?<![\w.,])(?:{_DIGITS})|(?<=[₹$.])(?:{_DIGITS})|(?<=rs)(?:{_DIGITS})|(?<=inr)(?:{_DIGITS}))"
        rf"|(?P<word>(?:{fraction}\s+)?{numbers}|{fraction}(?=\s+(?:{scale})))(?=\s+(?:{scale})(?!\w)))"
        rf"(?:\s*(?P<scale>{scale})(?!\w)|(?P<letter>\s?[{''.join(raw['letters'])}])(?!\w))?"
        rf"(?:\s*(?P<unit>{unit}))?(?:\s*(?P<back>{any_of(raw['currency'])}))?(?P<close>\s*\))?"
    )


def _excluded(raw: dict[str, list[str]]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    months = any_of(raw["months"])
    things, signs = any_of(raw["named_things"]), "|".join(re.escape(sign) for sign in raw["number_signs"])
    ranks, framing, spans = any_of(raw["ranks"]), any_of(raw["framing"]), any_of(raw["spans"])
    patterns = [
        ("date", r"(?<!\d)\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?(?!\d)"),
        ("date", r"(?<![\d.,/])\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}(?![\d/])"),
        (
            "date",
            rf"(?<![\d.,])\d{{1,2}}(?:st|nd|rd|th)?(?:\s*(?:[-–,&]|and|to|aur|और)\s*\d{{1,2}}(?:st|nd|rd|th)?)*[\s-]+(?:of\s+)?{months}(?:[\s,'-]*\d{{2,4}}(?!\d))?",
        ),
        (
            "date",
            rf"{months}[\s-]+\d{{1,2}}(?:st|nd|rd|th)?(?:\s*[-–]\s*\d{{1,2}})?(?!\d)(?:,?\s+\d{{4}}(?!\d))?",
        ),
        ("date", rf"{months}[\s,'’-]*(?:\d{{4}}|(?<=['’-])\d{{2}})(?!\d)"),
        ("date", r"(?<!\w)\d{4}-(?:0[1-9]|1[0-2])(?!\d)"),
        (
            "year",
            r"(?<!\w)(?:FY|(?:financial|fiscal)\s+year|vittiya\s+varsh|वित्त(?:ीय)?\s+वर्ष)\s*'?\d{2,4}(?:\s*[-–/]\s*\d{2,4})?(?!\w)|(?<![\w,.])(?:19|20)\d{2}\s*[-–/]\s*\d{2}(?!\w|,\d)",
        ),
        (
            "date",
            r"(?<!\w)(?:Q[1-4]|H[12]|W\d{1,2}|(?:week|wk|quarter|hafta|सप्ताह)\s*(?:no\.?\s*)?#?\d{1,2})(?!\w)",
        ),
        (
            "time",
            r"(?<!\d)\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]\.?m\.?)?(?!\d)|(?<![\d.,])\d{1,2}\s*[ap]\.?m\.?(?!\w)",
        ),
        ("code", r"(?<!\w)\+91[\s-]?\d{5}[\s-]?\d{5}(?!\d)"),
        ("rank", r"(?<![\w.])\d+(?:st|nd|rd|th)(?!\w)"),
        ("rank", r"(?:^|(?<=\n))\s*[-*]?\s*\d{1,3}[.)](?=\s)"),
        ("duration", rf"{framing}\s+\d+\s*{spans}"),
        ("code", rf"{things}\s*(?:(?:{signs})\s*:?|[-#])*\s*#?\d[\w-]*(?!\s*(?:%|percent))(?![.,]\d)"),
        (
            "code",
            r"(?<![\w₹$])(?!(?:rs|inr|usd)\d)(?:[a-z]+[-/_]?)+\d[\w/-]*|(?<![\w.,₹$])\d+-\d+[ac-jn-z](?!\w)",
        ),
        ("code", r"(?<![\w.,₹$])\d+[-/_][a-z][\w-]*|(?<![\w.,₹$])\d+(?:[a-jn-z]|[klm](?=\w))[a-z]*\d[\w-]*"),
        ("rank", rf"{ranks}\s*(?:#|no\.?|number)?\s*\d{{1,3}}(?![\d,.]*\d|\s*%)|(?<!\w)#\s?\d+(?!\w)"),
    ]
    return tuple((kind, _compile(pattern)) for kind, pattern in patterns)
