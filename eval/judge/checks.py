"""What can be known of a judgement before it is paid for."""

from __future__ import annotations

from eval.judge.base import JudgeFailure, JudgeQuestion, Unscored

MOST_CHARS = 60_000
"""Of question, answer, context and hint together: about 15,000 tokens, more than any conversation here."""


def spare_call(question: JudgeQuestion, most_chars: int = MOST_CHARS) -> JudgeFailure | None:
    """Why asking is of no use; None when it may be."""
    if not question.rubric.complete:
        return JudgeFailure(Unscored.NO_RUBRIC, f"{question.evaluator} has no whole rubric")
    if not question.answer.strip():
        return JudgeFailure(Unscored.EMPTY_ANSWER, "there is nothing to grade")
    if question.rubric.needs_context and not any(text.strip() for text in question.context):
        return JudgeFailure(Unscored.NO_CONTEXT, "the criterion needs facts and there are none")
    shown = (question.question, question.answer, question.expected or "", *question.context)
    chars = sum(map(len, shown))
    if chars > most_chars:
        return JudgeFailure(Unscored.TOO_LONG, f"{chars} characters, {most_chars} are allowed")
    return None
