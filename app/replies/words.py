"""Small pieces of wording that several replies share."""

from __future__ import annotations

from collections.abc import Sequence

from app.catalog import Assessment
from app.catalog.models import TYPE_LABELS, Duration


def join(items: Sequence[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def time_of(assessment: Assessment, *, is_report: bool) -> str:
    """Testing time in words; what is unknown is called unknown."""
    if is_report:
        return "report, no testing time"
    if assessment.minutes is None:
        return "untimed" if assessment.duration is Duration.UNTIMED else "time not stated"
    if assessment.duration is Duration.CEILING:
        return f"up to {assessment.minutes} minutes"
    if assessment.duration is Duration.UNTIMED:
        return f"untimed, about {assessment.minutes} minutes"
    return f"{assessment.minutes} minutes"


def types_of(assessment: Assessment) -> str:
    """Kinds of test in the vendor's words."""
    return join([TYPE_LABELS[code] for code in assessment.types])


def languages_of(assessment: Assessment) -> str:
    """Languages in a few words."""
    names = assessment.languages
    if not names:
        return "languages not stated"
    if len(names) <= 3:
        return join(names)
    return f"{len(names)} languages, among them {join(names[:2])}"


def plural(count: int, noun: str) -> str:
    """ "1 assessment", "3 assessments"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
