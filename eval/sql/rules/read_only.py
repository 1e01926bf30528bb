"""Anything but a read: by class of statement anywhere in the tree, and by words where there is no tree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from eval.sql.records import Severity
from eval.sql.subject import Fault, RuleSpec, Subject

_READS = (exp.Query, exp.Values, exp.Show)
_WRITES = (
    *(
        exp.DML,
        exp.DDL,
        exp.Alter,
        exp.Drop,
        exp.TruncateTable,
        exp.Copy,
        exp.LoadData,
        exp.Export,
        exp.Command,
    ),
    *(
        exp.Into,
        exp.Lock,
        exp.Set,
        exp.Use,
        exp.Pragma,
        exp.Attach,
        exp.Detach,
        exp.Execute,
        exp.Grant,
        exp.Kill,
    ),
    *(exp.Transaction, exp.Commit, exp.Rollback, exp.PropertyEQ),
)
_LOCKING_HINTS = {"UPDLOCK", "XLOCK", "TABLOCK", "TABLOCKX", "HOLDLOCK", "SERIALIZABLE"}
_VERBS = set(
    "INSERT UPDATE DELETE MERGE REPLACE UPSERT CREATE ALTER DROP UNDROP TRUNCATE RENAME COPY LOAD UNLOAD EXPORT GRANT "
    "REVOKE CALL EXEC EXECUTE DO SET USE ATTACH DETACH PRAGMA VACUUM ANALYZE REINDEX LOCK UNLOCK BEGIN COMMIT ROLLBACK "
    "KILL SHUTDOWN BACKUP RESTORE BULK PUT REMOVE HANDLER INSTALL".split()
)


def check(subject: Subject) -> Iterator[Fault]:
    """Writes, commands, locks, and comments that a server executes."""
    for statement in subject.statements:
        kind = _write_in(statement)
        if kind is not None:
            yield Fault(f"not a read: {kind}", statement)
    if not subject.statements:
        yield from _by_words(subject.tokens)
    if subject.dialect == "mysql" and any(
        _executed(note) for token in subject.tokens for note in token.comments
    ):
        yield Fault("a comment that the server executes")


def _write_in(statement: exp.Expr) -> str | None:
    if not isinstance(statement, (*_READS, *_WRITES)):
        return statement.key.upper()
    for node in statement.walk():
        if (
            isinstance(node, exp.WithTableHint)
            and {each.name.upper() for each in node.expressions} & _LOCKING_HINTS
        ):
            return "LOCKING HINT"
        if isinstance(node, _WRITES) and not (isinstance(node, exp.PropertyEQ) and _in_struct(node)):
            return (node.name if isinstance(node, exp.Command) else node.key).upper()
    return None


def _in_struct(node: exp.Expr) -> bool:
    return not isinstance(node.this, exp.Parameter | exp.SessionParameter)


def _by_words(tokens: tuple[Token, ...]) -> Iterator[Fault]:
    words = [token.text.upper() for token in tokens if token.token_type is not TokenType.STRING]
    if words and words[0] in _VERBS:
        yield Fault(f"not a read: {words[0]}")
    for word, follower in pairwise(words):
        if word == "INTO" and follower in ("OUTFILE", "DUMPFILE"):
            yield Fault(f"not a read: INTO {follower}")


def _executed(comment: str) -> bool:
    return comment.lstrip().startswith(("!", "M!"))


RULE = RuleSpec("read_only", "the statement is no plain read", Severity.ERROR, "statement", check)
