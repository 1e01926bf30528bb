"""Ablations of retrieval and assembly: measured, stored, logged; negative results stay in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from app.api.dependencies import CatalogSide
from app.assembly import BatteryAssembler
from app.knowledge import ANY_FAMILY, FamilyId, Knowledge, Play, Purpose
from app.pipeline import Pipeline
from app.records import Source
from app.retrieval import Candidates, Ranker, Ranking, build_lexical, document, fuse
from eval.adapters.base import AdapterOptions
from eval.adapters.inprocess import build
from eval.errors import EvalError
from eval.metrics import Interval, mean_interval, recall_at
from eval.progress import track
from eval.recall_eval import DEPTH, Need, RecallEval
from eval.records import Case
from eval.session import Plan, load_cases
from eval.store import ROOT, fingerprint
from eval.summary import bounds

STORE_FILE = ROOT / "eval" / "ablations.jsonl"
LOG_FILE = ROOT / "eval" / "TUNING_LOG.md"
COMMAND = "python -m eval ablate"
SEED = 20260
RRF_K = (1, 10, 30, 60, 120, 300)
DEPTHS = (5, 10, 20, 50)


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to rank, measured by Recall at `k`."""

    group: str
    name: str
    rank: Callable[[Case], Sequence[str]]
    k: int = 10


def ablate(only: str = "", traces: Path | None = None) -> None:
    """Measure every variant on the dev conversations and append one line each to the store file.

    Raises:
        EvalError: the dense side is not loaded, so half of the arms would be empty.
    """
    adapter = build(AdapterOptions())
    if adapter.notes:
        raise EvalError(f"ablations need both sides: {adapter.notes[0]}")
    cases = load_cases(Plan(splits=("dev",), only=only, traces=traces), adapter.side.catalog)
    state = fingerprint(
        [*(ROOT / "app").rglob("*.py"), *(p for p in (ROOT / "data").rglob("*") if p.is_file())]
    )
    when = datetime.now(UTC).isoformat(timespec="seconds")
    found = variants(adapter.side)
    with STORE_FILE.open("a", encoding="utf-8") as file:
        for variant in track(found, "ablations"):
            scores = [recall_at(variant.rank(case), case.final.must, variant.k) for case in cases]
            values = [score for score in scores if score is not None]
            mean = mean_interval(values, SEED)
            line = {
                "when": when,
                "state": state,
                "command": COMMAND,
                "group": variant.group,
                "variant": variant.name,
                "measure": f"recall@{variant.k}",
                "n": len(values),
                "mean": mean.value if mean else None,
                "low": mean.low if mean else None,
                "high": mean.high if mean else None,
            }
            file.write(json.dumps(line) + "\n")


def variants(side: CatalogSide) -> list[Variant]:
    """Everything that is tried, in the order of the log."""
    lab = _Lab(side)
    found = [
        Variant("arm", "dense only", lambda case: _ids(lab.need(case).candidates.dense)),
        Variant("arm", "BM25 only", lambda case: _ids(lab.need(case).candidates.lexical)),
        Variant("arm", "fused (k 60)", lambda case: _ids(lab.need(case).candidates.fused)),
        Variant("arm", "fused + assembly", lambda case: lab.assembled(case)),
    ]
    found += [Variant("fusion constant", f"k = {k}", partial(_fused, lab, k)) for k in RRF_K]
    found += [
        Variant("depth", f"fused, first {n}", lambda case: _ids(lab.need(case).candidates.fused), n)
        for n in DEPTHS
    ]
    found += [
        Variant(
            "query",
            "router-made query (skills, role, the user's words)",
            lambda case: _ids(lab.need(case).candidates.fused),
        ),
        Variant(
            "query",
            "every-skill query (labels of all skills)",
            lambda case: lab.search(lab.skills_query(case)),
        ),
        Variant("query", "per-skill multi-query, fused", lab.multi_query),
        Variant(
            "query", "whole history, raw words", lambda case: lab.search(" ".join(t.user for t in case.turns))
        ),
        Variant("query", "first message only", lambda case: lab.search(case.turns[0].user)),
        Variant("query", "last message only", lambda case: lab.search(case.turns[-1].user)),
    ]
    found += [
        Variant("document text (BM25)", name, partial(_ranked, lab, ranker))
        for name, ranker in lab.text_variants().items()
    ]
    return [
        *found,
        Variant("assembly", "assembly on", lambda case: lab.assembled(case)),
        Variant(
            "assembly", "assembly off (first ten fused)", lambda case: _ids(lab.need(case).candidates.fused)
        ),
        Variant(
            "assembly",
            "playbook off (general row only)",
            lambda case: lab.assembled(case, lab.without_playbook),
        ),
        Variant("assembly", "defaults off", lambda case: lab.without_defaults(case)),
        Variant("assembly", "no retrieval at all", lambda case: lab.assembled(case, candidates=Candidates())),
    ]


