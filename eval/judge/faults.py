"""What follows from each way in which a call to a judge can fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.errors import Fault
from eval.judge.base import Unscored


@dataclass(frozen=True, slots=True)
class Way:
    """What follows a fault."""

    reason: Unscored
    again: bool = False
    lasting: bool = False
    """Whether every further call would fail alike, so that none is made."""


WAYS: Mapping[Fault, Way] = {
    Fault.TIMEOUT: Way(Unscored.TIMEOUT, again=True),
    Fault.CONNECTION: Way(Unscored.UNREACHABLE, again=True),
    Fault.SERVER: Way(Unscored.SERVER, again=True),
    Fault.RATE: Way(Unscored.RATE_LIMITED, again=True),
    Fault.QUOTA: Way(Unscored.QUOTA, lasting=True),
    Fault.AUTH: Way(Unscored.AUTH, lasting=True),
    Fault.REQUEST: Way(Unscored.REQUEST),
    Fault.TOO_LARGE: Way(Unscored.TOO_LONG),
    Fault.EMPTY: Way(Unscored.EMPTY_REPLY),
    Fault.BLOCKED: Way(Unscored.REFUSAL),
    Fault.CUT_OFF: Way(Unscored.TRUNCATED, again=True),
    Fault.MALFORMED: Way(Unscored.UNPARSABLE, again=True),
}
