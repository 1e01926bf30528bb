"""What a battery has to cover, and which playbook row says so."""

from __future__ import annotations

from typing import Any

import pytest

from app.api.dependencies import CatalogSide
from app.knowledge import Part, Purpose
from app.records import Seniority, SkillWish, Source, Weight
from app.requirements import Requirement, find_play, is_hands_on, requirements, resolve_purpose
from tests.unit.app.assembly.needs import (
    JAVA,
    JAVA_JOB,
    MOTIVATION,
    REASONING,
    REPORT,
    SPRING,
    SQL,
    TRAITS,
    a_need,
    wishes,
)


def wanted(side: CatalogSide, **facts: Any) -> tuple[Requirement, ...]:
    return requirements(a_need(**facts), side.knowledge)


def of(found: tuple[Requirement, ...], *sources: Source) -> list[str]:
    return [r.options[0] for r in found if r.source in sources]


@pytest.mark.parametrize(
    ("facts", "family", "purpose"),
    [
        ({}, "any", Purpose.PROFESSIONAL_SELECTION),
        ({"families": ("java_developer",)}, "java_developer", Purpose.PROFESSIONAL_SELECTION),
        ({"families": ("java_developer",), "purpose": Purpose.DEVELOPMENT}, "any", Purpose.DEVELOPMENT),
        (
            {"families": ("electrician",), "purpose": Purpose.GRADUATES},
            "electrician",
            Purpose.VOLUME_SCREENING,
        ),
        ({"families": ("executive",), "purpose": Purpose.DEVELOPMENT}, "executive", Purpose.DEVELOPMENT),
        ({"seniority": Seniority.EXECUTIVE}, "executive", Purpose.LEADERSHIP_SELECTION),
        ({"seniority": Seniority.MANAGER}, "first_line_manager", Purpose.LEADERSHIP_SELECTION),
        ({"seniority": Seniority.SUPERVISOR}, "first_line_manager", Purpose.LEADERSHIP_SELECTION),
        ({"seniority": Seniority.GRADUATE}, "graduate_trainee", Purpose.GRADUATES),
        ({"seniority": Seniority.MID}, "any", Purpose.PROFESSIONAL_SELECTION),
    ],
)
def test_the_row_follows_job_purpose_and_level(
    catalog_side: CatalogSide, facts: dict[str, Any], family: str, purpose: Purpose
) -> None:
    play = find_play(a_need(**facts), catalog_side.knowledge)
    assert (play.family, play.purpose) == (family, purpose)


@pytest.mark.parametrize(
    ("seniority", "own"), [(Seniority.ENTRY, True), (Seniority.SENIOR, False), (None, False)]
)
def test_a_row_for_a_level_is_taken_at_that_level_only(
    catalog_side: CatalogSide, seniority: Seniority | None, own: bool
) -> None:
    play = find_play(a_need(families=("java_developer",), seniority=seniority), catalog_side.knowledge)
    assert bool(play.levels) is own


def test_every_family_has_a_row_for_every_purpose(catalog_side: CatalogSide) -> None:
    knowledge = catalog_side.knowledge
    for family in knowledge.families:
        for purpose in (None, *Purpose):
            assert find_play(a_need(families=(family,), purpose=purpose), knowledge).components


@pytest.mark.parametrize(
    ("facts", "purpose"),
    [
        ({}, Purpose.DEVELOPMENT),
        ({"selects": True}, Purpose.PROFESSIONAL_SELECTION),
        ({"selects": True, "seniority": Seniority.EXECUTIVE}, Purpose.LEADERSHIP_SELECTION),
        ({"purpose": Purpose.TALENT_AUDIT, "selects": True}, Purpose.TALENT_AUDIT),
    ],
)
def test_choosing_people_outweighs_a_family_that_is_about_developing_them(  # pragma: allowlist secret
    catalog_side: CatalogSide, facts: dict[str, Any], purpose: Purpose
) -> None:
    family = next(f for f in catalog_side.knowledge.families.values() if f.purpose is Purpose.DEVELOPMENT)
    assert resolve_purpose(a_need(**facts), catalog_side.knowledge, family.id) is purpose


