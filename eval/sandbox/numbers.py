"""Figures as India writes them: 12,34,567, lakh and crore."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

_LAKH, _CRORE = 100_000, 10_000_000


def grouped(value: float, places: int = 0) -> str:
    """Digits in groups of two before the last three: 12,34,567."""
    number = Decimal(repr(value) if isinstance(value, float) else value)
    rounded = number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    whole, _, fraction = f"{abs(rounded):f}".partition(".")
    head, tail = whole[:-3], whole[-3:]
    parts = []
    while head:
        parts.append(head[-2:])
        head = head[:-2]
    digits = ",".join([*reversed(parts), tail])
    return f"{'-' if rounded < 0 else ''}{digits}{'.' + fraction if fraction else ''}"


def short(value: float) -> str | None:
    """The number in lakh or crore with two decimals; None below a lakh."""
    for size, word in ((_CRORE, "crore"), (_LAKH, "lakh")):
        if abs(value) >= size:
            return f"{Decimal(repr(value / size)).quantize(Decimal('0.01'), ROUND_HALF_UP)} {word}"
    return None


def show_figure(value: float, unit: str, *, brief: bool = False) -> str:
    """A figure with its unit; a large amount also in lakh or crore unless `brief`."""
    if unit == "INR":
        exact = f"₹{grouped(value, 0 if float(value).is_integer() or abs(value) >= 10_000 else 2)}"
        rounded = None if brief else short(value)
        return f"₹{rounded} ({exact})" if rounded else exact
    if unit == "percent":
        return f"{grouped(value, 1)}%"
    places = 0 if float(value).is_integer() else 1 if unit == "days" else 2
    words = {"pieces": " pieces", "days": " days", "points": " points"}.get(unit, "")
    return f"{grouped(value, places)}{'' if brief else words}"
