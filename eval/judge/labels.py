"""Labelled answers: what a judge is measured against. JSON lines, one answer each."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median_low
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eval.errors import JudgeError
from eval.judge.base import TOP_ANCHOR, JudgeQuestion
from eval.judge.rubrics import known_rubrics, rubric_for

BUNDLED = Path(__file__).with_name("labels.jsonl")
GOOD_FROM = 3
"""An answer at this anchor or above counts as good."""

Anchor = Annotated[int, Field(ge=0, le=TOP_ANCHOR, strict=True)]


class LabelledAnswer(BaseModel):
    """One answer with what people say of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    family: str = Field(min_length=1)
    """Answers of one family share a question and are not independent of each other."""
    evaluator: str
    question: str = Field(min_length=1)
    context: tuple[str, ...] = ()
    expected: str | None = None
    answer: str = Field(min_length=1)
    labels: tuple[Anchor | None, ...] = Field(min_length=1)
    """One anchor for each rater, always in the same order; null: this one did not rate it."""
    why: str = ""

    @property
    def label(self) -> int:
        """The lower median of the raters."""
        return median_low(label for label in self.labels if label is not None)

    def ask(self, replicate: int) -> JudgeQuestion:
        """The question to a judge."""
        return JudgeQuestion(
            self.evaluator,
            rubric_for(self.evaluator),
            self.question,
            self.answer,
            self.context,
            self.expected,
            replicate,
            case_id=self.id,
        )


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """All labelled answers of one file."""

    answers: tuple[LabelledAnswer, ...]
    fingerprint: str
    """SHA-256 of the file, 16 digits."""


def load_labels(path: Path) -> LabelledSet:
    """Read a file of labelled answers.

    Raises:
        JudgeError: it cannot be read; or naming the line and what is wrong with it.
    """
    try:
        content = path.read_bytes()
        lines = content.decode("utf-8").splitlines()
    except OSError as exc:
        raise JudgeError(f"{path}: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise JudgeError(f"{path}: not UTF-8") from exc
    answers = [_read(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    _check(path, answers)
    return LabelledSet(tuple(answers), hashlib.sha256(content).hexdigest()[:16])


def _read(path: Path, number: int, line: str) -> LabelledAnswer:
    try:
        answer = LabelledAnswer.model_validate_json(line)
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the line"
        raise JudgeError(f"{path}, line {number}: {where}: {first['msg']}") from exc
    if answer.evaluator not in known_rubrics():
        known = ", ".join(known_rubrics())
        raise JudgeError(f"{path}, line {number}: no rubric for {answer.evaluator!r}, there are {known}")
    if all(label is None for label in answer.labels):
        raise JudgeError(f"{path}, line {number}: nobody rated it")
    return answer


def _check(path: Path, answers: Sequence[LabelledAnswer]) -> None:
    if not answers:
        raise JudgeError(f"{path}: no labelled answers")
    ids = [answer.id for answer in answers]
    twice = next((key for key in ids if ids.count(key) > 1), None)
    if twice is not None:
        raise JudgeError(f"{path}: {twice!r} is there twice")
    if len({len(answer.labels) for answer in answers}) > 1:
        raise JudgeError(f"{path}: every answer needs a place for each rater")