def test_order_of_a_list_named_then_subjects_then_measures_then_playbook(catalog_side: CatalogSide) -> None:
    found = wanted(
        catalog_side,
        families=("java_developer",),
        skills=wishes("critical_thinking", "numerical_reasoning", "java"),
        added=(TRAITS,),
    )
    order = [r.source for r in found]
    assert order[:3] == [Source.NAMED, Source.SKILL, Source.MEASURE]
    assert order[3] is Source.PLAYBOOK
    assert order[-1] is Source.MEASURE  # traits share one place, at the end


@pytest.mark.parametrize(
    ("only_named", "sources"), [(True, {Source.SKILL}), (False, {Source.SKILL, Source.DEFAULT})]
)
def test_only_what_was_named_means_no_playbook(
    catalog_side: CatalogSide, only_named: bool, sources: set[Source]
) -> None:
    found = wanted(catalog_side, skills=wishes("docker"), only_named=only_named)
    assert {r.source for r in found} == sources


def test_nothing_named_is_no_reason_for_an_empty_list(catalog_side: CatalogSide) -> None:
    assert of(wanted(catalog_side, only_named=True), Source.DEFAULT) == [REASONING, TRAITS]


@pytest.mark.parametrize(
    ("weight", "place"), [(Weight.MUST, 0), (Weight.NORMAL, 1), (Weight.NICE, 2), (Weight.OCCASIONAL, None)]
)
def test_weight_decides_the_place(catalog_side: CatalogSide, weight: Weight, place: int | None) -> None:
    skills = (*wishes("python"), *wishes("sql", weight=weight), *wishes("docker"))
    subjects = of(wanted(catalog_side, skills=skills), Source.SKILL)
    assert (subjects.index(SQL) if SQL in subjects else None) == place


def test_what_the_job_usually_tests_comes_before_the_rest(catalog_side: CatalogSide) -> None:
    found = wanted(catalog_side, families=("java_developer",), skills=wishes("docker", "spring"))
    assert of(found, Source.SKILL) == [SPRING, "docker-new"]


@pytest.mark.parametrize(
    ("skills", "playbook"), [(("java", "python"), True), (("java", "python", "docker"), False)]
)
def test_three_named_technologies_replace_the_usual_knowledge_tests(
    catalog_side: CatalogSide, skills: tuple[str, ...], playbook: bool
) -> None:
    found = wanted(catalog_side, families=("java_developer",), skills=wishes(*skills))
    assert (SPRING in of(found, Source.PLAYBOOK)) is playbook
    assert of(found, Source.DEFAULT) == [REASONING, TRAITS]


@pytest.mark.parametrize(("skill", "listed"), [("motivation", True), ("personality", False)])
def test_an_optional_part_is_in_only_when_it_is_asked_for(
    catalog_side: CatalogSide, skill: str, listed: bool
) -> None:
    found = wanted(catalog_side, skills=wishes(skill))
    assert any(r.part is Part.OPTIONAL and r.options[0] == MOTIVATION for r in found) is listed


def test_a_subject_without_a_test_has_its_nearest_as_options(catalog_side: CatalogSide) -> None:
    first = wanted(catalog_side, skills=wishes("ansible"))[0]
    assert (first.source, first.weight) == (Source.NEAREST, Weight.MUST)
    assert first.note


@pytest.mark.parametrize(
    ("incidental", "families", "meant"), [(True, True, False), (False, True, True), (True, False, True)]
)
def test_a_measure_in_passing_counts_only_without_a_known_job(
    catalog_side: CatalogSide, incidental: bool, families: bool, meant: bool
) -> None:
    wish = SkillWish("typing", incidental=incidental)  # type: ignore[arg-type]
    facts: dict[str, Any] = {"families": ("java_developer",)} if families else {}
    found = wanted(catalog_side, skills=(wish,), **facts)
    assert any(r.what == "typing" for r in found if r.source is Source.MEASURE) is meant


@pytest.mark.parametrize(
    ("id_", "hands_on"),
    [("automata-sql-new", True), (SQL, False), (TRAITS, False), (REPORT, False), (JAVA, False)],
)
def test_hands_on_is_a_slice_of_the_work(catalog_side: CatalogSide, id_: str, hands_on: bool) -> None:
    assert is_hands_on(catalog_side.knowledge, id_) is hands_on  # type: ignore[arg-type]


def test_every_option_is_in_the_catalogue(catalog_side: CatalogSide) -> None:
    for skill in catalog_side.knowledge.skills:
        for requirement in wanted(catalog_side, **(JAVA_JOB | {"skills": wishes(skill)})):
            assert all(option in catalog_side.catalog for option in requirement.options)
