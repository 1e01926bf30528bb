"""Which judges may decide anything. Agreement is stored with the judge's fingerprint; below the bar it advises."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from eval.errors import JudgeError
from eval.judge.agreement import Agreement
from eval.judge.base import Fingerprint
from eval.store import STORE

AGREEMENTS = STORE / "judge_agreement.json"
_ALL = TypeAdapter(list[Agreement])


@dataclass(frozen=True, slots=True)
class Bar:
    """What a judge has to reach, all of it."""

    answers: int = 100
    of_each_class: int = 30
    kappa: float = 0.60
    kappa_low: float = 0.40
    """For the lower bound of its interval."""
    retest: float = 0.90
    scored_share: float = 0.90
    """A judge that leaves hard answers out is measured on the easy ones."""
    of_evaluator: int = 20
    """Answers of one dimension before its own kappa, which has to reach `kappa` too, counts."""


BAR = Bar()


def shortfalls(agreement: Agreement, evaluator: str | None = None, bar: Bar = BAR) -> tuple[str, ...]:
    """Where the judge falls short of the bar, for people; empty when it may decide.

    Args:
        agreement: what was measured.
        evaluator: the dimension it would decide about; None: any of those measured.
        bar: what to reach.
    """
    bad = agreement.n - agreement.good
    kappa = agreement.kappa.value if agreement.kappa else None
    kappa_low = agreement.kappa.low if agreement.kappa else None
    retest = agreement.retest.value if agreement.retest else None
    checks = {
        f"{agreement.n} answers, {bar.answers} are needed": agreement.n >= bar.answers,
        f"{agreement.good} good and {bad} bad answers, {bar.of_each_class} of each are needed": (
            min(agreement.good, bad) >= bar.of_each_class
        ),
        f"{agreement.n} of {agreement.asked} scored, {bar.scored_share:.0%} are needed": (
            agreement.n >= bar.scored_share * agreement.asked
        ),
        f"kappa {_shown(kappa)}, {bar.kappa:.2f} is needed": _reaches(kappa, bar.kappa),
        f"lower bound of kappa {_shown(kappa_low)}, {bar.kappa_low:.2f} is needed": (
            _reaches(kappa_low, bar.kappa_low)
        ),
        f"test-retest {_shown(retest)}, {bar.retest:.2f} is needed": _reaches(retest, bar.retest),
    }
    if evaluator is not None:
        own = agreement.by_evaluator.get(evaluator)
        n, own_kappa = (own.n, own.kappa) if own else (0, None)
        checks[f"{n} answers of {evaluator}, {bar.of_evaluator} are needed"] = n >= bar.of_evaluator
        checks[f"kappa of {evaluator} {_shown(own_kappa)}, {bar.kappa:.2f} is needed"] = _reaches(
            own_kappa, bar.kappa
        )
    return tuple(words for words, holds in checks.items() if not holds)


def _reaches(value: float | None, least: float) -> bool:
    """What was not measured reaches nothing. Rounded, so that 0.6 is 0.60 however it came about."""
    return value is not None and round(value, 6) >= least


def _shown(value: float | None) -> str:
    return "not measurable" if value is None else f"{value:.2f}"


def may_gate(fingerprint: Fingerprint, evaluator: str | None = None, path: Path = AGREEMENTS) -> bool:
    """Whether scores of this judge may decide a verdict; False for one that was never measured.

    Args:
        fingerprint: who judges; another model, prompt or setting is another judge.
        evaluator: the dimension.
        path: where agreements are kept.

    Raises:
        JudgeError: the file is damaged.
    """
    found = find_agreement(fingerprint, path)
    return found is not None and not shortfalls(found, evaluator)


def find_agreement(fingerprint: Fingerprint, path: Path = AGREEMENTS) -> Agreement | None:
    """What was last measured of this judge; None if nothing was.

    Raises:
        JudgeError: the file is damaged.
    """
    return next((each for each in _load(path) if each.fingerprint == fingerprint), None)


def store_agreement(agreement: Agreement, path: Path = AGREEMENTS) -> None:
    """Keep what was measured, in place of what was known of the same judge.

    Raises:
        JudgeError: the file is damaged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path):
        others = [each for each in _load(path) if each.fingerprint != agreement.fingerprint]
        content = json.dumps(_ALL.dump_python([*others, agreement], mode="json"), indent=1, allow_nan=False)
        written = path.with_suffix(".tmp")
        written.write_text(content + "\n", encoding="utf-8")
        written.replace(path)


def _load(path: Path) -> list[Agreement]:
    try:
        return _ALL.validate_json(path.read_bytes())
    except FileNotFoundError:
        return []
    except ValidationError as exc:
        raise JudgeError(f"{path} is damaged; remove it and measure the judges again") from exc


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.with_suffix(".lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
