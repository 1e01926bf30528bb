"""What a rule gets to see, and what a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from eval.sql.graph import SchemaGraph
from eval.sql.model import Query
from eval.sql.parsing import span_of
from eval.sql.records import Ask, Dialect, Finding, Severity, Span

Stage = Literal["statement", "meaning"]


@dataclass(frozen=True, slots=True)
class Subject:
    """One text under audit, as far as it could be read."""

    sql: str
    dialect: Dialect
    graph: SchemaGraph
    ask: Ask
    tokens: tuple[Token, ...] = ()
    statements: tuple[exp.Expr, ...] = ()
    """Empty when the text could not be parsed."""
    query: Query | None = None
    """Names resolved; there from the second stage on."""

    @property
    def resolved(self) -> Query:
        """The query; only for rules of the stage "meaning"."""
        if self.query is None:
            raise ValueError("no names are resolved in this stage")
        return self.query


@dataclass(frozen=True, slots=True)
class Fault:
    """What a rule found, without what it is called and how bad that is."""

    message: str
    node: exp.Expr | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class RuleSpec:
    """One rule as the registry knows it."""

    name: str
    summary: str
    severity: Severity
    stage: Stage
    """`statement`: sees the text and the tree, and a fault ends the audit; `meaning`: sees resolved names."""
    check: Callable[[Subject], Iterable[Fault]]

    def findings(self, subject: Subject) -> tuple[Finding, ...]:
        """The faults in `subject`, each once."""
        found = (
            Finding(
                self.name,
                self.severity,
                fault.message,
                fault.span or (span_of(fault.node) if fault.node else None),
            )
            for fault in self.check(subject)
        )
        return tuple(dict.fromkeys(found))
