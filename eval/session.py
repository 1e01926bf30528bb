"""Puts a run together: what has to be done, what is done already, and one row on disk after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from app.catalog import Catalog, load_catalog
from app.config import load_settings
from app.errors import RecommenderError
from eval.adapters.base import Adapter, AdapterOptions
from eval.adapters.inprocess import InProcessAdapter
from eval.adapters.registry import find_adapter
from eval.datasets import CONVERSATIONS, load_conversations, load_traces
from eval.errors import AdapterError, DatasetError
from eval.golden_run import Task, golden_tasks, grading_files, load_golden_cases, mutation_tasks
from eval.judging import Asking, open_asking
from eval.laws import LAWS, PARAPHRASE, PARAPHRASES, generate, load_paraphrases, run_law, run_paraphrase
from eval.probes import PROBES, load_probes, run_probe
from eval.profiles import STANDARD, load_profile
from eval.progress import track
from eval.recall_eval import ARMS, RecallEval
from eval.records import Case, CaseResult, Mode, Row, Run, RunInfo, Split, UserKind
from eval.replay import replay
from eval.store import ROOT, RunWriter, build_run, fingerprint, load_run
from eval.tracing.base import Tracer
from eval.tracing.cases import trace_of
from eval.tracing.langfuse import build_tracer
from eval.users import PersonaUser, ScriptedUser, UserFactory

PARTS = ("replay", "probes", "laws", "recall")
USERS: dict[UserKind, UserFactory] = {"scripted": ScriptedUser, "persona": PersonaUser}
_ON_CONVERSATIONS = {"replay", "laws", "recall"}
MODES: tuple[Mode, ...] = ("grader", "trace")


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run, on what."""

    parts: tuple[str, ...] = PARTS
    splits: tuple[Split, ...] = ("dev", "test")
    users: tuple[UserKind, ...] = ("scripted", "persona")
    modes: tuple[Mode, ...] = MODES
    traces: Path | None = None
    only: str = ""
    """Run only conversations whose id holds this."""
    channel: str = "inprocess"
    target: str = "recommender"
    """Whose golden set is run."""
    profile: str = STANDARD
    enable: tuple[str, ...] = ()
    """Opt-in dimensions to run as well."""
    replicates: int = 1
    """Fresh runs of each golden case."""
    judge: str = ""
    """Who judges golden cases; empty: whom JUDGE_PROVIDER names, which is nobody unless set."""
    max_cost_usd: float | None = None
    """Most that the judge may cost."""
    recorded: Path | None = None
    """Take the answers for planted defects from this run instead of asking."""
    options: AdapterOptions = field(default_factory=AdapterOptions)
    seed: int = 20260
    command: str = ""


def execute(plan: Plan, path: Path, *, resume: bool = False) -> Run:
    """Run `plan`, or the rest of it, into the file `path`; give the whole run.

    Raises:
        EvalError: the cases, the channel, the judge or the store cannot be used.
    """
    golden = "golden" in plan.parts
    if golden:  # a wrong word is told before anything is loaded
        load_golden_cases(plan.target, plan.only)
        load_profile(plan.profile, plan.enable)
    catalog = _catalog()
    cases = load_cases(plan, catalog)
    with ExitStack() as held:
        asking = open_asking(plan.judge, plan.max_cost_usd) if golden else None
        tracer = build_tracer() if golden else None
        adapter = find_adapter(plan.channel).build(plan.options)
        for each in (adapter, asking, tracer):
            if each is not None:
                held.callback(each.close)
        tasks = build_tasks(plan, cases, adapter, catalog, asking)
        with RunWriter.open(path, _info(plan, path.stem, adapter), resume=resume) as writer:
            for part, ours in tasks.items():
                _work(ours, part, writer, tracer)
    run = load_run(path)
    wanted = {key for ours in tasks.values() for task in ours for key in task.keys}
    return build_run(run.info, [row for row in run.rows if row.key in wanted])


def _work(tasks: Sequence[Task], part: str, writer: RunWriter, tracer: Tracer | None) -> None:
    """What is missing of `tasks`, one row on disk after the other."""
    missing = [task for task in tasks if not writer.keys.issuperset(task.keys)]
    for task in track(missing, part) if missing else ():
        for row in task.run():
            if row.key in writer.keys:
                continue
            writer.add(row)
            if tracer is not None and isinstance(row, CaseResult):
                tracer.send(trace_of(writer.info.id, row))


def _catalog() -> Catalog:
    try:
        return load_catalog(load_settings().retrieval.data_dir / "catalog.json")
    except RecommenderError as exc:
        raise AdapterError(f"what is true cannot be loaded: {exc}") from exc


def load_cases(plan: Plan, catalog: Catalog) -> tuple[Case, ...]:
    """The conversations of the plan.

    Raises:
        DatasetError: there is none although a part needs some.
    """
    if not _ON_CONVERSATIONS & set(plan.parts):
        return ()
    cases = load_conversations(plan.splits)
    if plan.traces is not None:
        cases += load_traces(plan.traces, {assessment.id: assessment.name for assessment in catalog})
    cases = tuple(case for case in cases if plan.only in case.id)
    if not cases:
        raise DatasetError(f"no conversations to run in {', '.join(plan.splits) or 'no split'}")
    return cases


