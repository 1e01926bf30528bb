"""Reads the figures of a text: value, unit and displayed precision; dates, ranks, codes and years told apart."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from eval.oracle.vocabulary import vocabulary

ABOUT_TOLERANCE = Decimal("0.005")
"""Relative; only for a figure that says of itself that it is about right."""
_FIRST_YEAR, _LAST_YEAR = 1990, 2049
_RANGE = re.compile(r"\s*(?:-|–|—|to|se|से|and|aur)\s*", re.IGNORECASE)
_JOINED = re.compile(r"\s+(?:(?:and|aur|और)\s+)?")
_DASH = re.compile(r"[\w)%][-−+].$|[-−+]\s$", re.DOTALL)
"""A dash between two things, or before a space, is no sign."""
_FROM = re.compile(r"\bfrom\s*$", re.IGNORECASE)
_MINUS = ("-", "−")
_BETWEEN = re.compile(r"\b(?:between|beech)\s*$", re.IGNORECASE)

OtherKind = Literal["date", "year", "time", "rank", "code", "duration"]


class Unit(StrEnum):
    """What a figure measures in. Figures of different units are never compared."""

    PLAIN = "plain"
    """A count, or money that is not marked as such."""
    MONEY = "money"
    PERCENT = "percent"
    POINTS = "points"
    """Percentage points: the difference of two percentages."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One figure as it is shown."""

    value: Decimal
    unit: Unit
    step: Decimal
    """Value of one in the last digit shown: 10,000 for "4.2 lakh"."""
    start: int
    end: int
    """Half-open range of characters."""
    about: bool = False
    falling: bool = False
    """Whether words around it say that it is a decrease: it then also stands for the negative value."""
    upper: Decimal | None = None
    """Other end of a range."""
    scale: Decimal = Decimal(1)

    def agrees(self, other: Decimal) -> bool:
        """Whether `other`, which is exact, is what is shown: within half a step, or in the range, or about it."""
        signed = [other, -other] if self.falling and self.value > 0 else [other]
        return any(self._holds(each) for each in signed)

    def _holds(self, other: Decimal) -> bool:
        slack = self.step / 2
        if self.about:
            slack = max(slack, ABOUT_TOLERANCE * abs(other))
        upper = self.value if self.upper is None else self.upper
        return self.value - slack <= other <= upper + slack


@dataclass(frozen=True, slots=True)
class Other:
    """Digits that measure nothing."""

    kind: OtherKind
    text: str
    start: int
    end: int


def quantities(text: str) -> tuple[Quantity, ...]:
    """The figures of `text` in order."""
    return _read(text)[0]


def others(text: str) -> tuple[Other, ...]:
    """The digits of `text` that are dates, years, times, ranks, codes or the length of a period, in order."""
    return _read(text)[1]


def comparable(shown: Unit, asked: Unit) -> bool:
    """Whether figures of two units may be compared: money is often shown without its sign, nothing else is."""
    return shown is asked or {shown, asked} == {Unit.PLAIN, Unit.MONEY}


def _read(text: str) -> tuple[tuple[Quantity, ...], tuple[Other, ...]]:
    masked = text
    found: list[Other] = []
    for kind, pattern in vocabulary().excluded:
        for match in pattern.finditer(masked):
            if kind == "date" and _is_money(text, match):
                continue
            found.append(Other(kind, match[0].strip(), match.start(), match.end()))  # type: ignore[arg-type]
            masked = masked[: match.start()] + "\x00" * (match.end() - match.start()) + masked[match.end() :]
    figures: list[Quantity] = []
    for match in vocabulary().figure.finditer(masked):
        quantity = _quantity(match, masked)
        if quantity is None:
            continue
        if _is_year(match, quantity, masked):
            found.append(Other("year", match[0].strip(), quantity.start, quantity.end))
        else:
            figures.append(quantity)
    return _merged(figures, masked), tuple(sorted(found, key=lambda each: each.start))


def _is_money(text: str, match: re.Match[str]) -> bool:
    return text[: match.start()].rstrip()[-1:] in ("₹", "$")


