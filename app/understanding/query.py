"""What retrieval is asked: every distinct skill of the whole history, the role, and the user's own words."""

from __future__ import annotations

from collections.abc import Sequence

from app.knowledge import FamilyId, Knowledge
from app.records import Weight
from app.understanding.state import State
from app.understanding.text import strip_urls


def search_query(knowledge: Knowledge, families: Sequence[FamilyId], state: State) -> str:
    """Labels first, so that a bounded reader sees them; then what the user wrote. Empty without content."""
    labels = [
        knowledge.skills[skill].label
        for skill, wish in state.skills.items()
        if wish.weight is not Weight.OCCASIONAL
    ]
    titles = [knowledge.families[family].title for family in families[:1]]
    seniority = [state.seniority.value] if state.seniority else []
    own_words = [strip_urls(text) for text in state.need_texts]
    return ". ".join(part for part in [", ".join([*seniority, *titles, *labels]), *own_words] if part.strip())
