"""What retrieval adds where neither vocabulary nor playbook knows the need."""

from __future__ import annotations

from app.assembly.draft import PRIORITY, Draft
from app.catalog import AssessmentId
from app.knowledge import Sitting
from app.records import Pick, Source
from app.requirements import Requirement
from app.retrieval.retriever import Candidates

MIN_SIMILARITY = 0.38
"""Cosine below which the nearest assessment is about something else."""
FILL_LIMIT = 3
WHY = "closest in meaning to what you wrote"


def fill_from_candidates(draft: Draft, candidates: Candidates) -> None:
    """Put at most three role-specific candidates before what is already picked.

    A candidate counts only when both rankers see it and its meaning is near: a lone word or a vague
    resemblance is no ground for a recommendation.
    """
    near = {hit.id for hit in candidates.dense if hit.score >= MIN_SIMILARITY}
    worded = {hit.id for hit in candidates.lexical}
    families = {draft.knowledge.entries[id_].family for id_ in draft.ids}
    found: list[Pick] = []
    for hit in candidates.fused:
        entry = draft.knowledge.entries.get(AssessmentId(hit.id))
        if entry is None or hit.id not in near & worded or entry.family in families:
            continue
        if entry.sitting is not Sitting.CANDIDATE or "knowledge" not in entry.evidence:
            continue
        chosen = draft.chooser.choose(Requirement("", (entry.id,), Source.RETRIEVED, WHY))
        if chosen is not None:
            found.append(Pick(chosen, Source.RETRIEVED, WHY))
            draft.priority[chosen] = PRIORITY[Source.PLAYBOOK]
            families.add(entry.family)
        if len(found) == FILL_LIMIT:
            break
    draft.picks[:0] = found
