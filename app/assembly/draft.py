"""A battery while it is built: picks, their priority, and what could not be covered."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.assembly.choice import Chooser, Refusal
from app.catalog import AssessmentId, Catalog
from app.knowledge import Knowledge, Part
from app.records import Gap, Pick, Source, Understanding, Weight
from app.requirements import Requirement, find_play

REASONING = frozenset(
    {
        "general_reasoning",
        "numerical_reasoning",
        "verbal_reasoning",
        "deductive_reasoning",
        "inductive_reasoning",
    }
)
PRIORITY = {
    Source.NAMED: 0,
    Source.SKILL: 1,
    Source.MEASURE: 2,
    Source.PLAYBOOK: 3,
    Source.NEAREST: 3,
    Source.DEFAULT: 5,
}
"""What goes first when time or length runs short: the highest number."""
NICE_PRIORITY = 4

_TOLD = (Refusal.LANGUAGE, Refusal.SPOKEN_LANGUAGE, Refusal.TIME, Refusal.ADAPTIVE)
"""Refusals that are said; what the user did not want needs no word."""


@dataclass(slots=True)
class Draft:
    """Picks so far, for one understanding."""

    need: Understanding
    catalog: Catalog
    knowledge: Knowledge
    chooser: Chooser = field(init=False)
    picks: list[Pick] = field(default_factory=list)
    priority: dict[AssessmentId, int] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chooser = Chooser(self.catalog, self.knowledge, self.need)

    @property
    def ids(self) -> list[AssessmentId]:
        """Ids in the order picked."""
        return [pick.id for pick in self.picks]

    def add(self, pick: Pick, priority: int) -> None:
        """Take `pick`, once."""
        if pick.id not in self.ids:
            self.picks.append(pick)
            self.priority[pick.id] = priority

    def cover(self, requirement: Requirement) -> bool:
        """Add what covers `requirement`, unless something already does. Whether anything was added."""
        if self._is_covered(requirement) or self._is_surplus(requirement):
            return False
        chosen = self.chooser.choose(requirement)
        if chosen is None:
            self._note_gap(requirement)
        if chosen is None or chosen in self.ids:
            return False
        if requirement.source is Source.NEAREST:
            self.gaps.append(Gap(requirement.what, requirement.note, (chosen,)))
        self.add(Pick(chosen, requirement.source, requirement.why), _priority(requirement))
        return True

    def _is_covered(self, requirement: Requirement) -> bool:
        options = requirement.options
        if not options or requirement.source is Source.NAMED:
            return bool(options) and options[0] in self.ids
        families = {self.knowledge.entries[id_].family for id_ in self.ids}
        return self.knowledge.entries[options[0]].family in families

    def _is_surplus(self, requirement: Requirement) -> bool:
        """A default stays out beside a measure of the same thing that was asked for, and when time is short."""
        if requirement.part is not Part.DEFAULT:
            return False
        if set(requirement.options) <= find_play(self.need, self.knowledge).avoid:
            return True
        if not self.knowledge.entries[requirement.options[0]].evidence & REASONING:
            return False
        asked = (pick.id for pick in self.picks if pick.source in (Source.MEASURE, Source.NAMED))
        return self.need.limits.quick or any(
            self.knowledge.entries[id_].evidence & REASONING for id_ in asked
        )

    def _note_gap(self, requirement: Requirement) -> None:
        """Say what is not covered and why, unless the user did not want it anyway."""
        options = requirement.options
        what = requirement.what or (self.catalog[options[0]].name if options else "")
        if not options:
            self.gaps.append(Gap(what, requirement.note))
            return
        reasons = [self.chooser.refusal(option, named=False) for option in options]
        told = [reason for reason in _TOLD if reason in reasons]
        if told:
            self.gaps.append(Gap("spoken language" if told[0] is Refusal.SPOKEN_LANGUAGE else what, told[0]))


def _priority(requirement: Requirement) -> int:
    if requirement.weight is Weight.MUST:
        return PRIORITY[Source.NAMED]
    return NICE_PRIORITY if requirement.weight is Weight.NICE else PRIORITY[requirement.source]
