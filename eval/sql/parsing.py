"""From text to a syntax tree, or to the reason why there is none."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from importlib.metadata import version

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token

from eval.sql.records import Dialect, Span

PARSER = f"sqlglot {version('sqlglot')}"
MAX_NESTING = 40
"""Deeper brackets are refused: the parser recurses, and no analyst's question needs them."""
MAX_CHARACTERS = 100_000
_PARSER_BUGS = (RecursionError, AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What the parser raises besides its own errors when a malformed text takes it off its path."""
_EXPRESSIONS = (exp.Condition, exp.Alias, exp.Aliases, exp.Tuple, exp.Identifier, exp.Var)

logging.getLogger("sqlglot").setLevel(
    logging.ERROR
)  # warns of every command it does not model; the audit says so


@dataclass(frozen=True, slots=True)
class Parsed:
    """The statements of a text, or why they are not known."""

    statements: tuple[exp.Expr, ...] = ()
    tokens: tuple[Token, ...] = ()
    problem: str = ""


def parse(sql: str, dialect: Dialect) -> Parsed:
    """Read `sql` as `dialect`. A text that the parser does not understand gives a problem, not an exception."""
    if len(sql) > MAX_CHARACTERS:
        return Parsed(problem=f"longer than {MAX_CHARACTERS} characters")
    try:
        tokens = tuple(sqlglot.tokenize(sql, read=dialect))
        if _nesting(tokens) > MAX_NESTING:
            return Parsed(tokens=tokens, problem=f"brackets nested deeper than {MAX_NESTING}")
    except SqlglotError as exc:
        return Parsed(problem=f"could not be read as {dialect}: {_first_line(exc)}")
    try:
        found = sqlglot.parse(sql, read=dialect)
    except (SqlglotError, *_PARSER_BUGS) as exc:
        return Parsed(tokens=tokens, problem=f"could not be parsed as {dialect}: {_first_line(exc)}")
    statements = tuple(each for each in found if each is not None and not isinstance(each, exp.Semicolon))
    if not statements or any(isinstance(each, _EXPRESSIONS) for each in statements):
        return Parsed(
            tokens=tokens, problem="there is no statement"
        )  # the parser also takes a bare expression
    return Parsed(statements, tokens)


def span_of(node: exp.Expr) -> Span | None:
    """Where `node` stands in the text: from its first to its last name; None when it holds no name."""
    places = [each.meta for each in node.find_all(exp.Identifier) if "start" in each.meta]
    if not places:
        return None
    return Span(min(place["start"] for place in places), max(place["end"] for place in places) + 1)


def _nesting(tokens: tuple[Token, ...]) -> int:
    depth = deepest = 0
    for token in tokens:
        depth += (token.text == "(") - (token.text == ")")
        deepest = max(deepest, depth)
    return deepest


def _first_line(exc: Exception) -> str:
    lines = str(exc).splitlines()
    return re.sub(r"\x1b\[\d+m", "", lines[0]) if lines else type(exc).__name__
