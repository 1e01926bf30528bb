"""What retrieval is asked: every distinct skill of the whole history, the role, and the user's own words."""

from __future__ import annotations

from collections.abc import Sequence

from app.knowledge import FamilyId, Knowledge
from app.records import PARAGRAPH, Seniority, Weight
from app.understanding.state import State
from app.understanding.text import strip_urls


def search_query(knowledge: Knowledge, families: Sequence[FamilyId], state: State) -> str:
    """Labels first, so that a bounded reader sees them; then what the user wrote. Empty without content.

    Each label and each message is a paragraph of its own (PARAGRAPH), so that the encoder need not read again
    what an earlier turn held, and never has to read a label (`labels`).
    """
    wanted = [
        knowledge.skills[skill].label
        for skill, wish in state.skills.items()
        if wish.weight is not Weight.OCCASIONAL
    ]
    titles = [knowledge.families[family].title for family in families[:1]]
    seniority = [state.seniority.value] if state.seniority else []
    own_words = [strip_urls(text).replace(PARAGRAPH, "\n") for text in state.need_texts]
    parts = [*seniority, *titles, *wanted, *own_words]
    return PARAGRAPH.join(part for part in parts if part.strip())


def labels(knowledge: Knowledge) -> tuple[str, ...]:
    """Every text that `search_query` may hold besides what a user wrote."""
    skills = (skill.label for skill in knowledge.skills.values())
    titles = (family.title for family in knowledge.families.values())
    return tuple(dict.fromkeys([*(stage.value for stage in Seniority), *titles, *skills]))
