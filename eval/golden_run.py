"""The golden part and the mutation part of a run: which pieces there are, and how each is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from app.catalog import load_catalog
from app.config import load_settings
from app.knowledge import load_knowledge
from eval.adapters.base import Adapter
from eval.aggregator import Ask, ResultAggregator
from eval.errors import DatasetError
from eval.golden import GoldenCase, golden_path, load_golden
from eval.mutation import score as mutation
from eval.mutation.base import Kind, Material, Sample, load_texts
from eval.profiles import Profile, load_profile
from eval.records import CaseResult, Payload, Row
from eval.replay import play
from eval.store import ROOT, load_run
from eval.targets.registry import find_target


@dataclass(frozen=True, slots=True)
class Task:
    """Pieces that are run together, and the keys they will have."""

    keys: tuple[str, ...]
    run: Callable[[], tuple[Row, ...]]


def load_golden_cases(target: str, only: str = "") -> tuple[GoldenCase, ...]:
    """The golden cases of `target` whose id holds `only`.

    Raises:
        EvalError: the target is not known, its set cannot be read, or no case is left.
    """
    cases = tuple(case for case in load_golden(golden_path(find_target(target).golden)) if only in case.id)
    if not cases:
        raise DatasetError(f"no golden case of {target} holds {only!r} in its id")
    return cases


def golden_tasks(
    target: str,
    channel: str,
    adapter: Adapter,
    profile: Profile,
    replicates: int,
    only: str,
    ask: Ask | None = None,
) -> list[Task]:
    """One task for each case and replicate."""
    cases = load_golden_cases(target, only)
    aggregator = ResultAggregator(target, find_target(target).load(), profile, ask)

    def one(case: GoldenCase, replicate: int) -> tuple[Row, ...]:
        payloads = play(case.messages, adapter)
        graded = aggregator.evaluate(
            payloads[-1], case, earlier=payloads[:-1], channel=channel, replicate=replicate
        )
        return (graded,)

    return [
        Task((f"case/{target}/{channel}/{case.id}/{replicate}",), _bound(one, case, replicate))
        for replicate in range(replicates)
        for case in cases
    ]


def _bound(
    one: Callable[[GoldenCase, int], tuple[Row, ...]], case: GoldenCase, replicate: int
) -> Callable[[], tuple[Row, ...]]:
    return lambda: one(case, replicate)


class Bench:
    """Good answers of the recommender and everything to plant defects in them; built when the first is planted."""

    def __init__(self, target: str, adapter: Adapter, seed: int, recorded: Path | None) -> None:
        """Answers come from the run `recorded`, or from `adapter` when there is none."""
        self._target = target
        self._adapter = adapter
        self._seed = seed
        self._recorded = recorded
        self._aggregator = ResultAggregator(target, find_target(target).load(), load_profile("full"))

    def row(self, kind: Kind | None) -> tuple[Row, ...]:
        """One kind of defect; None: the good answers as they are."""
        material, baseline = self._prepared
        if kind is None:
            return (mutation.unharmed_row(baseline, self._seed),)
        return (mutation.measure(kind, material.others, baseline, material, self._aggregator, self._seed),)

    @cached_property
    def _prepared(self) -> tuple[Material, dict[str, CaseResult]]:
        folder = load_settings().retrieval.data_dir
        catalog = load_catalog(folder / "catalog.json")
        knowledge = load_knowledge(folder / "knowledge", catalog)
        good = mutation.good(self._samples(), catalog)
        return Material(catalog, knowledge, good, load_texts()), mutation.unharmed(good, self._aggregator)

    def _samples(self) -> list[Sample]:
        cases = load_golden_cases(self._target)
        if self._recorded is None:
            return [Sample(case, tuple(play(case.messages, self._adapter))) for case in cases]
        said: dict[str, Sequence[Payload]] = {
            result.case_id: result.payloads
            for result in load_run(self._recorded).cases
            if result.replicate == 0 and result.target == self._target
        }
        return [Sample(case, tuple(said[case.id])) for case in cases if case.id in said]


def mutation_tasks(target: str, adapter: Adapter, seed: int, recorded: Path | None) -> list[Task]:
    """One task for each kind of defect, and one for the good answers as they are.

    Raises:
        DatasetError: defects are known for the recommender's answers only.
    """
    if target != "recommender":
        raise DatasetError(f"no defects are known for answers of {target}")
    bench = Bench(target, adapter, seed, recorded)

    def task(kind: Kind | None) -> Task:
        name = kind.name if kind else mutation.UNHARMED
        return Task((f"mutation/{seed}/{name}",), lambda: bench.row(kind))

    return [task(None), *(task(kind) for kind in mutation.KINDS)]


def grading_files(target: str) -> list[Path]:
    """What the grading depends on, for the fingerprint of a run."""
    folders = ("evaluators", "targets", "mutation")
    files = [
        path
        for name in folders
        for path in (ROOT / "eval" / name).rglob("*")
        if path.suffix in (".py", ".yaml")
    ]
    files += [ROOT / "eval" / name for name in ("profiles.yaml", "harms.yaml", "no_data.yaml")]
    return [*files, golden_path(find_target(target).golden)]
