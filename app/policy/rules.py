"""The rules that decide a turn, in order; the first that applies wins.

Each is a pure function of what was understood. A rule that asks gives its topic; no topic is asked twice.
"""

from __future__ import annotations

from collections.abc import Callable

from app.catalog import Catalog
from app.knowledge import Knowledge, Purpose, SkillId
from app.records import Act, Decision, Seniority, Topic, Understanding, Weight
from app.requirements import find_play, requirements

ASK_LIMIT = 2
"""Questions in one conversation."""
LAST_ASKING_MESSAGE = 6
"""From the seventh message on, counting both sides, the service gives its best list instead of asking."""
BARE_WORDS = 14
"""A longer message about a role describes the job, and that is enough to go on."""
BESIDE_HEADLINE = 2
"""With more tested subjects than this beside it, the skill without a test does not name the job."""
MANY_AREAS = 6
"""A job text that names so many subjects does not say what the person owns."""

Rule = Callable[[Understanding, Catalog, Knowledge], Decision | None]


def no_content(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """Blanks, emoji and punctuation say nothing."""
    if need.has_content:
        return None
    return _ask(Topic.NEED, "no_content", "the message holds no words")


def refuse(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """What is outside the catalogue, or not honest, is declined."""
    if need.act is not Act.REFUSE:
        return None
    return Decision(Act.REFUSE, "refuse", f"out of scope: {', '.join(need.scope_issues)}")


def unknown_name(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """A product name that the catalogue does not have is said, never replaced silently."""
    if not need.unknown_names or need.edits or need.standing:
        return None
    if need.skills and not need.named and need.act is not Act.COMPARE:
        return None
    return _ask(Topic.UNKNOWN_NAME, "unknown_name", f"not in the catalogue: {', '.join(need.unknown_names)}")


def confirm(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """Acceptance repeats the list, with any last edit, and ends."""
    if need.act is not Act.CONFIRM:
        return None
    return Decision(Act.CONFIRM, "confirm", "the user accepts the list", ends=True)


def compare(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """A question is answered and leaves the list as it is."""
    if need.act is not Act.COMPARE:
        return None
    return Decision(Act.COMPARE, "compare", "the user asks about assessments")


def rejected(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """A list turned down without a reason: ask what was wrong instead of showing the same again."""
    if not need.rejects or need.new_facts or not _may_ask(need, Topic.REJECTED):
        return None
    return _ask(Topic.REJECTED, "rejected", "the list was turned down without a reason")


def refine(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """An edit, or a new fact, changes the standing list."""
    if need.act is not Act.REFINE:
        return None
    return Decision(Act.REFINE, "refine", "the list stands and the message changes it")


def turn_budget(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """Late in the conversation the best list with its assumptions beats another question."""
    if need.message_count <= LAST_ASKING_MESSAGE:
        return None
    return Decision(Act.RECOMMEND, "turn_budget", "the conversation is too far along to ask again")


def told_to_go(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """ "Go ahead", "no preference" or a repeated fact ends asking once there is something to go on."""
    if not (need.go_ahead or need.no_preference) or not (_has_need(need) or need.asked):
        return None
    return Decision(Act.RECOMMEND, "told_to_go", "the user wants a list rather than another question")


def asked_enough(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """Two questions are the most one conversation gets."""
    if len(need.asked) < ASK_LIMIT:
        return None
    return Decision(Act.RECOMMEND, "asked_enough", "two questions have been asked")


def opener(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """Nothing to go on yet; a manner alone ("leadership") does not say in whom."""
    wished = [knowledge.skills[wish.skill] for wish in need.skills]
    only_manner = bool(wished) and all(skill.kind == "behaviour" for skill in wished)
    level_or_aim = need.seniority is not None or need.purpose is not None
    if _has_need(need) and (not only_manner or need.families or need.added or level_or_aim):
        return None
    topic = Topic.AUDIENCE if level_or_aim or only_manner else Topic.NEED
    return _ask_once(need, topic, "opener", "no role or skill is known yet")


def only_level(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """A level alone does not say for whom: leaders differ, and so do their tests."""
    vague = need.families[:1] in ((), ("executive",), ("first_line_manager",), ("any",))
    if not vague or need.skills or need.added or need.seniority is None or _separates(need):
        return None
    if need.seniority is Seniority.EXECUTIVE and _is_specific(need.role_text):
        return None
    return _ask_once(need, Topic.AUDIENCE, "only_level", "only a level is known")


MANUAL = ("trade", "operations", "hospitality")
"""Kinds of skill that no test of knowledge is expected for: the battery of the job serves."""


def headline_without_test(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """The skill that names the job has no test: say so, name the nearest, offer to build from them."""
    subjects = [
        w.skill
        for w in need.skills
        if knowledge.skills[w.skill].is_subject and w.weight is not Weight.OCCASIONAL
    ]
    tested = sum(bool(knowledge.skills[skill].tests) for skill in subjects)
    if not subjects or knowledge.skills[subjects[0]].tests or tested > BESIDE_HEADLINE:
        return None
    heads = subjects[:1] if tested else subjects  # where none has a test, their order says nothing
    if not all(_names_job(skill, need, knowledge) for skill in heads):
        return None
    return _ask_once(need, Topic.NO_TEST, "headline_without_test", f"no test for {heads[0]}")


def _names_job(skill: SkillId, need: Understanding, knowledge: Knowledge) -> bool:
    """Whether a skill without a test is what the job is about, and something else comes near it."""
    record = knowledge.skills[skill]
    family = knowledge.families[need.families[0]] if need.families else None
    own = family is None or family.generic or (skill in family.skills and record.kind not in MANUAL)
    return bool(record.nearest) and own


def spoken_language(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """A spoken test hears one language in one accent."""
    if "spoken_language" not in find_play(need, knowledge).ask and not _wishes_speech(need, knowledge):
        return None
    if need.spoken_language is None:
        return _ask_once(need, Topic.SPOKEN_LANGUAGE, "spoken_language", "the language of the calls is open")
    variants = [
        entry
        for entry in knowledge.entries.values()
        if "accent" in entry.variant and entry.variant["language"] in need.spoken_language
    ]
    if len(variants) > 1 and need.accent is None:
        return _ask_once(need, Topic.ACCENT, "accent", "the accent that callers are used to is open")
    return None


def select_or_develop(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """Choosing leaders and developing them take different reports."""
    if need.purpose is not None or need.selects or not _is_leadership(need, knowledge):
        return None
    if "selection_or_development" not in find_play(need, knowledge).ask:
        return None
    return _ask_once(
        need, Topic.PURPOSE, "select_or_develop", "selection and development take different tests"
    )


def test_language(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """Part of what the job calls for is not offered in the test language."""
    limits = need.limits
    if not limits.languages or limits.language_lifted or limits.language_strict:
        return None
    lacking = [
        r
        for r in requirements(need, knowledge)
        if r.options and all(limits.language_lacks(catalog[option].languages) for option in r.options)
    ]
    if not lacking:
        return None
    return _ask_once(
        need, Topic.TEST_LANGUAGE, "test_language", "part of the list is not offered in the test language"
    )


def stack_side(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """A job text that names many subjects on both sides of a stack does not say what is owned."""
    subjects = [w for w in need.skills if knowledge.skills[w.skill].is_subject]
    if len(subjects) < MANY_AREAS or need.stack_side is not None:
        return None
    kinds = {knowledge.skills[w.skill].kind for w in subjects}
    if not kinds & {"language", "framework", "database", "devops", "cloud"}:
        return None
    front = knowledge.families.get("frontend_developer")  # type: ignore[call-overload]
    if front is None or not any(w.skill in front.skills for w in subjects):
        return None
    return _ask_once(need, Topic.STACK_SIDE, "stack_side", "many areas are named and none is said to lead")


def ownership(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """After the stack is settled: a senior who leads others needs judgement beside knowledge."""
    if Topic.STACK_SIDE not in need.asked or need.lead is not None or need.seniority is not Seniority.SENIOR:
        return None
    return _ask_once(need, Topic.OWNERSHIP, "ownership", "individual contributor or lead is open")


def bare_role(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """A role with nothing that separates candidates."""
    if need.selects and _is_leadership(need, knowledge):
        return None
    if not need.families or _separates(need) or need.skills or need.added or need.seniority is not None:
        return None
    if need.need_words > BARE_WORDS:
        return None
    return _ask_once(need, Topic.FOCUS, "bare_role", "only the role is known")


def recommend(need: Understanding, catalog: Catalog, knowledge: Knowledge) -> Decision | None:
    """Enough is known."""
    return Decision(
        Act.RECOMMEND, "recommend", "role or skills and something that separates candidates are known"
    )


RULES: tuple[Rule, ...] = (
    refuse, unknown_name, confirm, compare, rejected, refine, turn_budget, no_content, told_to_go, asked_enough,
    opener, only_level, headline_without_test, spoken_language, select_or_develop, test_language, stack_side,
    ownership, bare_role, recommend,
)  # fmt: skip


def _ask(topic: Topic, rule: str, reason: str) -> Decision:
    return Decision(Act.CLARIFY, rule, reason, ask=topic)


def _ask_once(need: Understanding, topic: Topic, rule: str, reason: str) -> Decision | None:
    return _ask(topic, rule, reason) if _may_ask(need, topic) else None


def _may_ask(need: Understanding, topic: Topic) -> bool:
    return (
        topic not in need.asked and len(need.asked) < ASK_LIMIT and need.message_count <= LAST_ASKING_MESSAGE
    )


def _has_need(need: Understanding) -> bool:
    return bool(need.families or need.added or any(not wish.incidental for wish in need.skills))


def _separates(need: Understanding) -> bool:
    """Whether something is known that tells candidates apart."""
    return bool(
        need.purpose
        or need.limits.any_hard
        or need.unwanted_types
        or need.lead is not None
        or need.limits.quick
        or need.spoken_language
    )


def _is_specific(role_text: str) -> bool:
    """Whether the words name the people ("CXOs"), not just the level ("senior leadership")."""
    return bool(role_text)


def _is_leadership(need: Understanding, knowledge: Knowledge) -> bool:
    if need.seniority in (Seniority.EXECUTIVE, Seniority.MANAGER):
        return True
    return (
        bool(need.families) and knowledge.families[need.families[0]].purpose is Purpose.LEADERSHIP_SELECTION
    )


def _wishes_speech(need: Understanding, knowledge: Knowledge) -> bool:
    return any(
        knowledge.skills[w.skill].id == "spoken_language" and w.weight is not Weight.OCCASIONAL
        for w in need.skills
    )
