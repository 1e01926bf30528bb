"""A battery from nothing: every requirement covered once, subjects first."""

from __future__ import annotations

from app.assembly.draft import Draft
from app.assembly.fill import fill_from_candidates
from app.catalog import Catalog
from app.knowledge import Knowledge
from app.records import Gap, Source, Understanding
from app.requirements import SUBJECT_TESTS, requirements
from app.retrieval.retriever import Candidates

_ROLE_SPECIFIC = (Source.SKILL, Source.NEAREST, Source.NAMED)


def build(need: Understanding, catalog: Catalog, knowledge: Knowledge, candidates: Candidates) -> Draft:
    """Cover what is needed; where neither words nor playbook say enough, retrieval fills in."""
    draft = Draft(need, catalog, knowledge)
    wanted = requirements(need, knowledge)
    subjects = 0
    for requirement in wanted:
        is_subject = requirement.source in (Source.SKILL, Source.NEAREST)
        if is_subject and subjects >= SUBJECT_TESTS:
            draft.gaps.append(Gap(requirement.what, "left out for length; say so if it is a must"))
            continue
        subjects += draft.cover(requirement) and is_subject
    if not need.families and not any(requirement.source in _ROLE_SPECIFIC for requirement in wanted):
        fill_from_candidates(draft, candidates)
    return draft
