"""Plots as inline SVG: no script, no network, text as text. Colours come from the page's style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from eval.metrics import Interval

WIDTH = 720
LABEL = 230
ROW = 26
RIGHT = 96


@dataclass(frozen=True, slots=True)
class Line:
    """One row of an interval plot."""

    label: str
    found: Interval
    limit: float | None = None
    """Threshold to mark."""


def intervals(lines: Sequence[Line], title: str) -> Markup:
    """A point with its interval for each line, from 0 to 1."""
    if not lines:
        return Markup("")
    span, height = WIDTH - LABEL - RIGHT, ROW * len(lines) + 30
    parts = [_open(height, title)]
    for step in range(6):
        x = LABEL + span * step / 5
        parts += [
            Markup('<line class="grid" x1="{0:.1f}" x2="{0:.1f}" y1="4" y2="{1}"/>').format(x, height - 24),
            Markup('<text class="tick" x="{:.1f}" y="{}">{:.1f}</text>').format(x, height - 8, step / 5),
        ]
    for number, line in enumerate(lines):
        parts.append(_interval_row(line, 4 + ROW * (number + 0.5), span))
    return Markup("").join([*parts, Markup("</svg>")])


def _interval_row(line: Line, y: float, span: float) -> Markup:
    found = line.found
    x = LABEL + span * min(1.0, max(0.0, found.value))
    parts = [Markup('<text class="label" x="{}" y="{:.1f}">{}</text>').format(LABEL - 12, y + 4, line.label)]
    if found.low is not None and found.high is not None:
        ends = (LABEL + span * max(0.0, found.low), LABEL + span * min(1.0, found.high))
        parts.append(
            Markup('<line class="whisker" x1="{0:.1f}" x2="{1:.1f}" y1="{2:.1f}" y2="{2:.1f}"/>').format(
                *ends, y
            )
        )
    if line.limit is not None:
        at = LABEL + span * line.limit
        parts.append(
            Markup('<line class="limit" x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}"/>').format(
                at, y - 9, y + 9
            )
        )
    parts.append(Markup('<circle class="point" cx="{:.1f}" cy="{:.1f}" r="4.5"/>').format(x, y))
    words = f"{found.value:.3f}  n={found.n}"
    parts.append(
        Markup('<text class="value" x="{}" y="{:.1f}">{}</text>').format(WIDTH - RIGHT + 10, y + 4, words)
    )
    return Markup("").join(parts)


def histogram(values: Sequence[float], edges: Sequence[float], title: str, labels: Sequence[str]) -> Markup:
    """Counts between consecutive `edges` (the last bin holds its upper edge), each bar with its count."""
    if not values:
        return Markup("")
    last = len(edges) - 2
    counts = [
        sum(low <= value < high or (number == last and value >= high) for value in values)
        for number, (low, high) in enumerate(pairwise(edges))
    ]
    height, base, tall = 170, 140, max(counts)
    step = (WIDTH - 40) / len(counts)
    parts = [_open(height, title)]
    for number, amount in enumerate(counts):
        bar = 110 * amount / tall
        x = 20 + step * number
        parts += [
            Markup('<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
                x + 3, base - bar, step - 6, bar
            ),
            Markup('<text class="tick" x="{:.1f}" y="{:.1f}">{}</text>').format(
                x + step / 2, base - bar - 6, amount
            ),
            Markup('<text class="tick" x="{:.1f}" y="{}">{}</text>').format(
                x + step / 2, base + 18, labels[number]
            ),
        ]
    return Markup("").join([*parts, Markup("</svg>")])


def _open(height: float, title: str) -> Markup:
    return Markup('<svg viewBox="0 0 {0} {1}" role="img" aria-label="{2}"><title>{2}</title>').format(
        WIDTH, height, title
    )
