"""Whether an answer that says there is nothing is right to: what it says, joined with what the oracle found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import comb
from typing import Literal

from eval.oracle.no_data_text import AnswerClass

ALARM_LEVEL = 0.01
"""A run whose false "no data" outnumber its fabrications by more than chance allows at this level is at fault."""


class NoDataVerdict(StrEnum):
    """The answer's claim held against the oracle."""

    LEGITIMATE = "legitimate"
    FALSE_EMPTY = "false_empty"
    FABRICATION = "fabrication"
    UNVERIFIED = "unverified"
    """It says that there is nothing, and nobody knows."""
    NOT_CONCERNED = "not_concerned"
    """It is no claim about there being nothing, nor data where there is none."""


Truth = Literal["empty", "non_empty", "unknown"]


def join(said: AnswerClass, truth: Truth) -> NoDataVerdict:
    """The verdict on an answer. `truth` says what the asked scope really holds, as of the answer's watermark.

    A trace's row count is a truth only if its statement passed the audit: a wrong filter would excuse itself.
    """
    if said is AnswerClass.FULL_NO_DATA:
        if truth == "unknown":
            return NoDataVerdict.UNVERIFIED
        return NoDataVerdict.LEGITIMATE if truth == "empty" else NoDataVerdict.FALSE_EMPTY
    if said is AnswerClass.HAS_DATA and truth == "empty":
        return NoDataVerdict.FABRICATION
    return NoDataVerdict.NOT_CONCERNED


def truth_of_trace(*, row_count: int | None, passed_audit: bool, failed: bool) -> Truth:
    """What a trace shows of the asked scope: nothing unless its statement ran and is the right one."""
    if failed or row_count is None:
        return "unknown"
    if row_count > 0:
        return "non_empty"
    return "empty" if passed_audit else "unknown"


@dataclass(frozen=True, slots=True)
class NoDataAlarm:
    """Whether a whole run says "no data" more often than there is none."""

    false_empty: int
    fabrications: int
    p_value: float | None
    """Chance of so many false empties among the answers that the oracle contradicts, if both ways to be wrong were
    equally likely (one-sided sign test); None when it contradicts none."""

    @property
    def fires(self) -> bool:
        """Whether the run fails for it."""
        return self.p_value is not None and self.p_value < ALARM_LEVEL


def run_alarm(verdicts: Iterable[NoDataVerdict]) -> NoDataAlarm:
    """The alarm over the verdicts of a run."""
    found = list(verdicts)
    empty = found.count(NoDataVerdict.FALSE_EMPTY)
    made_up = found.count(NoDataVerdict.FABRICATION)
    n = empty + made_up
    p_value = sum(comb(n, k) for k in range(empty, n + 1)) / 2**n if n else None
    return NoDataAlarm(empty, made_up, p_value)
