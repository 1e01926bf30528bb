"""Functions that are not on the list of those that only read and compute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from sqlglot import exp

from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject

_LIST = Path(__file__).parent.parent / "functions.txt"
_ESCAPED_NAME = re.compile(r"\bU&\"", re.IGNORECASE)


@cache
def allowed() -> frozenset[str]:
    """Names of the functions that may be called, lower case."""
    lines = _LIST.read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def check(subject: Subject) -> Iterator[Fault]:
    """Calls of other functions, and names whose spelling is hidden by escapes."""
    if _ESCAPED_NAME.search(subject.sql):
        yield Fault("a name written with escapes")
    for statement in subject.statements:
        for node in statement.find_all(exp.Func):
            names = _names(node)
            if not allowed().intersection(names):
                yield Fault(f"function {names[0]!r} is not on the list of functions that only read", node)


def _names(node: exp.Func) -> list[str]:
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return [node.name.lower()]
    return [name.lower() for name in node.sql_names()] or [node.key]


RULE = RuleSpec(
    "function", "calls a function that may do more than compute", Severity.ERROR, "statement", check
)
