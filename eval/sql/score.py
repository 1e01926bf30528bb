"""Measures the audit on labelled statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from eval.metrics import wilson
from eval.sql.audit import audit
from eval.sql.graph import SchemaGraph
from eval.sql.labelled import UNPARSED, LabelledStatement
from eval.sql.records import Verdict


@dataclass(frozen=True, slots=True)
class Counts:
    """Hits, false alarms and misses of one kind."""

    hits: int
    false_alarms: int
    misses: int

    @property
    def precision(self) -> tuple[int, int]:
        """Right alarms out of all alarms."""
        return self.hits, self.hits + self.false_alarms

    @property
    def recall(self) -> tuple[int, int]:
        """Faults found out of all faults."""
        return self.hits, self.hits + self.misses


@dataclass(frozen=True, slots=True)
class Outcome:
    """One labelled statement with what the audit said."""

    statement: LabelledStatement
    found: frozenset[str]

    @property
    def right(self) -> bool:
        """Whether exactly the expected rules found something."""
        return self.found == self.statement.expect


def outcomes(statements: Iterable[LabelledStatement], graph: SchemaGraph) -> tuple[Outcome, ...]:
    """The audit's answer to each statement."""
    return tuple(Outcome(each, _found(each, graph)) for each in statements)


def by_pair(found: Iterable[Outcome]) -> Counts:
    """Counted by statement and rule: the right rule has to find it."""
    return _counts([(outcome.found, outcome.statement.expect) for outcome in found])


def by_statement(found: Iterable[Outcome]) -> Counts:
    """Counted by statement: anything found where anything is wrong."""
    anything = frozenset({"fault"})
    pairs = [
        (anything if o.found else frozenset(), anything if o.statement.expect else frozenset()) for o in found
    ]
    return _counts(pairs)


def groups(found: tuple[Outcome, ...], of: Callable[[Outcome], Iterable[str]]) -> dict[str, Counts]:
    """Counts by statement and rule for each of the names that `of` gives an outcome."""
    names = sorted({name for outcome in found for name in of(outcome)})
    return {name: by_pair([outcome for outcome in found if name in of(outcome)]) for name in names}


def by_rule(found: tuple[Outcome, ...]) -> dict[str, Counts]:
    """Counts of each rule that was expected or found something."""
    names = sorted({name for outcome in found for name in outcome.found | outcome.statement.expect})
    return {name: _counts([(o.found & {name}, o.statement.expect & {name}) for o in found]) for name in names}


def table(found: tuple[Outcome, ...]) -> str:
    """The figures as text: one line each with precision, recall and their 95 % Wilson intervals."""
    dialects = groups(found, lambda outcome: [outcome.statement.dialect])
    rows = {
        "statement": by_statement(found),
        "statement and rule": by_pair(found),
        **dialects,
        **by_rule(found),
    }
    exact = sum(outcome.right for outcome in found)
    head = f"{len(found)} statements, {exact} with exactly the expected rules"
    wrong = [
        f"{o.statement.id} {o.statement.dialect}: expected {_names(o.statement.expect)}, found {_names(o.found)}"
        for o in found
        if not o.right
    ]
    lines = [
        f"{name:<20} precision {_rate(*c.precision)}  recall {_rate(*c.recall)}" for name, c in rows.items()
    ]
    return "\n".join([head, *lines, *wrong])


def _found(statement: LabelledStatement, graph: SchemaGraph) -> frozenset[str]:
    result = audit(statement.sql, statement.dialect, graph, statement.ask)
    return frozenset({UNPARSED}) if result.verdict is Verdict.UNKNOWN else result.rules


def _counts(pairs: list[tuple[frozenset[str], frozenset[str]]]) -> Counts:
    return Counts(
        sum(len(found & expected) for found, expected in pairs),
        sum(len(found - expected) for found, expected in pairs),
        sum(len(expected - found) for found, expected in pairs),
    )


def _rate(hits: int, of: int) -> str:
    interval = wilson(hits, of)
    if interval is None:
        return f"{'none':<30}"
    return f"{hits / of:.3f} [{interval.low:.3f}, {interval.high:.3f}] {hits}/{of}".ljust(30)


def _names(rules: frozenset[str]) -> str:
    return ", ".join(sorted(rules)) or "nothing"
