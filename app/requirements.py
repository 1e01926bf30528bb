"""What a battery has to cover, before anything is chosen: from the need, the vocabulary and the playbook.

Shared by policy (is there a test in that language? is there a test at all?) and assembly (which one?).
"""

from __future__ import annotations

from dataclasses import dataclass

from app.catalog import AssessmentId
from app.knowledge import ANY_FAMILY, Component, FamilyId, Knowledge, Part, Play, Purpose, Skill
from app.records import SENIORITY_LEVELS, Seniority, SkillWish, Source, Understanding, Weight

NAMED_STACK = 3
"""From this many subjects on, the user's own list replaces the playbook's knowledge tests."""
SUBJECT_TESTS = 5
"""At most this many subjects are tested in one battery unless more are asked for one by one."""

_SINGLE_ABILITIES = frozenset(
    {
        "numerical_reasoning",
        "verbal_reasoning",
        "inductive_reasoning",
        "deductive_reasoning",
        "calculation",
        "checking",
    }
)
_PEOPLE_PURPOSES = frozenset({Purpose.DEVELOPMENT, Purpose.TALENT_AUDIT, Purpose.INTERNAL_MOBILITY})


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing to cover, and what would cover it, the usual choice first."""

    what: str
    options: tuple[AssessmentId, ...]
    source: Source
    why: str
    weight: Weight = Weight.NORMAL
    part: Part = Part.CORE
    note: str = ""
    """What to say when the options are only the nearest thing."""


def requirements(understanding: Understanding, knowledge: Knowledge) -> tuple[Requirement, ...]:
    """Everything the battery should cover, in the order in which it is shown."""
    play = find_play(understanding, knowledge)
    usual = {
        choice for component in play.components if component.part is Part.CORE for choice in component.choices
    }
    wishes = tuple(
        w for w in understanding.skills if _is_meant(w, knowledge.skills[w.skill], play, understanding)
    )
    subjects = [w for w in _by_weight(wishes, knowledge, usual) if knowledge.skills[w.skill].is_subject]
    measures = [w for w in wishes if knowledge.skills[w.skill].kind == "measure"]
    behaviours = [wish for wish in understanding.skills if knowledge.skills[wish.skill].kind == "behaviour"]
    found = [
        Requirement("", (assessment_id,), Source.NAMED, "you asked for it", Weight.MUST)
        for assessment_id in understanding.added
    ]
    found += [_subject(knowledge.skills[wish.skill], wish, first=i == 0) for i, wish in enumerate(subjects)]
    found += [r for wish in measures for r in _measure(knowledge, wish, subjects, play)]
    if not understanding.only_named or not found:
        found += _from_play(understanding, knowledge, play, subjects, measures)
    if behaviours:
        found += _behaviours(knowledge, behaviours, play)
    return tuple(found)


_TECHNOLOGY = frozenset(
    "language framework database cloud devops testing data enterprise security office design".split()
)


def _is_meant(wish: SkillWish, skill: Skill, play: Play, need: Understanding) -> bool:
    """In a long text about a known job, only technologies and what the playbook knows count as asked for.

    A setting ("insurance", "automotive") that has no test of its own calls for no substitute either.
    """
    if not need.families or skill.kind in _TECHNOLOGY or skill.kind == "behaviour":
        return True
    if not skill.tests and skill.is_subject:
        return False
    known = {
        choice
        for component in play.components
        if skill.is_subject or component.part is not Part.OPTIONAL
        for choice in component.choices
    }
    return not wish.incidental or bool((known - play.avoid) & set(skill.tests))


def _by_weight(
    wishes: tuple[SkillWish, ...], knowledge: Knowledge, usual: set[AssessmentId]
) -> list[SkillWish]:
    """Must-haves first, then what the job usually tests; occasional ones left out; else in the order said."""
    order = {Weight.MUST: 0, Weight.NORMAL: 1, Weight.NICE: 2}
    kept = [wish for wish in wishes if wish.weight in order]
    return sorted(kept, key=lambda w: (order[w.weight], not usual & set(knowledge.skills[w.skill].tests)))


def _subject(skill: Skill, wish: SkillWish, *, first: bool) -> Requirement:
    if skill.tests:
        return Requirement(
            skill.label, skill.tests, Source.SKILL, f"covers {skill.label}", wish.weight, note=skill.note
        )
    return Requirement(
        skill.label, skill.nearest, Source.NEAREST, f"the nearest to {skill.label}, which has no test of its own",
        Weight.MUST if first else wish.weight, note=skill.note,
    )  # fmt: skip


def _measure(
    knowledge: Knowledge, wish: SkillWish, subjects: list[SkillWish], play: Play
) -> list[Requirement]:
    skill = knowledge.skills[wish.skill]
    if skill.id == "simulation":
        return _simulations(knowledge, skill, subjects, play)
    if not skill.tests:
        return []
    weight = Weight.MUST if wish.weight is Weight.NORMAL else wish.weight
    if wish.weight is Weight.OCCASIONAL:
        return []
    return [
        Requirement(
            skill.label, _preferring(play, skill.tests), Source.MEASURE, f"measures {skill.label}", weight
        )
    ]


def _preferring(play: Play, options: tuple[AssessmentId, ...]) -> tuple[AssessmentId, ...]:
    """What the playbook would use for this job comes before the general default."""
    core = [component for component in play.components if component.part is Part.CORE]
    usual = [choice for component in core for choice in component.choices if choice in options]
    return tuple(dict.fromkeys([*usual, *options]))


def _simulations(
    knowledge: Knowledge, skill: Skill, subjects: list[SkillWish], play: Play
) -> list[Requirement]:
    """A simulation of what the battery is about: one for each subject that has one, else the playbook's."""
    found = [
        Requirement(
            f"{knowledge.skills[wish.skill].label} in practice", hands_on, Source.MEASURE,
            f"shows {knowledge.skills[wish.skill].label} in practice", Weight.MUST,
        )
        for wish in subjects
        if (hands_on := tuple(a for a in knowledge.skills[wish.skill].tests if is_hands_on(knowledge, a)))
    ]  # fmt: skip
    if found:
        return found
    usual = [c for component in play.components for c in component.choices if is_hands_on(knowledge, c)]
    return [
        Requirement(skill.label, (choice,), Source.MEASURE, "shows the work in practice", Weight.MUST)
        for choice in usual[:2]
    ]


