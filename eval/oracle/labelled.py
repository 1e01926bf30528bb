"""Labelled answers, and how the detector does on them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from eval.errors import DatasetError
from eval.metrics import wilson
from eval.oracle.no_data_text import AnswerClass, classify


class LabelledAnswer(BaseModel):
    """An answer with what it says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    label: AnswerClass
    text: str


@dataclass(frozen=True, slots=True)
class DetectorScore:
    """Of "there is nothing", the only class that changes a verdict."""

    hits: int
    false_alarms: int
    misses: int
    same_class: int
    """Answers whose class is the labelled one, out of `n`."""
    n: int
    wrong: tuple[tuple[LabelledAnswer, AnswerClass], ...]

    def lines(self) -> list[str]:
        """The figures as text, with 95 % Wilson intervals."""
        return [
            f"{self.n} answers, {self.same_class} of the labelled class",
            f"precision {_rate(self.hits, self.hits + self.false_alarms)}",
            f"recall    {_rate(self.hits, self.hits + self.misses)}",
            *(f"{each.id}: labelled {each.label}, found {found}" for each, found in self.wrong),
        ]


def load_answers(path: Path) -> tuple[LabelledAnswer, ...]:
    """All answers of a file, one JSON object a line.

    Raises:
        DatasetError: naming the file and line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as exc:
        raise DatasetError(f"{path}: cannot be read ({exc})") from exc
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(LabelledAnswer.model_validate_json(line))
        except ValidationError as exc:
            raise DatasetError(f"{path}:{number}: {exc.errors()[0]['msg']}") from exc
    if not found:
        raise DatasetError(f"{path}: no answers")
    return tuple(found)


def score(answers: tuple[LabelledAnswer, ...]) -> DetectorScore:
    """How often the detector sees that an answer says there is nothing."""
    pairs = [(each, classify(each.text)) for each in answers]
    positive = AnswerClass.FULL_NO_DATA
    wrong = tuple((each, found) for each, found in pairs if (found is positive) != (each.label is positive))
    return DetectorScore(
        hits=sum(each.label is found is positive for each, found in pairs),
        false_alarms=sum(found is positive for _, found in wrong),
        misses=sum(found is not positive for _, found in wrong),
        same_class=sum(each.label is found for each, found in pairs),
        n=len(pairs),
        wrong=wrong,
    )


def _rate(hits: int, of: int) -> str:
    interval = wilson(hits, of)
    return (
        f"{interval.value:.3f} [{interval.low:.3f}, {interval.high:.3f}] {hits}/{of}" if interval else "none"
    )