class _Lab:
    """The loaded stages, and the needs of all conversations understood once."""

    def __init__(self, side: CatalogSide) -> None:
        assert isinstance(side.responder, Pipeline)
        self._side = side
        self._pipeline = side.responder
        self._proxy = RecallEval(side)
        self._needs: dict[str, Need] = {}
        bare = replace(side.knowledge, plays=_general_rows(side.knowledge))
        self.without_playbook = replace(self._pipeline, assembler=BatteryAssembler(side.catalog, bare))

    def need(self, case: Case) -> Need:
        if case.id not in self._needs:
            self._needs[case.id] = self._proxy.need(case)
        return self._needs[case.id]

    def query(self, case: Case) -> str:
        return self.need(case).understanding.search_query

    def skills_query(self, case: Case) -> str:
        return ", ".join(self._skill_labels(case)) or self.query(case)

    def search(self, query: str) -> tuple[str, ...]:
        return _ids(self._side.searcher.search(query, DEPTH).fused)

    def multi_query(self, case: Case) -> tuple[str, ...]:
        queries = self._skill_labels(case) or [self.query(case)]
        return _ids(fuse([self._side.searcher.search(query, DEPTH).fused for query in queries], n=DEPTH))

    @staticmethod
    def fused(candidates: Candidates, k: int) -> tuple[str, ...]:
        return _ids(fuse((candidates.lexical, candidates.dense), k=k, n=DEPTH))

    def assembled(
        self, case: Case, pipeline: Pipeline | None = None, candidates: Candidates | None = None
    ) -> tuple[str, ...]:
        need = self.need(case)
        if candidates is not None:
            need = replace(need, candidates=candidates)
        return self._proxy.assemble(need, pipeline or self._pipeline)

    def without_defaults(self, case: Case) -> tuple[str, ...]:
        need = self.need(case)
        picks = self._proxy.picks(need, self._pipeline)
        return tuple(pick.id for pick in picks if pick.source is not Source.DEFAULT)

    def text_variants(self) -> Mapping[str, Ranker]:
        catalog, entries = self._side.catalog, self._side.knowledge.entries
        texts: dict[str, Callable[[str], str]] = {
            "name": lambda key: catalog[key].name,
            "name, topics": lambda key: f"{catalog[key].name}. {', '.join(entries[catalog[key].id].topics)}",
            "name, summary": lambda key: f"{catalog[key].name}. {entries[catalog[key].id].summary}",
            "as indexed": lambda key: document(catalog[key], entries[catalog[key].id]),
        }
        return {name: build_lexical({key: text(key) for key in catalog.ids}) for name, text in texts.items()}

    def _skill_labels(self, case: Case) -> list[str]:
        skills = self._side.knowledge.skills
        return [skills[wish.skill].label for wish in self.need(case).understanding.skills]


def _general_rows(knowledge: Knowledge) -> dict[tuple[FamilyId, Purpose], tuple[Play, ...]]:
    return {key: rows for key, rows in knowledge.plays.items() if key[0] == ANY_FAMILY}


def _ranked(lab: _Lab, ranker: Ranker, case: Case) -> tuple[str, ...]:
    return _ids(ranker.rank(lab.query(case), 10))


def _fused(lab: _Lab, k: int, case: Case) -> tuple[str, ...]:
    return lab.fused(lab.need(case).candidates, k)


def _ids(ranking: Ranking) -> tuple[str, ...]:
    return tuple(hit.id for hit in ranking)


def write_log(store: Path = STORE_FILE, log: Path = LOG_FILE) -> None:
    """Write the log from what is stored: the newest line of each variant, and how it moved before."""
    rows = [json.loads(line) for line in store.read_text("utf-8").splitlines()] if store.exists() else []
    log.write_text(render_log(rows), encoding="utf-8")


_LOG_HEAD = (
    "| variant | measure | n | mean | 95 % interval | earlier means | command |",
    "| --- | --- | --- | --- | --- | --- | --- |",
)


def render_log(rows: Iterable[Mapping[str, object]]) -> str:
    """The log as Markdown."""
    latest: dict[tuple[object, object, object], list[Mapping[str, object]]] = {}
    for row in rows:
        latest.setdefault((row["group"], row["variant"], row["measure"]), []).append(row)
    lines = [
        "# Tuning log",
        "",
        "Written by `python -m eval tuning-log` from eval/ablations.jsonl; measured by"
        " `python -m eval ablate` on the dev conversations, everything else equal. Labels are the required"
        " ids of the final list. Variants whose intervals overlap widely cannot be told apart; negative"
        " results stay in.",
        "",
    ]
    for group in dict.fromkeys(key[0] for key in latest):
        lines += [f"## {str(group).capitalize()}", "", *_LOG_HEAD]
        for (_, variant, measure), history in (item for item in latest.items() if item[0][0] == group):
            lines.append(_log_row(str(variant), str(measure), history))
        lines.append("")
    lines += [
        "Not tried, because there is no such step: a diversity re-ranking (the battery takes one assessment"
        " per family).",
    ]
    return "\n".join(lines) + "\n"


def _log_row(variant: str, measure: str, history: Sequence[Mapping[str, object]]) -> str:
    row = history[-1]
    mean = row["mean"]
    assert isinstance(mean, float | int | None)
    low, high, n = row["low"], row["high"], row["n"]
    assert isinstance(low, float | None)
    assert isinstance(high, float | None)
    assert isinstance(n, int)
    words = bounds(Interval(mean or 0.0, low, high, n, ""))
    before = ", ".join(f"{old['mean']:.3f}" for old in history[:-1][-4:] if old["mean"] is not None) or "–"
    shown = f"{mean:.3f}" if mean is not None else "–"
    return f"| {variant} | {measure} | {n} | {shown} | {words} | {before} | `{row['command']}` |"
