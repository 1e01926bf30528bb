"""The records of an SQL audit. Frozen; a statement that cannot be read is `unknown`, never wrong."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Literal

Dialect = Literal["sqlite", "postgres", "tsql", "mysql", "bigquery", "snowflake"]
DIALECTS: tuple[Dialect, ...] = ("sqlite", "postgres", "tsql", "mysql", "bigquery", "snowflake")


class Severity(StrEnum):
    """How bad a finding is: an error fails the statement, a warning is shown beside it."""

    ERROR = "error"
    WARNING = "warning"


class Verdict(StrEnum):
    """What an audit comes to."""

    PASSED = "passed"
    WARNED = "warned"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """The parser does not understand the statement; says nothing about whether it is right."""


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of characters of the statement."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong with a statement."""

    rule: str
    severity: Severity
    message: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Period:
    """Half-open range of days that the question is about.

    Raises:
        ValueError: the end is not after the start.
    """

    start: date
    end: date
    fiscal: bool = False
    """Whether the question named it by the business year (a year or quarter that begins in April, say)."""

    def __post_init__(self) -> None:
        if self.end <= self.start:
            raise ValueError(f"period {self.start}..{self.end} is empty")


@dataclass(frozen=True, slots=True)
class Ask:
    """What is known of the question; None means that nothing is to be held against the statement."""

    tenant: str | None = None
    """The tenant whose rows may be read."""
    period: Period | Literal["any"] | None = None
    """The days asked about; "any": the question has a period, which one is not known here."""
    session_zone: str | None = None
    """Time zone of the database session, when it is not the one that the graph names."""
    today: date | None = None
    """The last day with data: a period that ends after it may be left open, or be filtered to a later end."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What the audit of one statement found."""

    sql: str
    dialect: Dialect
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    tables: tuple[str, ...] = ()
    """Physical tables read, sorted; names defined by the statement itself are none."""
    columns: tuple[str, ...] = ()
    """Physical columns read, as `table.column`, sorted."""
    reason: str = ""
    """Why the verdict is unknown."""
    parser: str = ""

    @property
    def rules(self) -> frozenset[str]:
        """Names of the rules that found something."""
        return frozenset(finding.rule for finding in self.findings)
