"""The standing list after edits and new facts: what was not touched stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from app.assembly.choice import Refusal, limits_text
from app.assembly.draft import PRIORITY, REASONING, Draft
from app.catalog import AssessmentId, Catalog
from app.knowledge import FamilyId, Knowledge, Part
from app.records import Pick, Source, Understanding, Weight
from app.requirements import Requirement, requirements

_TRAITS = frozenset({"personality", "motivation", "safety", "dependability"})
_KINDS = (
    _TRAITS | REASONING | {"knowledge", "coding_practice", "tool_practice", "judgement", "spoken_language"}
)
"""What a substitute has to give evidence of just as the item that it replaces."""
_ADDABLE = (Source.SKILL, Source.NEAREST, Source.MEASURE)


def refine(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Draft:
    """Apply the edits to the standing list, then bring it in line with the limits and the level."""
    draft = Draft(need, catalog, knowledge)
    if need.edits.only:
        draft.picks = [explain(need, id_, knowledge) for id_ in need.edits.only]
        return draft
    _keep(draft)
    _extend(draft)
    if need.pitch is not None and set(draft.ids) == set(need.standing):
        draft.notes.append(f"The catalogue has no {need.pitch} variant of these.")
    return draft


def explain(need: Understanding, id_: AssessmentId, knowledge: Knowledge) -> Pick:
    """A pick of the standing list with the reason that the need gives for it."""
    for requirement in requirements(need, knowledge):
        if id_ in requirement.options:
            return Pick(id_, requirement.source, requirement.why)
    about = ", ".join(knowledge.entries[id_].topics[:2])
    return Pick(id_, Source.STANDING, f"about {about}" if about else "on your list")


def _keep(draft: Draft) -> None:
    need = draft.need
    substitutes = _substitutes(draft)
    for id_ in need.standing:
        if id_ in need.edits.drop:
            continue
        kept = substitutes.get(id_, id_)
        if kept == id_ and need.new_facts and kept not in need.added and kept not in need.edits.keep:
            kept = draft.chooser.best_sibling(kept)
        refusal = draft.chooser.refusal(kept, named=True)
        if refusal is None:
            pick = explain(need, kept, draft.knowledge)
            draft.add(pick, PRIORITY.get(pick.source, PRIORITY[Source.MEASURE]))
        elif refusal is not Refusal.DROPPED:
            draft.notes.append(f"{draft.catalog[kept].name} is out: {_because(refusal, need)}.")


def _extend(draft: Draft) -> None:
    """Add what was asked for by name, by skill or by kind, for another job, or because of a new fact."""
    need, edits = draft.need, draft.need.edits
    for id_ in edits.add:
        draft.add(Pick(id_, Source.NAMED, "you asked for it"), PRIORITY[Source.NAMED])
    if need.new_facts and not edits:
        _cover_voice(draft)
    for family in edits.add_families:
        _cover_family(draft, family)
    for requirement in _added_requirements(draft):
        draft.cover(requirement)


def _cover_voice(draft: Draft) -> None:
    """A language or accent that was just told calls for its spoken test."""
    for requirement in requirements(draft.need, draft.knowledge):
        spoken = any("accent" in draft.knowledge.entries[option].variant for option in requirement.options)
        if spoken and not set(requirement.options) & draft.need.dropped:
            draft.cover(requirement)


def _cover_family(draft: Draft, family: FamilyId) -> None:
    """What another job needs beside what the list already has; defaults are there already or not wanted."""
    job = replace(draft.need, families=(family,), skills=(), added=())
    for requirement in requirements(job, draft.knowledge):
        if requirement.part is Part.CORE:
            draft.cover(requirement)


def _added_requirements(draft: Draft) -> Iterator[Requirement]:
    """Requirements of the skills and measures that the last message adds."""
    new = set(draft.need.edits.add_skills)
    if not new:
        return
    background = tuple(
        w if w.skill in new else replace(w, weight=Weight.OCCASIONAL) for w in draft.need.skills
    )
    # a simulation is one of the subjects that are on the list, so they have to stay in view
    skills = draft.need.skills if "simulation" in new else background
    narrow = replace(draft.need, skills=skills, added=())
    for requirement in requirements(narrow, draft.knowledge):
        present = [option for option in requirement.options if option in draft.ids]
        if requirement.source in _ADDABLE and (not present or _is_other_mode(draft, requirement)):
            yield requirement


def _is_other_mode(draft: Draft, requirement: Requirement) -> bool:
    """Whether the usual choice is of another kind than what is on the list ("add a simulation")."""
    families = {draft.knowledge.entries[id_].family for id_ in draft.ids}
    return draft.knowledge.entries[requirement.options[0]].family not in families


def _substitutes(draft: Draft) -> dict[AssessmentId, AssessmentId]:
    """A substitute for each item to be replaced; without one it is kept, and that is said."""
    found: dict[AssessmentId, AssessmentId] = {}
    for id_ in draft.need.edits.replace:
        if id_ not in draft.need.standing:
            continue
        substitute = next(_candidates(draft, id_), None)
        if substitute is not None:
            found[id_] = substitute
            continue
        shorter = "shorter " if draft.need.edits.shorter else ""
        draft.notes.append(
            f"I kept {draft.catalog[id_].name}: no {shorter}assessment covers the same ground."
            " Say the word and I drop it."
        )
    return found


def _candidates(draft: Draft, id_: AssessmentId) -> Iterator[AssessmentId]:
    """What gives the same evidence as `id_` and fits the need as well: variants, then tests of its subjects."""
    entry, fit = draft.knowledge.entries[id_], draft.chooser.fit
    others = [] if entry.evidence & _TRAITS else _tests_of_subjects(draft, id_)
    for other in dict.fromkeys([*draft.knowledge.siblings(id_), *others]):
        if other == id_ or other in draft.need.standing:
            continue
        if fit(other) > fit(id_):
            continue
        if draft.need.edits.shorter and not _is_shorter(draft.catalog, other, id_):
            continue
        same_evidence = draft.knowledge.entries[other].evidence >= entry.evidence & _KINDS
        if same_evidence and draft.chooser.refusal(other, named=False) is None:
            yield other


def _tests_of_subjects(draft: Draft, id_: AssessmentId) -> list[AssessmentId]:
    """Tests of what `id_` is named after; of whatever it touches where it bears no subject's name."""
    skills, name = draft.knowledge.skills, draft.catalog[id_].name.lower()
    subjects = [skills[s] for s in sorted(draft.knowledge.skills_of[id_]) if skills[s].is_subject]
    own = [subject for subject in subjects if subject.label.lower() in name]
    return [test for subject in own or subjects for test in subject.tests]


def _is_shorter(catalog: Catalog, candidate: AssessmentId, current: AssessmentId) -> bool:
    """Unknown minutes are neither shorter nor longer."""
    new, old = catalog[candidate].minutes, catalog[current].minutes
    return new is not None and old is not None and new < old


def _because(refusal: Refusal, need: Understanding) -> str:
    if refusal is Refusal.LANGUAGE:
        return f"it is not offered in {' and '.join(need.limits.languages)}"
    if refusal is Refusal.TIME:
        return f"it takes longer than {limits_text(need.limits)}"
    return "it does not meet the limit you set"
