"""Build the battery: cover what was asked for, with the right variants, within the limits, without padding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from app.assembly.choice import Chooser, Refusal, limits_text, speaks
from app.assembly.fill import fill_from_candidates
from app.assembly.order import in_order, with_instruments
from app.catalog import AssessmentId, Catalog
from app.knowledge import Knowledge, Part
from app.records import Act, Decision, Gap, Pick, Shortlist, Source, Understanding, Weight
from app.requirements import SUBJECT_TESTS, Requirement, find_play, requirements
from app.retrieval import Candidates

LIST_LIMIT = 10

_REASONING = frozenset(
    {
        "general_reasoning",
        "numerical_reasoning",
        "verbal_reasoning",
        "deductive_reasoning",
        "inductive_reasoning",
    }
)
_TRAITS = frozenset({"personality", "motivation", "safety", "dependability"})
_KINDS = (
    _TRAITS | _REASONING | {"knowledge", "coding_practice", "tool_practice", "judgement", "spoken_language"}
)
"""What a substitute has to give evidence of just as the item that it replaces."""


@dataclass(slots=True)
class Draft:
    """A battery while it is built."""

    picks: list[Pick] = field(default_factory=list)
    priority: dict[AssessmentId, int] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def ids(self) -> list[AssessmentId]:
        """Ids in the order picked."""
        return [pick.id for pick in self.picks]


class BatteryAssembler:
    """Turns an understanding into a shortlist. Stateless."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge) -> None:
        self._catalog = catalog
        self._knowledge = knowledge

    def assemble(self, understanding: Understanding, decision: Decision, candidates: Candidates) -> Shortlist:
        """The list that goes with `decision`; empty when a question is asked."""
        if decision.act is Act.CLARIFY:
            return Shortlist(gaps=tuple(self._missing(understanding)))
        if decision.act in (Act.COMPARE, Act.REFUSE):
            return self._standing(understanding)
        if not understanding.standing:
            return self._finish(self._build(understanding, candidates), understanding)
        if understanding.edits.undo:
            return self._undone(understanding)
        if understanding.new_aim and not understanding.edits:
            return self._finish(self._build(understanding, candidates), understanding)
        if understanding.rejects:
            turned_down = set(understanding.standing) - set(understanding.added)
            fresh = replace(understanding, dropped=understanding.dropped | turned_down)
            return self._finish(self._build(fresh, candidates), understanding)
        if decision.act is Act.CONFIRM and not understanding.edits:
            return self._standing(understanding)
        return self._finish(self._refine(understanding), understanding)

    # --- from nothing ---------------------------------------------------------------------------

    def _build(self, need: Understanding, candidates: Candidates) -> Draft:
        chooser = Chooser(self._catalog, self._knowledge, need)
        draft = Draft()
        wanted = requirements(need, self._knowledge)
        subjects = 0
        for requirement in wanted:
            if requirement.source in (Source.SKILL, Source.NEAREST):
                if subjects >= SUBJECT_TESTS:
                    draft.gaps.append(Gap(requirement.what, "left out for length; say so if it is a must"))
                    continue
                subjects += self._cover(draft, requirement, chooser, need)
            else:
                self._cover(draft, requirement, chooser, need)
        if (
            not any(r.source in (Source.SKILL, Source.NEAREST, Source.NAMED) for r in wanted)
            and not need.families
        ):
            fill_from_candidates(draft.picks, candidates, chooser, self._knowledge)
        return draft

    def _cover(self, draft: Draft, requirement: Requirement, chooser: Chooser, need: Understanding) -> bool:
        """Add what covers `requirement`, unless something already does. Whether anything was added."""
        if self._covered(draft, requirement) or (
            requirement.part is Part.DEFAULT and self._is_surplus(draft, requirement, need)
        ):
            return False
        if requirement.source in (Source.PLAYBOOK, Source.DEFAULT) and self._is_avoided(requirement, need):
            return False
        chosen = chooser.choose(requirement)
        if chosen is None:
            self._note_gap(draft, requirement, chooser)
        if chosen is None or chosen in draft.ids:
            return False
        if requirement.source is Source.NEAREST:
            draft.gaps.append(Gap(requirement.what, requirement.note, (chosen,)))
        draft.picks.append(Pick(chosen, requirement.source, requirement.why))
        draft.priority[chosen] = _priority(requirement)
        return True

    def _covered(self, draft: Draft, requirement: Requirement) -> bool:
        families = {self._knowledge.entries[id_].family for id_ in draft.ids}
        options = requirement.options
        if requirement.source is Source.NAMED:
            return options[0] in draft.ids
        if not options:
            return False
        return self._knowledge.entries[options[0]].family in families or any(
            o in draft.ids for o in options[:1]
        )

    def _is_surplus(self, draft: Draft, requirement: Requirement, need: Understanding) -> bool:
        """A default stays out beside another measure of the same thing, and long ones when time is short."""
        evidence = self._knowledge.entries[requirement.options[0]].evidence
        reasoning = bool(evidence & _REASONING)
        if reasoning and need.limits.quick:
            return True
        asked = (Source.MEASURE, Source.NAMED)
        present = [self._knowledge.entries[p.id].evidence for p in draft.picks if p.source in asked]
        return reasoning and any(other & _REASONING for other in present)

    def _is_avoided(self, requirement: Requirement, need: Understanding) -> bool:
        play = find_play(need, self._knowledge)
        return set(requirement.options) <= play.avoid and requirement.source is Source.DEFAULT

    def _note_gap(self, draft: Draft, requirement: Requirement, chooser: Chooser) -> None:
        """Say what is not covered and why, unless the user did not want it anyway."""
        what = requirement.what or self._name(requirement.options)
        if not requirement.options:
            draft.gaps.append(Gap(what, requirement.note))
            return
        reasons = [chooser.refusal(option, named=False) for option in requirement.options]
        told = [
            r
            for r in (Refusal.LANGUAGE, Refusal.SPOKEN_LANGUAGE, Refusal.TIME, Refusal.ADAPTIVE)
            if r in reasons
        ]
        if told:
            draft.gaps.append(Gap("spoken language" if told[0] is Refusal.SPOKEN_LANGUAGE else what, told[0]))

    def _name(self, options: Sequence[AssessmentId]) -> str:
        return self._catalog[options[0]].name if options else ""

    def _missing(self, need: Understanding) -> list[Gap]:
        """Subjects without a test of their own."""
        skills = self._knowledge.skills
        return [
            Gap(skills[w.skill].label, skills[w.skill].note, skills[w.skill].nearest)
            for w in need.skills
            if skills[w.skill].is_subject and not skills[w.skill].tests and w.weight is not Weight.OCCASIONAL
        ]

    # --- from a standing list -------------------------------------------------------------------

    def _standing(self, need: Understanding) -> Shortlist:
        return Shortlist(
            picks=tuple(self._pick(need, id_) for id_ in need.standing), gaps=tuple(self._missing(need))
        )

    def _undone(self, need: Understanding) -> Shortlist:
        picks = tuple(self._pick(need, id_) for id_ in need.undo_to or need.standing)
        return Shortlist(
            picks=picks, notes=() if need.undo_to else ("There is no earlier list to go back to.",)
        )

    def _pick(self, need: Understanding, id_: AssessmentId) -> Pick:
        """A pick of the standing list with the reason that the need gives for it."""
        for requirement in requirements(need, self._knowledge):
            if id_ in requirement.options:
                return Pick(id_, requirement.source, requirement.why)
        entry = self._knowledge.entries[id_]
        about = ", ".join(entry.topics[:2])
        return Pick(id_, Source.STANDING, f"about {about}" if about else "on your list")

    def _refine(self, need: Understanding) -> Draft:
        """Apply the edits to the standing list, then bring it in line with the limits and the level."""
        chooser = Chooser(self._catalog, self._knowledge, need)
        edits = need.edits
        draft = Draft()
        if edits.only:
            draft.picks = [self._pick(need, id_) for id_ in edits.only]
            return draft
        replaced = self._replacements(draft, need, chooser)
        for id_ in need.standing:
            if id_ in edits.drop:
                continue
            kept = replaced.get(id_, id_)
            kept = kept if kept in need.added or kept in edits.keep else chooser.best_sibling(kept)
            refusal = chooser.refusal(kept, named=True)
            if refusal is not None:
                if refusal is not Refusal.DROPPED:
                    draft.notes.append(f"{self._catalog[kept].name} is out: {_because(refusal, need)}.")
                continue
            if kept not in draft.ids:
                pick = self._pick(need, kept)
                draft.picks.append(pick)
                draft.priority[kept] = _PRIORITY.get(pick.source, 2)
        self._extend(draft, need, chooser)
        return draft

    def _extend(self, draft: Draft, need: Understanding, chooser: Chooser) -> None:
        """Add what was asked for by name, by skill or by kind."""
        for id_ in need.edits.add:
            if id_ not in draft.ids:
                draft.picks.append(Pick(id_, Source.NAMED, "you asked for it"))
                draft.priority[id_] = 0
        if need.new_facts and not need.edits:
            for requirement in requirements(need, self._knowledge):
                voice = any("accent" in self._knowledge.entries[o].variant for o in requirement.options)
                if voice and not set(requirement.options) & need.dropped:
                    self._cover(draft, requirement, chooser, need)
        for family in need.edits.add_families:
            self._cover_family(draft, replace(need, families=(family,), skills=(), added=()), chooser)
        if not need.edits.add_skills:
            return
        new = {self._knowledge.skills[skill].id for skill in need.edits.add_skills}
        asked = [w for w in need.skills if w.skill in new]
        background = [replace(w, weight=Weight.OCCASIONAL) for w in need.skills if w.skill not in new]
        narrow = replace(need, skills=(*asked, *background), added=())
        if "simulation" in new:
            narrow = replace(need, skills=need.skills, added=())
        for requirement in requirements(narrow, self._knowledge):
            if requirement.source in (Source.SKILL, Source.NEAREST, Source.MEASURE):
                already = draft.ids
                if any(o in already for o in requirement.options) and not self._is_other_mode(
                    requirement, already
                ):
                    continue
                self._cover(draft, requirement, chooser, need)

    def _cover_family(self, draft: Draft, need: Understanding, chooser: Chooser) -> None:
        """What another job needs beside what the list already has; its defaults are there already or not wanted."""
        for requirement in requirements(need, self._knowledge):
            if requirement.part is Part.CORE:
                self._cover(draft, requirement, chooser, need)

    def _is_other_mode(self, requirement: Requirement, ids: Iterable[AssessmentId]) -> bool:
        """Whether the usual choice is of another kind than what is on the list ("add a simulation")."""
        families = {self._knowledge.entries[id_].family for id_ in ids}
        return (
            bool(requirement.options)
            and self._knowledge.entries[requirement.options[0]].family not in families
        )

    def _replacements(
        self, draft: Draft, need: Understanding, chooser: Chooser
    ) -> dict[AssessmentId, AssessmentId]:
        """A substitute for each item to be replaced: the same evidence, shorter when that was the wish."""
        found: dict[AssessmentId, AssessmentId] = {}
        for id_ in need.edits.replace:
            if id_ not in need.standing:
                continue
            substitute = self._substitute(id_, need, chooser)
            if substitute is None:
                shorter = "shorter " if need.edits.shorter else ""
                draft.notes.append(
                    f"I kept {self._catalog[id_].name}: no {shorter}assessment covers the same ground."
                    " Say the word and I drop it."
                )
            else:
                found[id_] = substitute
        return found

    def _substitute(self, id_: AssessmentId, need: Understanding, chooser: Chooser) -> AssessmentId | None:
        entry, minutes = self._knowledge.entries[id_], self._catalog[id_].minutes
        same_subject = [
            other
            for skill in self._knowledge.skills_of[id_]
            if self._knowledge.skills[skill].is_subject
            for other in self._knowledge.skills[skill].tests
            if not entry.evidence & _TRAITS
        ]
        pool = [*self._knowledge.siblings(id_), *same_subject]
        fitting = [
            other
            for other in dict.fromkeys(pool)
            if other != id_
            and other not in need.standing
            and self._knowledge.entries[other].evidence >= (entry.evidence & _KINDS)
            and chooser.refusal(other, named=False) is None
            and not (need.edits.shorter and not _is_shorter(self._catalog[other].minutes, minutes))
        ]
        return fitting[0] if fitting else None

    # --- the finished list ----------------------------------------------------------------------

    def _finish(self, draft: Draft, need: Understanding) -> Shortlist:
        picks = with_instruments(draft.picks, self._knowledge, need)
        picks = self._within_time(picks, draft, need)
        picks = self._within_size(picks, draft, need)
        picks = in_order(picks, self._knowledge, self._catalog, keep=need.standing)
        before = set(need.standing)
        ids = tuple(pick.id for pick in picks)
        return Shortlist(
            picks=tuple(picks),
            gaps=tuple(dict.fromkeys(draft.gaps)),
            assumptions=tuple(self._assumptions(picks, need)),
            notes=tuple(dict.fromkeys(draft.notes)),
            added=tuple(id_ for id_ in ids if before and id_ not in before),
            dropped=tuple(id_ for id_ in need.standing if id_ not in ids),
            language_gap=self._language_gap(ids, need),
        )

    def _within_time(self, picks: list[Pick], draft: Draft, need: Understanding) -> list[Pick]:
        """Keep what matters most within the total; unknown minutes do not count, and the reply says so."""
        budget = need.limits.minutes_total
        if budget is None:
            return picks
        kept: set[AssessmentId] = set()
        spent = 0
        for pick in sorted(
            picks, key=lambda p: (draft.priority.get(p.id, 3), self._catalog[p.id].minutes or 0)
        ):
            minutes = self._catalog[pick.id].minutes or 0
            if spent + minutes <= budget:
                kept.add(pick.id)
                spent += minutes
            else:
                draft.notes.append(
                    f"{self._catalog[pick.id].name} did not fit into {limits_text(need.limits)}."
                )
        return [pick for pick in picks if pick.id in kept]

    def _within_size(self, picks: list[Pick], draft: Draft, need: Understanding) -> list[Pick]:
        size = min(need.limits.list_size or LIST_LIMIT, LIST_LIMIT)
        if len(picks) <= size:
            return picks
        best = sorted(picks, key=lambda p: draft.priority.get(p.id, 3))[:size]
        if need.limits.list_size is None:
            left = [self._catalog[p.id].name for p in picks if p not in best]
            draft.notes.append(f"A list holds at most ten; left out: {', '.join(left)}.")
        return [pick for pick in picks if pick in best]

    def _assumptions(self, picks: list[Pick], need: Understanding) -> list[str]:
        found = []
        entries = self._knowledge.entries
        if need.seniority is None and any("level" in entries[p.id].variant for p in picks):
            found.append("no level was given, so I took experienced people")
        if any("accent" in entries[p.id].variant for p in picks) and need.accent is None:
            found.append("no accent was given, so I took the most usual variant of the spoken test")
        if not need.families and not need.skills and not need.added:
            found.append("the role is still open, so this is a general professional battery")
        return found

    def _language_gap(self, ids: Sequence[AssessmentId], need: Understanding) -> tuple[AssessmentId, ...]:
        wanted = need.limits.catalogue_languages
        if not need.limits.languages:
            return ()
        return tuple(
            id_
            for id_ in ids
            if self._catalog[id_].languages and not speaks(self._catalog[id_].languages, wanted)
        )


_PRIORITY = {
    Source.NAMED: 0,
    Source.SKILL: 1,
    Source.MEASURE: 2,
    Source.PLAYBOOK: 3,
    Source.NEAREST: 3,
    Source.DEFAULT: 5,
}
"""What goes last when time or length runs short: 0 stays longest."""


def _priority(requirement: Requirement) -> int:
    if requirement.weight is Weight.MUST:
        return 0
    return 4 if requirement.weight is Weight.NICE else _PRIORITY.get(requirement.source, 3)


def _is_shorter(candidate: int | None, current: int | None) -> bool:
    return candidate is not None and current is not None and candidate < current


def _because(refusal: Refusal, need: Understanding) -> str:
    if refusal is Refusal.LANGUAGE:
        return f"it is not offered in {' or '.join(need.limits.languages)}"
    if refusal is Refusal.TIME:
        return f"it takes longer than {limits_text(need.limits)}"
    return "it does not meet the limit you set"
