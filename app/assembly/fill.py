"""What retrieval adds where neither vocabulary nor playbook knows the need."""

from __future__ import annotations

from app.assembly.choice import Chooser
from app.knowledge import Knowledge, Sitting
from app.records import Pick, Source
from app.requirements import Requirement
from app.retrieval import Candidates

MIN_SIMILARITY = 0.38
"""Cosine below which the nearest assessment is about something else: in eval/TUNING_LOG.md."""
FILL_LIMIT = 3


def fill_from_candidates(
    picks: list[Pick], candidates: Candidates, chooser: Chooser, knowledge: Knowledge
) -> None:
    """Put at most three role-specific candidates before what is already picked.

    A candidate counts only when both rankers see it and its meaning is near: a lone word or a vague
    resemblance is no ground for a recommendation.
    """
    near = {hit.id for hit in candidates.dense if hit.score >= MIN_SIMILARITY}
    worded = {hit.id for hit in candidates.lexical}
    families = {knowledge.entries[pick.id].family for pick in picks}
    found: list[Pick] = []
    for hit in candidates.fused:
        entry = knowledge.entries.get(hit.id)  # type: ignore[call-overload]
        if entry is None or hit.id not in near or hit.id not in worded or entry.family in families:
            continue
        if entry.sitting is not Sitting.CANDIDATE or "knowledge" not in entry.evidence:
            continue
        chosen = chooser.choose(
            Requirement("", (entry.id,), Source.RETRIEVED, "closest in meaning to what you wrote")
        )
        if chosen is not None:
            found.append(Pick(chosen, Source.RETRIEVED, "closest in meaning to what you wrote"))
            families.add(entry.family)
        if len(found) == FILL_LIMIT:
            break
    picks[:0] = found