def _quantity(match: re.Match[str], text: str) -> Quantity | None:
    words = vocabulary()
    number = match["num"]
    value = Decimal(number.replace(",", "")) if number else _spelled(match["word"])
    if value is None:
        return None
    scale, used = _scale(match)
    unit = _unit(match)
    end = match.start("letter") if match["letter"] and not used else match.end()
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    before = text[:start]
    in_brackets = bool(match["open"] and match["close"] and _whole(match, used))
    if match["close"] and not in_brackets:
        end = match.start("close")
    if match["open"] and not in_brackets:
        start += 1
    sign = match["sign"] or ""
    if sign and _DASH.search(text[: match.end("sign") + 1]):
        sign, start = "", match.end("sign")
    accounted = in_brackets and words.before_negative.search(before) is not None
    negative = sign in _MINUS or bool(match["sign2"]) or accounted
    decimals = len((number or f"{value.normalize():f}").partition(".")[2])
    basis = Decimal("0.01") if match["unit"] and _plain(match["unit"]) in words.basis_points else Decimal(1)
    return Quantity(
        value=(-value if negative else value) * scale * basis,
        unit=unit,
        step=Decimal(1).scaleb(-decimals) * scale * basis,
        start=start,
        end=end,
        about=bool(words.about.search(before)),
        falling=bool(words.falling.search(before)),
        scale=scale,
    )


def _whole(match: re.Match[str], letter_used: bool) -> bool:
    """Whether everything between the brackets belongs to the figure."""
    return letter_used or not match["letter"]


def _scale(match: re.Match[str]) -> tuple[Decimal, bool]:
    """The scale, and whether a single letter behind the digits is part of the figure."""
    if match["scale"]:
        return vocabulary().scales[match["scale"].lower()], True
    letter = match["letter"]
    if letter and (not letter[0].isspace() or match["cur"]):
        return vocabulary().letters[letter.strip().lower()], True
    return Decimal(1), not letter


def _unit(match: re.Match[str]) -> Unit:
    words, unit = vocabulary(), _plain(match["unit"] or "")
    if unit in words.points or unit in words.basis_points:
        return Unit.POINTS
    if unit in words.percent:
        return Unit.PERCENT
    return Unit.MONEY if match["cur"] or match["back"] else Unit.PLAIN


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.lower())


def _spelled(text: str) -> Decimal | None:
    words = vocabulary()
    parts = text.lower().split()
    total = sum((words.fractions.get(part, Decimal(0)) for part in parts), Decimal(0))
    numbers = [words.words[part] for part in parts if part in words.words]
    if not numbers and total:
        return 1 + total  # sawa lakh: one and a quarter
    return total + numbers[-1] if numbers else None


def _is_year(match: re.Match[str], quantity: Quantity, text: str) -> bool:
    bare = match["num"] and match["num"].isdigit() and len(match["num"]) == 4 and quantity.scale == 1
    if not bare or match["cur"] or match["back"] or match["unit"] or match["sign"] or match["open"]:
        return False
    in_cell = re.search(r"\|\s*$", text[: quantity.start]) is not None
    counted = vocabulary().counted.match(text, quantity.end) is not None
    return _FIRST_YEAR <= quantity.value <= _LAST_YEAR and not counted and not in_cell


def _merged(figures: list[Quantity], text: str) -> tuple[Quantity, ...]:
    """Ranges ("4 to 5 lakh") and figures in parts ("1 crore 20 lakh") as one figure each."""
    found: list[Quantity] = []
    for figure in figures:
        last = found[-1] if found else None
        joined = _joined(last, figure, text) if last is not None else None
        if joined is not None:
            found[-1] = joined
        else:
            found.append(figure)
    return tuple(found)


def _joined(first: Quantity, second: Quantity, text: str) -> Quantity | None:
    between = text[first.end : second.start]
    if first.scale > second.scale > 1 and first.upper is None and _JOINED.fullmatch(between):
        unit = second.unit if first.unit is Unit.PLAIN else first.unit
        value = first.value + second.value
        return replace(first, value=value, step=second.step, unit=unit, end=second.end, scale=second.scale)
    word = between.strip().lower()
    if not _RANGE.fullmatch(between) or first.upper is not None:
        return None
    if word in ("and", "aur") and not _BETWEEN.search(text[: first.start]):
        return None
    return None if _FROM.search(text[: first.start]) else _range(first, second)


def _range(first: Quantity, second: Quantity) -> Quantity | None:
    """Unit and scale stand once, behind the second end or before the first."""
    unit = second.unit if first.unit is Unit.PLAIN else first.unit
    if not comparable(second.unit, unit) and second.unit is not Unit.PLAIN:
        return None
    factor = second.scale if first.scale == 1 else Decimal(1)
    low, step = first.value * factor, min(first.step * factor, second.step)
    if low >= second.value:
        return None
    return replace(
        first, value=low, upper=second.value, step=step, unit=unit, end=second.end, scale=second.scale
    )