def build_tasks(
    plan: Plan, cases: Sequence[Case], adapter: Adapter, catalog: Catalog, asking: Asking | None = None
) -> dict[str, list[Task]]:
    """What the plan comes to, by part."""
    builders: dict[str, Callable[[], list[Task]]] = {
        "replay": lambda: _replays(plan, cases, adapter, catalog),
        "probes": lambda: _probes(plan, adapter, catalog),
        "laws": lambda: _laws(plan, cases, adapter, catalog),
        "recall": lambda: _recalls(cases, adapter),
        "golden": lambda: golden_tasks(
            plan.target,
            plan.channel,
            adapter,
            load_profile(plan.profile, plan.enable),
            plan.replicates,
            plan.only,
            asking,
        ),
        "mutation": lambda: mutation_tasks(plan.target, adapter, plan.seed, plan.recorded),
    }
    return {part: builders[part]() for part in plan.parts}


def _replays(plan: Plan, cases: Sequence[Case], adapter: Adapter, catalog: Catalog) -> list[Task]:
    return [
        Task(
            (f"replay/{plan.channel}/{kind}/{mode}/{case.id}/0",),
            partial(_one_replay, case, kind, adapter, mode, catalog, plan.channel),
        )
        for kind in plan.users
        for mode in plan.modes
        for case in cases
        if kind == "scripted" or case.facts
    ]


def _one_replay(
    case: Case, kind: UserKind, adapter: Adapter, mode: Mode, catalog: Catalog, channel: str
) -> tuple[Row, ...]:
    return (replay(case, kind, USERS[kind], adapter, mode, catalog, channel),)


def _probes(plan: Plan, adapter: Adapter, catalog: Catalog) -> list[Task]:
    return [
        Task(
            (f"probe/{plan.channel}/{probe.pair}/{probe.side}",),
            lambda probe=probe: (run_probe(probe, adapter, catalog, plan.channel),),  # type: ignore[misc]
        )
        for probe in load_probes()
    ]


def _laws(plan: Plan, cases: Sequence[Case], adapter: Adapter, catalog: Catalog) -> list[Task]:
    seeds = generate([case for case in cases if case.split == "dev"], plan.seed)
    tasks = [
        Task(
            (f"law/{plan.channel}/{name}/{seed.id}",),
            lambda name=name, seed=seed: (  # type: ignore[misc]
                run_law(name, seed, adapter, catalog, plan.channel, plan.seed),
            ),
        )
        for name in LAWS
        for seed in seeds
    ]
    return tasks + [
        Task(
            (f"law/{plan.channel}/{PARAPHRASE}/{pair_id}",),
            lambda pair_id=pair_id, pair=pair: (run_paraphrase(pair_id, pair, adapter, plan.channel),),  # type: ignore[misc]
        )
        for pair_id, pair in load_paraphrases().items()
    ]


def _recalls(cases: Sequence[Case], adapter: Adapter) -> list[Task]:
    if not isinstance(adapter, InProcessAdapter):
        return []
    proxy = RecallEval(adapter.side)
    return [
        Task(
            tuple(f"recall/{arm}/{case.id}" for arm in ARMS),
            lambda case=case: proxy.rows(case),  # type: ignore[misc]
        )
        for case in cases
    ]


def _info(plan: Plan, run_id: str, adapter: Adapter) -> RunInfo:
    files = [*CONVERSATIONS.rglob("*.yaml"), *PROBES.glob("*.yaml"), PARAPHRASES]
    files += [*(ROOT / "eval").glob("*.py"), *(ROOT / "eval" / "users").glob("*.py")]
    if plan.traces is not None:
        files += plan.traces.glob("*.md")
    if {"golden", "mutation"} & set(plan.parts):
        files += grading_files(plan.target)
    if plan.channel == "inprocess":
        files += [*(ROOT / "app").rglob("*.py"), *(p for p in (ROOT / "data").rglob("*") if p.is_file())]
    settings = {
        "parts": " ".join(plan.parts),
        "splits": " ".join(plan.splits),
        "users": " ".join(plan.users),
        "modes": " ".join(plan.modes),
        "dense": str(plan.options.dense),
        "router": plan.options.provider or load_settings().llm_provider,
        "model": load_settings().llm_model,
        "only": plan.only,
        "target": plan.target,
        "profile": plan.profile,
        "enabled": " ".join(plan.enable),
        "replicates": str(plan.replicates),
        "judge": plan.judge,
    }
    return RunInfo(
        id=run_id,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        command=plan.command,
        channel=plan.channel,
        target=adapter.target,
        fingerprint=fingerprint(
            files, *(f"{key}={value}" for key, value in settings.items()), str(plan.seed)
        ),
        seed=plan.seed,
        settings=settings,
        notes=adapter.notes,
    )
