"""Limits on the whole list, its order, and what is assumed."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from app.api.dependencies import CatalogSide
from app.assembly.finish import LIST_LIMIT
from app.assembly.order import in_order, with_instruments
from app.catalog import TestType
from app.records import Act, Edits, Limits, Pick, Seniority, Source, Topic
from tests.unit.app.assembly.conftest import Assemble
from tests.unit.app.assembly.needs import (
    DOCKER,
    JAVA,
    JAVA_JOB,
    JAVA_LIST,
    LIST,
    MOTIVATION,
    REASONING,
    REPORT,
    REST,
    SPRING,
    SQL,
    TRAITS,
    a_need,
    wishes,
)


def minutes(side: CatalogSide, ids: tuple[str, ...]) -> int:
    return sum(side.catalog[id_].minutes or 0 for id_ in ids)  # type: ignore[index]


@pytest.mark.parametrize("budget", [15, 25, 40, 70, 110])
def test_the_stated_minutes_fit_the_budget(
    assemble: Assemble, catalog_side: CatalogSide, budget: int
) -> None:
    found = assemble(**JAVA_JOB, limits=Limits(minutes_total=budget))
    assert found.ids
    assert minutes(catalog_side, found.ids) <= budget


def test_a_budget_keeps_what_was_asked_for_and_names_what_is_left_out(assemble: Assemble) -> None:
    found = assemble(**JAVA_JOB, limits=Limits(minutes_total=40))
    assert found.ids == (JAVA, SPRING, SQL)
    assert len(found.notes) == 3
    assert all("did not fit into 40 minutes in total" in note for note in found.notes)


def test_a_generous_budget_leaves_nothing_out(assemble: Assemble) -> None:
    assert assemble(**JAVA_JOB, limits=Limits(minutes_total=400)) == assemble(**JAVA_JOB)


def test_unknown_minutes_do_not_count(assemble: Assemble) -> None:
    spoken = "svar-spoken-english-us-new"
    assert assemble(added=(spoken,), only_named=True, limits=Limits(minutes_total=1)).ids == (spoken,)


@pytest.mark.parametrize("size", [1, 3, 5])
def test_a_shorter_list_keeps_the_most_important(assemble: Assemble, size: int) -> None:
    full = (JAVA, SPRING, SQL, REST, REASONING)
    assert assemble(**JAVA_JOB, limits=Limits(list_size=size)).ids == full[:size]


def test_no_list_is_longer_than_ten(assemble: Assemble, catalog_side: CatalogSide) -> None:
    many = tuple(a.id for a in catalog_side.catalog if a.types == (TestType.KNOWLEDGE,))[: LIST_LIMIT + 2]
    found = assemble(added=many, only_named=True)
    assert len(found.ids) == LIST_LIMIT
    assert [catalog_side.catalog[id_].name in found.notes[0] for id_ in many[LIST_LIMIT:]] == [True, True]


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (JAVA_JOB, "no level was given"),
        ({"families": ("inbound_agent",), "spoken_language": "English"}, "no accent was given"),
        (JAVA_JOB | {"asked": (Topic.PURPOSE,), "seniority": Seniority.MID}, "choosing people"),
        ({}, "the role is still open"),
    ],
)
def test_what_is_assumed_is_said(assemble: Assemble, facts: dict[str, Any], said: str) -> None:
    assert [said in text for text in assemble(**facts).assumptions] == [True]


@pytest.mark.parametrize(
    "facts",
    [
        JAVA_JOB | {"seniority": Seniority.SENIOR},
        {"families": ("inbound_agent",), "spoken_language": "English", "accent": "UK"},
        JAVA_JOB | {"asked": (Topic.PURPOSE,), "seniority": Seniority.MID, "selects": True},
        {"skills": wishes("docker")},
    ],
)
def test_nothing_is_assumed_of_what_was_said(assemble: Assemble, facts: dict[str, Any]) -> None:
    assert assemble(**facts).assumptions == ()


def test_picks_that_lack_the_language_are_named(assemble: Assemble) -> None:
    limits = Limits(languages=("Spanish",), catalogue_languages=(("Spanish*",),), language_lifted=True)
    found = assemble(**JAVA_JOB, limits=limits)
    assert found.language_gap == (JAVA, SPRING, SQL, REST)
    assert assemble(**JAVA_JOB).language_gap == ()


# --- order -----------------------------------------------------------------------------------------


def picks(*ids: str) -> list[Pick]:
    return [Pick(id_, Source.SKILL, "") for id_ in ids]  # type: ignore[arg-type]


def ordered(side: CatalogSide, *ids: str, keep: tuple[str, ...] = ()) -> list[str]:
    return [p.id for p in in_order(picks(*ids), side.knowledge, side.catalog, keep)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "second"), list(combinations((SQL, REASONING, "graduate-scenarios", TRAITS), 2))
)
def test_subjects_come_before_reasoning_judgement_and_personality(
    catalog_side: CatalogSide, first: str, second: str
) -> None:
    assert ordered(catalog_side, second, first) == [first, second]


def test_a_report_stands_behind_its_instrument(catalog_side: CatalogSide) -> None:
    assert ordered(catalog_side, REPORT, SQL, TRAITS, MOTIVATION) == [SQL, TRAITS, REPORT, MOTIVATION]


def test_what_stood_keeps_its_order_and_comes_first(catalog_side: CatalogSide) -> None:
    assert ordered(catalog_side, DOCKER, SQL, TRAITS, keep=(TRAITS, SQL)) == [TRAITS, SQL, DOCKER]


@pytest.mark.parametrize(
    ("facts", "ids"),
    [
        ({}, [TRAITS, REPORT]),
        ({"dropped": frozenset({TRAITS})}, []),
        ({"unwanted_types": frozenset({TestType.PERSONALITY})}, []),
    ],
)
def test_a_report_brings_its_instrument_or_goes_with_it(
    catalog_side: CatalogSide, facts: dict[str, Any], ids: list[str]
) -> None:
    found = with_instruments(picks(REPORT), catalog_side.knowledge, a_need(**facts))
    assert [pick.id for pick in found] == ids


def test_an_instrument_that_is_there_is_not_doubled(catalog_side: CatalogSide) -> None:
    found = with_instruments(picks(TRAITS, REPORT), catalog_side.knowledge, a_need())
    assert [pick.id for pick in found] == [TRAITS, REPORT]


def test_dropping_an_instrument_takes_its_report_along(assemble: Assemble) -> None:
    facts = JAVA_LIST | {"standing": (*LIST, REPORT), "dropped": frozenset({TRAITS})}
    assert assemble(Act.REFINE, edits=Edits(drop=(TRAITS,)), **facts).dropped == (TRAITS, REPORT)
