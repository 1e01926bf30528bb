"""A battery from nothing."""

from __future__ import annotations

from typing import Any

import pytest

from app.api.dependencies import CatalogSide
from app.assembly.draft import Draft
from app.assembly.fill import FILL_LIMIT, MIN_SIMILARITY, fill_from_candidates
from app.catalog import TestType
from app.knowledge import Part
from app.records import Act, Limits, Pick, Seniority, Source, Weight
from app.requirements import SUBJECT_TESTS, Requirement
from app.retrieval import Candidates, Hit
from tests.unit.app.assembly.conftest import Assemble
from tests.unit.app.assembly.needs import (
    DOCKER,
    JAVA,
    JAVA_ENTRY,
    JAVA_JOB,
    REASONING,
    REPORT,
    REST,
    SPRING,
    SQL,
    TRAITS,
    a_need,
    wishes,
)

USUAL = (JAVA, SPRING, SQL, REST, REASONING, TRAITS)


@pytest.mark.parametrize(
    ("facts", "ids"),
    [
        ({}, USUAL),
        ({"unwanted_types": frozenset({TestType.PERSONALITY})}, USUAL[:-1]),
        ({"unwanted_skills": frozenset({"sql"})}, (JAVA, SPRING, REST, REASONING, TRAITS)),
        ({"limits": Limits(quick=True)}, (JAVA, SPRING, SQL, REST, TRAITS)),
        ({"limits": Limits(adaptive=True)}, (REASONING,)),
        ({"seniority": Seniority.ENTRY}, (JAVA_ENTRY, "automata-new", REASONING, TRAITS)),
    ],
)
def test_a_known_job_gets_its_playbook_within_what_was_said(
    assemble: Assemble, facts: dict[str, Any], ids: tuple[str, ...]
) -> None:
    assert assemble(**JAVA_JOB, **facts).ids == ids


def test_a_question_gets_no_list_but_the_gaps(assemble: Assemble) -> None:
    found = assemble(Act.CLARIFY, skills=wishes("ansible"))
    assert found.ids == ()
    assert [gap.nearest for gap in found.gaps] == [("linux-administration-new",)]


def test_more_subjects_than_a_battery_holds_are_said(assemble: Assemble) -> None:
    subjects = ("java", "sql", "docker", "python", "kubernetes", "aws", "angular")
    found = assemble(skills=wishes(*subjects))
    assert sum(pick.source is Source.SKILL for pick in found.picks) == SUBJECT_TESTS
    assert [gap.what for gap in found.gaps] == ["AWS", "Angular"]


def test_a_must_have_is_tested_before_what_was_said_first(assemble: Assemble) -> None:
    found = assemble(skills=(*wishes("sql"), *wishes("docker", weight=Weight.MUST)))
    assert found.ids[:2] == (DOCKER, SQL)


def test_what_matters_now_and_then_is_not_tested(assemble: Assemble) -> None:
    found = assemble(skills=(*wishes("sql"), *wishes("docker", weight=Weight.OCCASIONAL)))
    assert SQL in found.ids
    assert DOCKER not in found.ids


def test_a_subject_without_a_test_gets_the_nearest_and_says_so(assemble: Assemble) -> None:
    found = assemble(skills=wishes("ansible"))
    assert found.picks[0].source is Source.NEAREST
    assert [gap.nearest for gap in found.gaps] == [(found.ids[0],)]


def test_a_single_ability_takes_the_place_of_general_reasoning(assemble: Assemble) -> None:
    found = assemble(skills=wishes("numerical_reasoning"))
    assert found.ids == ("shl-verify-interactive-numerical-reasoning", TRAITS)


def test_a_simulation_is_one_of_the_subjects(assemble: Assemble) -> None:
    assert "automata-sql-new" in assemble(skills=wishes("simulation", "sql")).ids
    assert "automata-sql-new" not in assemble(skills=wishes("sql")).ids


# --- one requirement at a time ---------------------------------------------------------------------


def a_draft(side: CatalogSide, **facts: Any) -> Draft:
    return Draft(a_need(**facts), side.catalog, side.knowledge)


def wanted(*options: str, source: Source = Source.SKILL, **more: Any) -> Requirement:
    return Requirement("thing", options, source, "for a test", **more)  # type: ignore[arg-type]


