"""Needs as the stages behind understanding get them."""

from __future__ import annotations

from typing import Any

from app.catalog import AssessmentId
from app.knowledge import SkillId
from app.records import Act, Decision, SkillWish, Understanding, Weight

JAVA = AssessmentId("core-java-advanced-level-new")
JAVA_ENTRY = AssessmentId("core-java-entry-level-new")
SPRING = AssessmentId("spring-new")
SQL = AssessmentId("sql-new")
REST = AssessmentId("restful-web-services-new")
DOCKER = AssessmentId("docker-new")
KUBERNETES = AssessmentId("kubernetes-new")
REASONING = AssessmentId("shl-verify-interactive-g")
TRAITS = AssessmentId("occupational-personality-questionnaire-opq32r")
MOTIVATION = AssessmentId("motivation-questionnaire-mqm5")
REPORT = AssessmentId("opq-leadership-report")
LIST = (JAVA, SQL, DOCKER, REASONING, TRAITS)


def wishes(*skills: str, weight: Weight = Weight.NORMAL) -> tuple[SkillWish, ...]:
    """A wish for each skill."""
    return tuple(SkillWish(SkillId(skill), weight) for skill in skills)


JAVA_JOB: dict[str, Any] = {"families": ("java_developer",), "skills": wishes("java")}
JAVA_LIST: dict[str, Any] = JAVA_JOB | {"standing": LIST, "skills": wishes("java", "sql", "docker")}


def a_need(act: Act = Act.RECOMMEND, **facts: Any) -> Understanding:
    """An understanding with these facts."""
    return Understanding(act, **facts)


def decided(act: Act, **more: Any) -> Decision:
    """The decision to do `act`."""
    return Decision(act, "test", "for a test", **more)
