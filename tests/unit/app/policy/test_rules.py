"""Each rule: a need that it decides, and a near twin that it leaves to another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from app.api.dependencies import CatalogSide
from app.knowledge import Purpose
from app.pipeline import Pipeline
from app.policy import RULES
from app.policy.rules import ASK_LIMIT, BARE_WORDS, LAST_ASKING_MESSAGE, MANY_AREAS
from app.records import (
    Act,
    Decision,
    Edits,
    Limits,
    ScopeIssue,
    Seniority,
    SkillWish,
    Topic,
    Understanding,
    Weight,
)


def wishes(*skills: str, weight: Weight = Weight.NORMAL) -> tuple[SkillWish, ...]:
    return tuple(SkillWish(skill, weight) for skill in skills)  # type: ignore[arg-type]


LISTED = {"standing": ("sql-new",)}
JAVA = {"families": ("java_developer",), "skills": wishes("java")}
SPANISH = Limits(languages=("Spanish",), catalogue_languages=(("Spanish*",),))
AREAS = wishes("java", "spring", "angular", "sql", "aws", "docker")


@dataclass(frozen=True)
class Case:
    rule: str
    need: dict[str, Any]
    twin: dict[str, Any] = field(default_factory=dict)
    """What differs in the twin."""
    twin_rule: str = "recommend"
    ask: Topic | None = None
    act: Act = Act.RECOMMEND
    why: str = ""


def asks(
    rule: str, topic: Topic, need: dict[str, Any], twin: dict[str, Any], twin_rule: str, why: str
) -> Case:
    return Case(rule, need, twin, twin_rule, topic, Act.CLARIFY, why)


CASES = (
    Case("refuse", {"act": Act.REFUSE, "scope_issues": (ScopeIssue.LEGAL,)} | JAVA, {"act": Act.RECOMMEND},
         act=Act.REFUSE, why="only the act declines"),
    asks("unknown_name", Topic.UNKNOWN_NAME, {"unknown_names": ("OPQ99z",)}, {"unknown_names": ()}, "opener",
         "the name is known"),
    asks("unknown_name", Topic.UNKNOWN_NAME, {"unknown_names": ("OPQ99z",)} | JAVA | {"act": Act.COMPARE},
         {"act": Act.RECOMMEND}, "recommend", "a wish can be served without the name"),
    asks("unknown_name", Topic.UNKNOWN_NAME, {"unknown_names": ("OPQ99z",)} | JAVA | {"named": ("sql-new",)},
         {"standing": ("sql-new",), "act": Act.REFINE}, "refine", "a list stands"),
    Case("confirm", {"act": Act.CONFIRM} | LISTED, {"act": Act.REFINE}, "refine", act=Act.CONFIRM,
         why="not accepted"),
    Case("compare", {"act": Act.COMPARE} | LISTED, {"act": Act.CONFIRM}, "confirm", act=Act.COMPARE,
         why="nothing is asked"),
    asks("rejected", Topic.REJECTED, {"act": Act.REFINE, "rejects": True} | LISTED | JAVA, {"new_facts": True},
         "refine", "a reason is given"),
    asks("rejected", Topic.REJECTED, {"act": Act.REFINE, "rejects": True} | LISTED | JAVA,
         {"asked": (Topic.REJECTED,)}, "refine", "asked before"),
    Case("refine", {"act": Act.REFINE, "edits": Edits(drop=("sql-new",))} | LISTED, {"act": Act.COMPARE},  # type: ignore[arg-type]
         "compare", act=Act.REFINE, why="only asks"),
    Case("turn_budget", {"message_count": LAST_ASKING_MESSAGE + 1}, {"message_count": LAST_ASKING_MESSAGE},
         "opener", why="one message earlier"),
    asks("no_content", Topic.NEED, {"has_content": False}, {"has_content": True, "families": ("electrician",),
         "need_words": BARE_WORDS + 1}, "recommend", "there are words"),
    Case("told_to_go", {"families": ("electrician",), "go_ahead": True}, {"go_ahead": False}, "bare_role",
         why="not told"),
    Case("told_to_go", {"families": ("electrician",), "no_preference": True}, {"families": ()}, "opener",
         why="nothing to go on"),
    Case("told_to_go", {"no_preference": True, "asked": (Topic.NEED,)}, {"asked": ()}, "opener",
         why="nothing was asked yet"),
    Case("asked_enough", {"asked": (Topic.NEED, Topic.FOCUS)}, {"asked": (Topic.FOCUS,)}, "opener",
         why="one question so far"),
    asks("opener", Topic.NEED, {}, {"skills": wishes("sql")}, "recommend", "a skill is known"),
    asks("opener", Topic.AUDIENCE, {"seniority": Seniority.SENIOR}, {"added": ("sql-new",)}, "recommend",
         "an assessment was named"),
    asks("opener", Topic.AUDIENCE, {"skills": wishes("critical_thinking")}, {"purpose": Purpose.DEVELOPMENT},
         "recommend", "a manner with an aim"),
    asks("only_level", Topic.AUDIENCE, {"families": ("executive",), "seniority": Seniority.MANAGER},
         {"seniority": Seniority.EXECUTIVE, "role_text": "CXOs"}, "select_or_develop", "the words name the people"),
    asks("only_level", Topic.AUDIENCE, {"families": ("executive",), "seniority": Seniority.MANAGER},
         {"purpose": Purpose.LEADERSHIP_SELECTION}, "recommend", "the aim is known"),
    asks("headline_without_test", Topic.NO_TEST, {"skills": wishes("ansible")}, {"skills": wishes("docker")},
         "recommend", "it has a test"),
    asks("headline_without_test", Topic.NO_TEST, {"skills": wishes("ansible")},
         {"skills": wishes("forklift"), "families": ("warehouse_worker",)}, "recommend",
         "manual work has its own battery"),
    asks("headline_without_test", Topic.NO_TEST, {"skills": wishes("ansible", "docker")},
         {"skills": wishes("docker", "ansible")}, "recommend", "it is not the headline"),
    asks("headline_without_test", Topic.NO_TEST, {"skills": wishes("ansible")},
         {"skills": wishes("ansible", "docker", "sql", "python")}, "recommend", "enough beside it is tested"),
    asks("headline_without_test", Topic.NO_TEST, {"skills": wishes("ansible")},
         {"skills": wishes("ansible"), "families": ("electrician",)}, "recommend", "the job is another"),
    asks("spoken_language", Topic.SPOKEN_LANGUAGE, {"families": ("inbound_agent",)},
         {"spoken_language": "Spanish", "accent": "ES"}, "recommend", "language and accent are known"),
    asks("spoken_language", Topic.SPOKEN_LANGUAGE, {"skills": wishes("spoken_language")},
         {"skills": wishes("spoken_language", weight=Weight.OCCASIONAL), "families": ("electrician",)},
         "recommend", "speech matters now and then only"),
    asks("accent", Topic.ACCENT, {"families": ("inbound_agent",), "spoken_language": "English"},
         {"accent": "UK"}, "recommend", "the accent is known"),
    asks("accent", Topic.ACCENT, {"families": ("inbound_agent",), "spoken_language": "English"},
         {"spoken_language": "German"}, "recommend", "no variants to choose from"),
    asks("select_or_develop", Topic.PURPOSE, {"families": ("sales_manager",)}, {"selects": True}, "recommend",
         "choosing is said"),
    asks("bare_role", Topic.FOCUS, {"families": ("electrician",), "selects": True},
         {"families": ("executive",)}, "recommend", "choosing or developing is what separates leaders"),
    asks("select_or_develop", Topic.PURPOSE, {"families": ("sales_manager",), "seniority": Seniority.MANAGER},
         {"purpose": Purpose.DEVELOPMENT}, "recommend", "developing is said"),
    asks("test_language", Topic.TEST_LANGUAGE, {"limits": SPANISH} | JAVA,
         {"limits": Limits(languages=("English",), catalogue_languages=(("English*",),))}, "recommend",
         "all is offered in it"),
    asks("test_language", Topic.TEST_LANGUAGE, {"limits": SPANISH} | JAVA,
         {"limits": Limits(languages=("Spanish",), catalogue_languages=(("Spanish*",),), language_lifted=True)},
         "recommend", "English will do for knowledge"),
    asks("stack_side", Topic.STACK_SIDE, {"skills": AREAS}, {"skills": AREAS[: MANY_AREAS - 1]}, "recommend",
         "one area fewer"),
    asks("stack_side", Topic.STACK_SIDE, {"skills": AREAS}, {"stack_side": "backend"}, "recommend",
         "the side is known"),
    asks("ownership", Topic.OWNERSHIP, {"asked": (Topic.STACK_SIDE,), "seniority": Seniority.SENIOR} | JAVA,
         {"lead": False}, "recommend", "no lead"),
    asks("ownership", Topic.OWNERSHIP, {"asked": (Topic.STACK_SIDE,), "seniority": Seniority.SENIOR} | JAVA,
         {"seniority": Seniority.MID}, "recommend", "not a senior"),
    asks("bare_role", Topic.FOCUS, {"families": ("electrician",), "need_words": BARE_WORDS},
         {"need_words": BARE_WORDS + 1}, "recommend", "the job is described"),
    asks("bare_role", Topic.FOCUS, {"families": ("electrician",)}, {"limits": Limits(minutes_total=30)},
         "recommend", "a limit separates"),
    Case("recommend", JAVA, {"skills": ()}, "bare_role", why="nothing separates"),
)  # fmt: skip


def named(case: Case) -> str:
    return f"{case.rule}, unless {case.why}"


@pytest.fixture(scope="session")
def decide(pipeline: Pipeline) -> Any:
    return lambda need: pipeline.decider.decide(Understanding(**{"act": Act.RECOMMEND, **need}))


@pytest.mark.parametrize("case", CASES, ids=named)
def test_the_rule_decides(case: Case, decide: Any) -> None:
    decision = decide(case.need)
    assert (decision.rule, decision.act, decision.ask) == (case.rule, case.act, case.ask)
    assert decision.ends is (case.rule == "confirm")
    assert decision.reason


@pytest.mark.parametrize("case", CASES, ids=named)
def test_the_near_twin_is_left_to_another_rule(case: Case, decide: Any) -> None:
    assert decide(case.need | case.twin).rule == case.twin_rule


def test_every_rule_is_reached_by_a_case(catalog_side: CatalogSide) -> None:
    reached = set()
    for case in CASES:
        need = Understanding(**{"act": Act.RECOMMEND, **case.need})
        reached.add(next(rule for rule in RULES if rule(need, catalog_side.catalog, catalog_side.knowledge)))
    assert reached == set(RULES)


ORDER = (
    ({"act": Act.REFUSE, "unknown_names": ("OPQ99z",), "has_content": False}, "refuse"),
    ({"act": Act.CONFIRM, "unknown_names": ("OPQ99z",)}, "unknown_name"),
    ({"act": Act.CONFIRM, "rejects": True, "message_count": 40}, "confirm"),
    ({"act": Act.COMPARE, "rejects": True}, "compare"),
    ({"act": Act.REFINE, "rejects": True}, "rejected"),
    ({"act": Act.REFINE, "message_count": 40}, "refine"),
    ({"has_content": False, "message_count": 40}, "turn_budget"),
    ({"has_content": False, "go_ahead": True, "asked": (Topic.NEED,)}, "no_content"),
    ({"go_ahead": True, "asked": (Topic.NEED, Topic.FOCUS)}, "told_to_go"),
    ({"asked": (Topic.NEED, Topic.FOCUS)}, "asked_enough"),
    ({"families": ("inbound_agent",), "skills": wishes("ansible")}, "spoken_language"),
    ({"families": ("inbound_agent",), "limits": SPANISH}, "spoken_language"),
    ({"skills": AREAS, "limits": SPANISH}, "test_language"),
)


@pytest.mark.parametrize(("need", "first"), ORDER, ids=[first for _, first in ORDER])
def test_the_first_of_two_rules_wins(need: dict[str, Any], first: str, decide: Any) -> None:
    assert decide(need).rule == first


def test_the_last_rule_always_decides(catalog_side: CatalogSide) -> None:
    last = RULES[-1](Understanding(Act.CLARIFY), catalog_side.catalog, catalog_side.knowledge)
    assert isinstance(last, Decision)


ASKING = [case for case in CASES if case.ask and case.rule not in ("unknown_name", "no_content")]
"""The other two answer what was just written, however late it is."""


@pytest.mark.parametrize("case", ASKING, ids=named)
def test_no_topic_is_asked_twice(case: Case, decide: Any) -> None:
    again = decide(case.need | {"asked": (*case.need.get("asked", ()), case.ask)})
    assert again.ask is not case.ask


@pytest.mark.parametrize("case", ASKING, ids=named)
def test_no_question_comes_after_the_last_asking_message(case: Case, decide: Any) -> None:
    assert decide(case.need | {"message_count": LAST_ASKING_MESSAGE + 1}).ask is None


def test_two_questions_are_the_most(decide: Any) -> None:
    asked: tuple[Topic, ...] = ()
    while (topic := decide({"asked": asked}).ask) is not None:
        asked = (*asked, topic)
    assert len(asked) <= ASK_LIMIT