def test_the_same_thing_is_covered_once(catalog_side: CatalogSide) -> None:
    draft = a_draft(catalog_side)
    assert draft.cover(wanted(JAVA))
    assert not draft.cover(wanted(JAVA_ENTRY))
    assert draft.ids == [JAVA]


def test_a_named_sibling_comes_in_beside_another(catalog_side: CatalogSide) -> None:
    draft = a_draft(catalog_side)
    draft.cover(wanted(JAVA))
    assert draft.cover(wanted(JAVA_ENTRY, source=Source.NAMED))
    assert draft.ids == [JAVA, JAVA_ENTRY]


@pytest.mark.parametrize(("source", "added"), [(Source.MEASURE, False), (Source.PLAYBOOK, True)])
def test_default_reasoning_stays_out_beside_reasoning_that_was_asked_for(
    catalog_side: CatalogSide, source: Source, added: bool
) -> None:
    draft = a_draft(catalog_side)
    draft.cover(wanted("shl-verify-interactive-numerical-reasoning", source=source))
    assert draft.cover(wanted(REASONING, source=Source.DEFAULT, part=Part.DEFAULT)) is added


@pytest.mark.parametrize(
    ("facts", "notes"),
    [
        ({"limits": Limits(minutes_each=5)}, ["takes longer than the limit"]),
        ({"limits": Limits(adaptive=True)}, ["not offered in the form asked for"]),
        ({"dropped": frozenset({SQL})}, []),
        ({"unwanted_skills": frozenset({"sql"})}, []),
    ],
)
def test_a_limit_that_leaves_a_gap_is_said_and_an_own_wish_is_not(
    catalog_side: CatalogSide, facts: dict[str, Any], notes: list[str]
) -> None:
    draft = a_draft(catalog_side, **facts)
    assert not draft.cover(wanted(SQL))
    assert [gap.note for gap in draft.gaps] == notes


def test_nothing_to_choose_from_is_a_gap(catalog_side: CatalogSide) -> None:
    draft = a_draft(catalog_side)
    assert not draft.cover(wanted(note="nobody tests that"))
    assert [(gap.what, gap.note) for gap in draft.gaps] == [("thing", "nobody tests that")]


# --- candidates ------------------------------------------------------------------------------------

SUBJECTS = (SQL, DOCKER, "python-new", "kubernetes-new")


def candidates(*ids: str, score: float = MIN_SIMILARITY, worded: bool = True) -> Candidates:
    hits = tuple(Hit(id_, score) for id_ in ids)
    return Candidates(fused=hits, dense=hits, lexical=hits if worded else (), dense_used=True)


@pytest.mark.parametrize(
    ("found", "ids"),
    [
        (candidates(SQL), [SQL]),
        (candidates(SQL, score=MIN_SIMILARITY - 0.01), []),
        (candidates(SQL, worded=False), []),
        (candidates(TRAITS, REPORT, REASONING), []),
        (candidates("no-such-thing", DOCKER), [DOCKER]),
        (candidates(*SUBJECTS), list(SUBJECTS[:FILL_LIMIT])),
        (candidates(JAVA, JAVA_ENTRY), [JAVA]),
        (Candidates(), []),
    ],
)
def test_a_candidate_fills_in_when_words_and_meaning_agree(
    catalog_side: CatalogSide, found: Candidates, ids: list[str]
) -> None:
    draft = a_draft(catalog_side)
    fill_from_candidates(draft, found)
    assert draft.ids == ids


def test_candidates_stand_before_what_is_picked(catalog_side: CatalogSide) -> None:
    draft = a_draft(catalog_side)
    draft.add(Pick(TRAITS, Source.DEFAULT, ""), 5)
    fill_from_candidates(draft, candidates(SQL))
    assert draft.ids == [SQL, TRAITS]


@pytest.mark.parametrize(
    ("facts", "filled"), [({}, True), (JAVA_JOB, False), ({"skills": wishes("docker")}, False)]
)
def test_candidates_are_for_needs_that_nothing_else_knows(
    assemble: Assemble, facts: dict[str, Any], filled: bool
) -> None:
    found = assemble(candidates=candidates("python-new"), **facts)
    assert ("python-new" in found.ids) is filled
