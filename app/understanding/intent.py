"""What the last message asks the service to do, and what of it is declined."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.records import Act, ScopeIssue
from app.understanding.conversation import Turn
from app.understanding.edits import MessageEdits
from app.understanding.mentions import Kind, Mode
from app.understanding.sentences import SentenceKind

_OUR_FIELD = frozenset(
    "domain seniority purpose go_ahead no_preference about compare staging quick accent reject".split()
)
"""Cue groups that show a question to be about hiring, testing or the list."""
_FACTS = ("seniority", "purpose", "lead", "stack_side", "quick", "language_lifted")
_POINTS_BACK = re.compile(r"\b(?:it|that|this|these|those|they|them|one|ones)\b")


def act_of(turn: Turn, edits: MessageEdits, issues: Sequence[ScopeIssue], *, has_need: bool) -> Act:
    """The act of the last message; `has_need`: a role, a skill or an assessment has been named."""
    reading = turn.reading
    if reading.text.is_empty:
        return Act.CLARIFY
    if issues:
        return Act.REFINE if edits.record and turn.standing else Act.REFUSE
    if turn.standing or edits.record.undo:
        return _act_on_list(turn, edits)
    if reading.has("compare") and (edits.compares or reading.unknown_names):
        return Act.COMPARE
    if not has_need and reading.has("restart"):
        return Act.CLARIFY
    return Act.COMPARE if edits.named and not has_need and turn.asks else Act.RECOMMEND


def _act_on_list(turn: Turn, edits: MessageEdits) -> Act:
    if edits.rejects:
        return Act.REFINE
    if edits.accepts:
        return Act.CONFIRM
    if edits.record or edits.refines:
        return Act.REFINE
    asks = edits.compares or edits.asks_about_items or bool(edits.advice_on) or turn.asks
    return Act.COMPARE if asks else Act.REFINE


def scope_issues(turn: Turn, edits: MessageEdits) -> tuple[ScopeIssue, ...]:
    """What is declined. An order to the machine inside an honest need is passed over, not refused."""
    reading = turn.reading
    issues = list(reading.scope)
    order = reading.scope.get(ScopeIssue.STEERING)
    honest = any(
        m.mode in (Mode.WANT, Mode.ADD) and reading.sentence_of(m.start) != order for m in reading.mentions
    )
    if order is not None and honest:
        issues.remove(ScopeIssue.STEERING)
    if not issues and _is_foreign(turn, edits):
        issues.append(ScopeIssue.OFF_TOPIC)
    return tuple(issues)


def _is_foreign(turn: Turn, edits: MessageEdits) -> bool:
    """A question with nothing of our field in it; an answer to our own question is never foreign."""
    reading = turn.reading
    if turn.asked is not None or reading.mentions or reading.unknown_names or reading.languages:
        return False
    if edits.record or edits.accepts or " for " in reading.text.folded:
        return False
    if any(reading.has(group) for group in _OUR_FIELD):
        return False
    if turn.standing and _POINTS_BACK.search(reading.text.folded):
        return False
    return any(s.kind is SentenceKind.QUESTION for s in reading.sentences)


def brings_facts(turn: Turn, edits: MessageEdits) -> bool:
    """Whether the message tells something of the people or the setting."""
    reading = turn.reading
    if turn.standing:
        return edits.refines
    named = bool(reading.languages) or any(m.kind is Kind.ROLE for m in reading.mentions)
    return named or any(reading.has(group) for group in _FACTS)


def repeats_itself(turns: Sequence[Turn]) -> bool:
    """Whether the answer to a question brings nothing new: asking again is no use."""
    if len(turns) < 2 or turns[-1].asked is None:
        return False
    said = {(m.kind, m.ids) for turn in turns[:-1] for m in turn.reading.mentions}
    now = {(m.kind, m.ids) for m in turns[-1].reading.mentions}
    return bool(now) and now <= said and not turns[-1].reading.has("weight")