def is_hands_on(knowledge: Knowledge, assessment_id: AssessmentId) -> bool:
    """Whether the candidate does a slice of the work."""
    return bool(
        knowledge.entries[assessment_id].evidence
        & {"tool_practice", "coding_practice", "data_entry", "customer_service", "sales"}
    ) and (not knowledge.entries[assessment_id].is_report)


def _behaviours(knowledge: Knowledge, wishes: list[SkillWish], play: Play) -> list[Requirement]:
    """Traits are covered together, by the broadest measure that several of them share."""
    wanted = [wish for wish in wishes if wish.weight is not Weight.OCCASIONAL]
    if not wanted:
        return []
    labels = ", ".join(knowledge.skills[wish.skill].label for wish in wanted[:3])
    tests = dict.fromkeys(t for wish in wanted for t in knowledge.skills[wish.skill].tests[:2])
    options = _preferring(
        play, tuple(t for t in tests if t not in play.avoid and not knowledge.entries[t].is_report)
    )
    return [Requirement(labels, options, Source.MEASURE, f"shows {labels}")] if options else []


# --- the playbook ----------------------------------------------------------------------------------


def find_play(understanding: Understanding, knowledge: Knowledge) -> Play:
    """The playbook row for the family and purpose of this need; the general row when there is none."""
    family = understanding.families[0] if understanding.families else _family_by_level(understanding)
    purpose = resolve_purpose(understanding, knowledge, family)
    own = knowledge.families[family].purpose
    keys = [(family, purpose)]
    if purpose not in _PEOPLE_PURPOSES:
        keys += [(family, own), (family, Purpose.PROFESSIONAL_SELECTION)]
    keys += [(ANY_FAMILY, purpose)]
    for key in keys:
        rows = knowledge.plays.get(key, ())
        if rows:
            return _row_for_level(rows, understanding)
    raise AssertionError("the loader guarantees a row for every purpose")


