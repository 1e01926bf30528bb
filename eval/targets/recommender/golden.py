"""Builds the recommender's golden set from material that exists already: labelled conversations and probes.

The set is a product: its sources are eval/conversations/dev, eval/probes and golden_extra.yaml beside this
file; `scripts/build_golden.py` writes it and `python -m eval lint` fails when it is stale. The held-out half is
never read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml

from app.catalog import Catalog, load_catalog
from app.config import load_settings
from app.knowledge import Knowledge, load_knowledge
from app.replies.words import time_of
from eval.datasets import load_conversations
from eval.probes import Probe, Wanted, load_probes
from eval.records import Case

EXTRA = Path(__file__).with_name("golden_extra.yaml")
CONVERSATIONS = 90
"""One conversation for each family that has one; this many in all. Those with drops and limits come first."""
_REFUSED = frozenset({"off-topic", "legal", "cheating", "steering"})
Row = dict[str, Any]


def golden_text() -> str:
    """The file as its sources have it today."""
    folder = load_settings().retrieval.data_dir
    catalog = load_catalog(folder / "catalog.json")
    return render_golden(build_golden(catalog, load_knowledge(folder / "knowledge", catalog)))


def build_golden(catalog: Catalog, knowledge: Knowledge) -> list[Row]:
    """All cases, by id."""
    expected = _Expected(catalog, knowledge)
    extra = yaml.safe_load(EXTRA.read_text(encoding="utf-8"))
    rows = [
        *(_from_conversation(case, expected) for case in _chosen(load_conversations(("dev",)))),
        *(_from_probe(probe, expected) for probe in load_probes() if _says_enough(probe.wanted)),
        *(_from_extra(row) for row in extra["cases"]),
    ]
    for row in rows:
        row["criteria"] |= extra["also"].get(row["id"], {})
    return sorted(rows, key=lambda row: row["id"])


class _Expected:
    """Writes expected answers from ids, as the catalogue has it today."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge) -> None:
        self._catalog = catalog
        self._knowledge = knowledge

    def answer(self, ids: Iterable[str]) -> str:
        lines = []
        for number, key in enumerate(ids, 1):
            fact = self._catalog[key]
            is_report = self._knowledge.entries[fact.id].is_report
            lines.append(f"{number}. {fact.name} ({fact.test_type}; {time_of(fact, is_report=is_report)})")
        return "\n".join(lines)


def _chosen(cases: Iterable[Case]) -> list[Case]:
    labelled = [case for case in cases if case.turns[-1].expect.list is not False]
    first = [case for case in labelled if _dropped(case) or {"minutes", "language_limit"} & case.facts.keys()]
    seen = {case.family for case in first}
    for case in labelled:
        if case.family not in seen and len(first) < CONVERSATIONS:
            seen.add(case.family)
            first.append(case)
    return first[:CONVERSATIONS]


def _dropped(case: Case) -> tuple[str, ...]:
    """What a list had to hold once and must not hold in the end."""
    once = {key for turn in case.turns[:-1] for key in turn.expect.must}
    last = case.turns[-1].expect.must_not
    return tuple(sorted(once & {*last, *case.final.must_not}))


def _from_conversation(case: Case, expected: _Expected) -> Row:
    dropped = _dropped(case)
    criteria: Row = {
        "list": True,
        "ends": case.end,
        "must": list(case.final.must),
        "may": list(case.final.may),
    }
    criteria["must_not"] = [key for key in case.final.must_not if key not in dropped]
    if dropped:
        criteria["dropped"] = list(dropped)
    minutes = case.facts.get("minutes")
    if isinstance(minutes, int) and not case.tags:
        criteria["minutes_total"] = minutes
    facts = {key: list(value) if isinstance(value, tuple) else value for key, value in case.facts.items()}
    return {
        "id": case.id,
        "family": case.family,
        "conversation": [{"role": "user", "content": turn.user} for turn in case.turns],
        "context": facts,
        "expected_answer": expected.answer(case.final.must),
        "criteria": criteria,
        "tags": ["conversation", *(["drop"] if dropped else [])],
    }


def _from_probe(probe: Probe, expected: _Expected) -> Row:
    criteria = _plain(probe.wanted)
    if probe.kind in _REFUSED and probe.side == "trigger" and probe.wanted.list is False:
        criteria["refuses"] = True
    row: Row = {"id": f"{probe.pair}-{probe.side}", "family": probe.pair}
    if len(probe.messages) == 1:
        row["question"] = probe.messages[0].content
    else:
        row["conversation"] = [{"role": m.role, "content": m.content} for m in probe.messages]
    return row | {
        "context": {"why": probe.why},
        "expected_answer": expected.answer(probe.wanted.must),
        "criteria": criteria,
        "tags": ["probe", probe.kind],
    }


def _says_enough(wanted: Wanted) -> bool:
    """Whether an answer can be graded by it: what must not happen alone says nothing about a right answer."""
    told = (wanted.list, wanted.asks, wanted.same_list)
    return any(each is not None for each in told) or bool(wanted.must or wanted.any_of or wanted.says)


def _plain(wanted: Wanted) -> Row:
    values = ((each.name, getattr(wanted, each.name)) for each in fields(wanted))
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values if v not in (None, ())}


def _from_extra(row: Mapping[str, Any]) -> Row:
    return {
        "id": row["id"],
        "family": row.get("family", row["id"]),
        "question": row["question"],
        "context": {"why": row["why"]},
        "expected_answer": "",
        "criteria": dict(row["criteria"]),
        "tags": row["tags"],
    }


def render_golden(rows: Iterable[Row]) -> str:
    """The file's text: one case a line, so that a change of one is a change of one line."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{{"cases": [\n{lines}\n]}}\n'
