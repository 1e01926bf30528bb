"""The battery: cover what was asked for with the right variants, within the limits, without padding."""

from __future__ import annotations

from dataclasses import replace

from app.assembly.build import build
from app.assembly.finish import finish
from app.assembly.refine import explain, refine
from app.catalog import Catalog
from app.knowledge import Knowledge
from app.records import Act, Decision, Gap, Shortlist, Understanding, Weight
from app.retrieval.retriever import Candidates


class BatteryAssembler:
    """Turns an understanding into a shortlist. Stateless."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge) -> None:
        self._catalog = catalog
        self._knowledge = knowledge

    def assemble(self, understanding: Understanding, decision: Decision, candidates: Candidates) -> Shortlist:
        """The list that goes with `decision`; empty when a question is asked."""
        need = understanding
        if decision.act is Act.CLARIFY:
            return Shortlist(gaps=tuple(self._missing(need)))
        if decision.act in (Act.COMPARE, Act.REFUSE) or (decision.act is Act.CONFIRM and not need.edits):
            return self._as_it_stands(need)
        if need.edits.undo:
            return self._undone(need)
        if need.rejects:
            turned_down = set(need.standing) - set(need.added)
            need = replace(need, dropped=need.dropped | turned_down)
        if not need.standing or need.rejects or (need.new_aim and not need.edits):
            return finish(build(need, self._catalog, self._knowledge, candidates))
        draft = refine(need, self._catalog, self._knowledge)
        told = {gap.what for gap in draft.gaps}
        draft.gaps += [gap for gap in self._missing(need) if gap.what not in told]
        return finish(draft)

    def _as_it_stands(self, need: Understanding) -> Shortlist:
        picks = tuple(explain(need, id_, self._knowledge) for id_ in need.standing)
        return Shortlist(picks=picks, gaps=tuple(self._missing(need)))

    def _undone(self, need: Understanding) -> Shortlist:
        picks = tuple(explain(need, id_, self._knowledge) for id_ in need.undo_to or need.standing)
        return Shortlist(
            picks=picks, notes=() if need.undo_to else ("There is no earlier list to go back to.",)
        )

    def _missing(self, need: Understanding) -> list[Gap]:
        """Subjects without a test of their own."""
        skills = self._knowledge.skills
        return [
            Gap(skills[w.skill].label, skills[w.skill].note, skills[w.skill].nearest)
            for w in need.skills
            if skills[w.skill].is_subject and not skills[w.skill].tests and w.weight is not Weight.OCCASIONAL
        ]