def _family_by_level(understanding: Understanding) -> FamilyId:
    level = understanding.seniority
    if level is Seniority.EXECUTIVE:
        return FamilyId("executive")
    if level in (Seniority.MANAGER, Seniority.SUPERVISOR):
        return FamilyId("first_line_manager")
    if level is Seniority.GRADUATE:
        return FamilyId("graduate_trainee")
    return ANY_FAMILY


def resolve_purpose(understanding: Understanding, knowledge: Knowledge, family: FamilyId) -> Purpose:
    """What was said, else what the level implies, else what is usual for the family."""
    if understanding.purpose is not None:
        return understanding.purpose
    own = knowledge.families[family].purpose
    if understanding.seniority is Seniority.GRADUATE and (family, Purpose.GRADUATES) in knowledge.plays:
        return Purpose.GRADUATES
    if understanding.selects and own in _PEOPLE_PURPOSES:
        leads = understanding.seniority in (Seniority.EXECUTIVE, Seniority.MANAGER, Seniority.SUPERVISOR)
        return Purpose.LEADERSHIP_SELECTION if leads else Purpose.PROFESSIONAL_SELECTION
    return own


def _row_for_level(rows: tuple[Play, ...], understanding: Understanding) -> Play:
    levels = set(SENIORITY_LEVELS[understanding.seniority]) if understanding.seniority else set()
    fitting = [row for row in rows if row.levels & levels]
    general = [row for row in rows if not row.levels]
    return (fitting or general or list(rows))[0]


def _from_play(
    understanding: Understanding,
    knowledge: Knowledge,
    play: Play,
    subjects: list[SkillWish],
    measures: list[SkillWish],
) -> list[Requirement]:
    own_stack = sum(_is_tested_technology(knowledge.skills[w.skill]) for w in subjects) >= NAMED_STACK
    tested = {test for wish in subjects for test in knowledge.skills[wish.skill].tests}
    asked_first = {tests[0] for wish in measures if (tests := knowledge.skills[wish.skill].tests)}
    single = any(wish.skill in _SINGLE_ABILITIES for wish in measures)
    found = []
    for component in play.components:
        if not _applies(component, understanding):
            continue
        choices = _choices(component, tested)
        if not choices:
            continue
        entry = knowledge.entries[choices[0]]
        heard = understanding.spoken_language is not None and "accent" in entry.variant
        if component.part is Part.OPTIONAL and not set(choices) & asked_first and not heard:
            continue
        if own_stack and "knowledge" in entry.evidence:
            continue  # the subjects that were named stand for themselves
        if (
            single
            and component.part is Part.DEFAULT
            and "general_reasoning" in entry.evidence
            and not entry.is_report
        ):
            continue
        source = Source.DEFAULT if component.part is Part.DEFAULT else Source.PLAYBOOK
        found.append(Requirement("", choices, source, component.why, part=component.part))
    return found


def _is_tested_technology(skill: Skill) -> bool:
    return skill.kind in _TECHNOLOGY and bool(skill.tests)


def _applies(component: Component, understanding: Understanding) -> bool:
    wished = {wish.skill for wish in understanding.skills}
    if component.skills and not component.skills & wished:
        return False
    if component.levels:
        levels = set(SENIORITY_LEVELS[understanding.seniority]) if understanding.seniority else set()
        return bool(component.levels & levels)
    return True


def _choices(component: Component, tested: set[AssessmentId]) -> tuple[AssessmentId, ...]:
    """Alternatives narrowed to what was named; none if nothing was and the place needs naming."""
    if len(component.choices) == 1:
        return component.choices
    named = tuple(choice for choice in component.choices if choice in tested)
    if named:
        return named
    return () if component.needs_naming else component.choices
