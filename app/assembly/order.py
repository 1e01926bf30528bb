"""Put a battery in the order in which a consultant shows it, each report behind its instrument."""

from __future__ import annotations

from collections.abc import Sequence

from app.catalog import AssessmentId, Catalog, TestType
from app.knowledge import Knowledge
from app.records import Pick, Source, Understanding


def with_instruments(picks: Sequence[Pick], knowledge: Knowledge, need: Understanding) -> list[Pick]:
    """A report brings its instrument; where that is not wanted, the report is out too."""
    ids = {pick.id for pick in picks}
    found: list[Pick] = []
    for pick in picks:
        entry = knowledge.entries[pick.id]
        if entry.is_report and not ids & set(entry.instruments):
            instrument = entry.instruments[0]
            if instrument in need.dropped or (
                set() < need.unwanted_types and pick.source is not Source.NAMED
            ):
                continue
            found.append(Pick(instrument, Source.PLAYBOOK, "sat by the person; the report is drawn from it"))
            ids.add(instrument)
        found.append(pick)
    return found


def in_order(
    picks: Sequence[Pick], knowledge: Knowledge, catalog: Catalog, keep: Sequence[AssessmentId]
) -> list[Pick]:
    """Role-specific first, then reasoning, judgement, personality; reports behind their instrument.

    What stands in `keep` stays in that order and comes first.
    """
    position = {id_: number for number, id_ in enumerate(keep)}
    kept = sorted((p for p in picks if p.id in position), key=lambda p: position[p.id])
    new = [p for p in picks if p.id not in position]
    new = sorted(new, key=lambda p: _rank(catalog[p.id].types, knowledge, p.id))
    ordered = [*kept, *new]
    return _reports_behind(ordered, knowledge)


def _rank(types: tuple[TestType, ...], knowledge: Knowledge, id_: AssessmentId) -> int:
    evidence = knowledge.entries[id_].evidence
    if "general_reasoning" in evidence or any(code.endswith("_reasoning") for code in evidence):
        return 1
    if TestType.JUDGEMENT in types and TestType.SIMULATION not in types:
        return 2
    if "personality" in evidence or "motivation" in evidence:
        return 3
    return 0


def _reports_behind(picks: list[Pick], knowledge: Knowledge) -> list[Pick]:
    reports = [p for p in picks if knowledge.entries[p.id].is_report]
    ordered: list[Pick] = []
    for pick in picks:
        if pick in reports:
            continue
        ordered.append(pick)
        ordered += [r for r in reports if pick.id in knowledge.entries[r.id].instruments and r not in ordered]
    return [*ordered, *(r for r in reports if r not in ordered)]
