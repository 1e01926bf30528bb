"""Which of several assessments is taken, and which may not be in the list."""

from __future__ import annotations

from typing import Any

import pytest

from app.api.dependencies import CatalogSide
from app.assembly.choice import Chooser, Refusal, limits_text
from app.catalog import TestType
from app.records import Limits, Seniority, Source
from app.requirements import Requirement
from tests.unit.app.assembly.needs import JAVA, JAVA_ENTRY, REASONING, REPORT, SQL, TRAITS, a_need, wishes

US, UK, AU = "svar-spoken-english-us-new", "svar-spoken-english-u-k", "svar-spoken-english-aus"
CANADIAN, EUROPEAN = "svar-spoken-french-canadian-new", "svar-spoken-french-european-new"
SPANISH = Limits(languages=("Spanish",), catalogue_languages=(("Spanish*",),))


def chooser(side: CatalogSide, **facts: Any) -> Chooser:
    return Chooser(side.catalog, side.knowledge, a_need(**facts))


def asked(*options: str, source: Source = Source.SKILL) -> Requirement:
    return Requirement("x", options, source, "for a test")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, JAVA),
        ({"seniority": Seniority.ENTRY}, JAVA_ENTRY),
        ({"seniority": Seniority.GRADUATE}, JAVA_ENTRY),
        ({"seniority": Seniority.SENIOR}, JAVA),
        ({"dropped": frozenset({JAVA})}, JAVA_ENTRY),
        ({"dropped": frozenset({JAVA, JAVA_ENTRY})}, None),
    ],
)
def test_the_variant_fits_the_level(
    catalog_side: CatalogSide, facts: dict[str, Any], expected: str | None
) -> None:
    assert chooser(catalog_side, **facts).choose(asked(JAVA, JAVA_ENTRY)) == expected


@pytest.mark.parametrize(
    ("facts", "options", "expected"),
    [
        ({"spoken_language": "English", "accent": "UK"}, (US, UK, AU), UK),
        ({"spoken_language": "English", "accent": "AU"}, (US, UK, AU), AU),
        ({"spoken_language": "English"}, (US, UK, AU), US),
        ({"spoken_language": "French", "accent": "US"}, (US, EUROPEAN, CANADIAN), CANADIAN),
        ({"spoken_language": "French", "accent": "UK"}, (US, CANADIAN, EUROPEAN), EUROPEAN),
        ({"spoken_language": "German"}, (US, CANADIAN), None),
    ],
)
def test_a_spoken_test_fits_language_and_accent(
    catalog_side: CatalogSide, facts: dict[str, Any], options: tuple[str, ...], expected: str | None
) -> None:
    assert chooser(catalog_side, **facts).choose(asked(*options)) == expected


@pytest.mark.parametrize(
    ("facts", "option", "refusal"),
    [
        ({}, SQL, None),
        ({"dropped": frozenset({SQL})}, SQL, Refusal.DROPPED),
        ({"unwanted_types": frozenset({TestType.PERSONALITY})}, TRAITS, Refusal.NOT_WANTED),
        ({"unwanted_types": frozenset({TestType.ABILITY})}, TRAITS, None),
        ({"unwanted_skills": frozenset({"sql"})}, SQL, Refusal.NOT_WANTED),
        ({"unwanted_skills": frozenset({"java"})}, SQL, None),
        ({"limits": Limits(minutes_each=8)}, SQL, Refusal.TIME),
        ({"limits": Limits(minutes_each=9)}, SQL, None),
        ({"limits": Limits(minutes_total=8)}, SQL, Refusal.TIME),
        ({"limits": Limits(minutes_each=1)}, US, None),
        ({"limits": Limits(adaptive=True)}, SQL, Refusal.ADAPTIVE),
        ({"limits": Limits(adaptive=True)}, REASONING, None),
        ({"limits": Limits(adaptive=False)}, REASONING, Refusal.ADAPTIVE),
        ({"limits": Limits(adaptive=True)}, REPORT, None),
        ({"limits": SPANISH}, SQL, Refusal.LANGUAGE),
        ({"limits": SPANISH}, TRAITS, None),
        (
            {
                "limits": Limits(
                    languages=("Spanish",), catalogue_languages=(("Spanish*",),), language_lifted=True
                )
            },
            SQL,
            None,
        ),
        ({"spoken_language": "Spanish"}, US, Refusal.SPOKEN_LANGUAGE),
    ],
)
def test_why_an_assessment_may_not_be_listed(
    catalog_side: CatalogSide, facts: dict[str, Any], option: str, refusal: Refusal | None
) -> None:
    assert chooser(catalog_side, **facts).refusal(option, named=False) is refusal  # type: ignore[arg-type]


@pytest.mark.parametrize(("named", "refusal"), [(True, None), (False, Refusal.NOT_WANTED)])
def test_what_was_named_is_not_refused_for_its_kind(
    catalog_side: CatalogSide, named: bool, refusal: Refusal | None
) -> None:
    unwanted = frozenset({TestType.PERSONALITY})
    assert chooser(catalog_side, unwanted_types=unwanted).refusal(TRAITS, named=named) is refusal


def test_an_unwanted_subject_stays_where_another_wish_calls_for_its_test(catalog_side: CatalogSide) -> None:
    facts = {"unwanted_skills": frozenset({"java"}), "skills": wishes("java_advanced")}
    assert JAVA in catalog_side.knowledge.skills["java_advanced"].tests  # type: ignore[index]
    assert chooser(catalog_side, **facts).refusal(JAVA, named=False) is None


@pytest.mark.parametrize(
    ("seniority", "best"), [(Seniority.ENTRY, JAVA_ENTRY), (Seniority.SENIOR, JAVA), (None, JAVA)]
)
def test_the_best_sibling_follows_the_level(
    catalog_side: CatalogSide, seniority: Seniority | None, best: str
) -> None:
    assert chooser(catalog_side, seniority=seniority).best_sibling(JAVA) == best


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (Limits(minutes_total=50), "50 minutes in total"),
        (Limits(minutes_each=10), "10 minutes for each test"),
        (Limits(minutes_each=10, minutes_total=50), "50 minutes in total and 10 minutes for each test"),
        (Limits(), ""),
    ],
)
def test_limits_in_words(limits: Limits, text: str) -> None:
    assert limits_text(limits) == text
