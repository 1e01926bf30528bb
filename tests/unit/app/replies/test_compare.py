"""Answers about assessments come from the catalogue."""

from __future__ import annotations

from typing import Any

import pytest

from app.api.dependencies import CatalogSide
from app.catalog import Assessment
from app.catalog.models import Duration
from app.records import Pick, Shortlist, Source
from app.replies.compare import MOST_COMPARED, Comparer
from app.replies.words import join, languages_of, plural, time_of, types_of
from tests.doubles import an_assessment
from tests.unit.app.assembly.needs import (
    DOCKER,
    JAVA,
    JAVA_ENTRY,
    LIST,
    REASONING,
    REPORT,
    SQL,
    TRAITS,
    a_need,
)


@pytest.fixture(scope="session")
def comparer(catalog_side: CatalogSide) -> Comparer:
    return Comparer(catalog_side.catalog, catalog_side.knowledge)


def listed(*ids: str) -> Shortlist:
    return Shortlist(tuple(Pick(id_, Source.SKILL, "covers the job") for id_ in ids))  # type: ignore[arg-type]


def test_a_description_states_the_catalogues_facts(comparer: Comparer, catalog_side: CatalogSide) -> None:
    for item in catalog_side.catalog:
        text = comparer.describe(item.id)
        report = catalog_side.knowledge.entries[item.id].is_report
        assert text.startswith(f"{item.name}: ")
        assert types_of(item) in text
        assert time_of(item, is_report=report) in text
        assert languages_of(item) in text
        assert ("; adaptive." in text) is item.adaptive


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ((SQL, JAVA), "SQL (New) takes 4 minutes less"),
        ((TRAITS, REPORT), "Occupational Personality Questionnaire OPQ32r is what people complete"),
        ((REPORT, TRAITS), "OPQ Leadership Report is a report drawn from it"),
        ((JAVA, JAVA_ENTRY), "they measure the same and differ in level"),
        ((SQL, TRAITS), "the first is Knowledge & Skills, the second Personality & Behavior"),
        ((SQL, TRAITS), "Occupational Personality Questionnaire OPQ32r is offered in more languages (39)"),
        ((REASONING, SQL), "only SHL Verify Interactive G+ is adaptive"),
        ((SQL, "cyber-risk-new"), "the catalogue states the same facts for both"),
    ],
)
def test_a_comparison_says_what_differs(comparer: Comparer, pair: tuple[str, str], said: str) -> None:
    assert said in comparer.answer(a_need(compared=pair), Shortlist())


def test_a_comparison_holds_four_at_most(comparer: Comparer) -> None:
    asked = (SQL, DOCKER, JAVA, REASONING, TRAITS)
    lines = comparer.answer(a_need(compared=asked), Shortlist()).splitlines()
    assert len(lines) == MOST_COMPARED + 1
    assert "OPQ32r" not in "".join(lines)


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ((SQL, TRAITS), "It is on your list because it covers the job."),
        ((SQL, TRAITS), "No other test on the list covers that subject."),
        ((TRAITS,), "Close variants"),
    ],
)
def test_one_assessment_is_explained_by_its_place_on_the_list(
    comparer: Comparer, ids: tuple[str, ...], said: str
) -> None:
    asked = SQL if said != "Close variants" else JAVA
    assert said in comparer.answer(a_need(compared=(asked,)), listed(*ids))


def test_one_that_is_not_listed_is_only_described(comparer: Comparer) -> None:
    assert "your list" not in comparer.answer(a_need(compared=(SQL,)), listed(TRAITS))


@pytest.mark.parametrize(
    ("advice_on", "standing", "said"),
    [
        (SQL, LIST, "It is already on your list."),
        ("motivation-questionnaire-mqm5", (SQL,), "Nothing on your list measures that"),
        ("verify-g", (REASONING,), "It overlaps with SHL Verify Interactive G+"),
        ("kubernetes", (SQL,), "Kubernetes (New)"),
        ("ansible", (SQL,), "There is no test of Ansible"),
    ],
)
def test_advice_looks_at_the_list(
    comparer: Comparer, advice_on: str, standing: tuple[str, ...], said: str
) -> None:
    need = a_need(advice_on=(advice_on,), standing=standing)
    assert said in comparer.answer(need, listed(*standing))


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ((), "There is no list yet."),
        ((SQL, JAVA), "2 assessments with 22 minutes"),
        ((SQL,), "1 assessment with 9 minutes"),
        ((SQL, "svar-spoken-english-us-new"), "No time is stated for SVAR - Spoken English (US) (New)."),
        ((SQL, REASONING), "Adaptive: SHL Verify Interactive G+."),
    ],
)
def test_the_list_as_a_whole(comparer: Comparer, ids: tuple[str, ...], said: str) -> None:
    assert said in comparer.answer(a_need(), listed(*ids))


@pytest.mark.parametrize(
    ("items", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_lists_in_words(items: list[str], text: str) -> None:
    assert join(items) == text


@pytest.mark.parametrize(("count", "text"), [(1, "1 test"), (0, "0 tests"), (2, "2 tests")])
def test_counts_in_words(count: int, text: str) -> None:
    assert plural(count, "test") == text


@pytest.mark.parametrize(
    ("facts", "report", "text"),
    [
        ({"minutes": 12}, False, "12 minutes"),
        ({"minutes": 12}, True, "report, no testing time"),
        ({"minutes": None, "duration": Duration.UNTIMED}, False, "untimed"),
        ({"minutes": None, "duration": Duration.VARIABLE}, False, "time not stated"),
        ({"minutes": 12, "duration": Duration.CEILING}, False, "up to 12 minutes"),
        ({"minutes": 12, "duration": Duration.UNTIMED}, False, "untimed, about 12 minutes"),
    ],
)
def test_time_in_words_never_guesses(facts: dict[str, Any], report: bool, text: str) -> None:
    item: Assessment = an_assessment("x", **facts)
    assert time_of(item, is_report=report) == text


@pytest.mark.parametrize(
    ("languages", "text"),
    [
        ((), "languages not stated"),
        (("Thai",), "Thai"),
        (("Thai", "Dutch", "Czech"), "Thai, Dutch and Czech"),
        (("Thai", "Dutch", "Czech", "Greek"), "4 languages, among them Thai and Dutch"),
    ],
)
def test_languages_in_words(languages: tuple[str, ...], text: str) -> None:
    assert languages_of(an_assessment("x", languages=languages)) == text
