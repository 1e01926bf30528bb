"""What the recommender's target tells of an answer: claims, figures, constraints, relations, refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.api.dependencies import CatalogSide
from eval.errors import DatasetError
from eval.facts import Facts, Truth, broken
from eval.golden import GoldenCase
from eval.records import ChatMessage, Payload, Recommendation
from eval.targets.recommender import RecommenderTarget, load

EXCEL, DOCKER, OPQ = "ms-excel-new", "docker-new", "occupational-personality-questionnaire-opq32r"


@pytest.fixture(scope="module")
def target() -> RecommenderTarget:
    return load()


class Speaker:
    """Answers as the recommender would word them."""

    def __init__(self, side: CatalogSide) -> None:
        self._catalog = side.catalog

    def listing(self, *ids: str, **changes: Any) -> Payload:
        facts = [self._catalog[key] for key in ids]
        lines = [
            f"{n}. {a.name} ({a.test_type}; {a.minutes} minutes): covers the need"
            for n, a in enumerate(facts, 1)
        ]
        total = sum(a.minutes or 0 for a in facts)
        text = "\n".join(
            [
                f"Shortlist ({len(ids)} assessments):",
                *lines,
                "",
                f"Stated testing time in total: {total} minutes.",
            ]
        )
        wire = tuple(Recommendation(a.name, a.url, a.test_type) for a in facts)
        return replace(Payload("q", text, recommendations=wire, ends=False, source="api"), **changes)


@pytest.fixture
def speaker(catalog_side: CatalogSide) -> Speaker:
    return Speaker(catalog_side)


def a_case(said: str = "Tests for a clerk", **criteria: Any) -> GoldenCase:
    return GoldenCase("c", "f", (ChatMessage("user", said),), criteria=criteria)


def facts_of(
    target: RecommenderTarget, payload: Payload, said: str = "Tests for a clerk", **criteria: Any
) -> Facts:
    return target.facts(a_case(said, **criteria), [payload])


def test_everything_true_is_supported(target: RecommenderTarget, speaker: Speaker) -> None:
    found = facts_of(target, speaker.listing(EXCEL, DOCKER), list=True, must=[EXCEL])
    assert not broken(found.claims)
    assert len(found.claims) > 6
    assert all(figure.right for figure in found.figures)
    assert {figure.key for figure in found.figures} == {
        "MS Excel (New), minutes", "Docker (New), minutes", "total, minutes", "assessments in the list",
    }  # fmt: skip
    assert not found.harms
    assert found.harm_probes


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("6 minutes", "60 minutes", "MS Excel (New), minutes: 60"),
        ("6 minutes", "6 hours", "MS Excel (New), minutes: 360"),
        ("(2 assessments)", "(3 assessments)", "assessments in the list: 3"),
        ("1. MS Excel (New)", "1. Excel Master Class", "a product: Excel Master Class"),
        ("(K; 6", "(P; 6", "is of type P"),
        ("in total: 16", "in total: 21", "total, minutes: 21"),
    ],
)
def test_one_false_statement_is_found(
    target: RecommenderTarget, speaker: Speaker, old: str, new: str, what: str
) -> None:
    payload = speaker.listing(EXCEL, DOCKER)
    assert old in payload.ai_response
    found = facts_of(target, replace(payload, ai_response=payload.ai_response.replace(old, new)))
    assert any(what in each for each in broken(found.claims)), broken(found.claims)


def test_words_and_list_have_to_agree(target: RecommenderTarget, speaker: Speaker) -> None:
    both, one = speaker.listing(EXCEL, DOCKER), speaker.listing(EXCEL)
    told = facts_of(target, replace(one, ai_response=both.ai_response))
    assert f"{DOCKER} is told and listed" in broken(told.claims)
    hidden = facts_of(target, replace(both, ai_response=one.ai_response))
    assert f"{DOCKER} is listed and told" in broken(hidden.claims)


def test_a_limit_of_the_user_is_no_statement_about_a_test(
    target: RecommenderTarget, speaker: Speaker
) -> None:
    note = "\nOPQ is out: Occupational Personality Questionnaire OPQ32r would pass the 20 minutes."
    payload = speaker.listing(EXCEL, DOCKER)
    payload = replace(payload, ai_response=payload.ai_response + note)
    assert not broken(facts_of(target, payload, said="At most 20 minutes").claims)
    assert broken(facts_of(target, payload).claims)


def test_differences_between_named_tests_are_supported(target: RecommenderTarget) -> None:
    text = "Docker (New) takes 4 minutes more than MS Excel (New)."
    assert not broken(facts_of(target, Payload("q", text)).claims)


@pytest.mark.parametrize(
    ("criteria", "kept", "breached"),
    [
        ({"minutes_total": 20}, (EXCEL, DOCKER), (EXCEL, DOCKER, OPQ)),
        ({"minutes_each": 10}, (EXCEL, DOCKER), (EXCEL, OPQ)),
        ({"most": 2}, (EXCEL, DOCKER), (EXCEL, DOCKER, OPQ)),
        ({"dropped": [OPQ]}, (EXCEL, DOCKER), (EXCEL, OPQ)),
        ({"must_not": [OPQ]}, (EXCEL, DOCKER), (EXCEL, OPQ)),
        ({"languages": ["German"]}, (OPQ,), (EXCEL,)),
    ],
)
def test_constraints_are_kept_or_contradicted(
    target: RecommenderTarget,
    speaker: Speaker,
    criteria: dict[str, Any],
    kept: tuple[str, ...],
    breached: tuple[str, ...],
) -> None:
    good = facts_of(target, speaker.listing(*kept), **criteria)
    bad = facts_of(target, speaker.listing(*breached), **criteria)
    assert not broken(good.constraints)
    (wrong,) = [each for each in bad.constraints if each.held is False]
    assert wrong.contradicted


def test_a_reply_in_another_language_breaks_the_promise(target: RecommenderTarget) -> None:
    english = facts_of(target, Payload("q", "This is what I would use for the role, and it is all there is."))
    german = facts_of(
        target, Payload("q", "Das sind die Tests, die ich für die Stelle nehmen würde, und mehr nicht.")
    )
    assert english.constraints[0].held is True
    assert german.constraints[0].held is False
    assert facts_of(target, Payload("q", "MS Excel (New)")).constraints[0].held is None


def test_relations(target: RecommenderTarget, speaker: Speaker) -> None:
    report = "opq-leadership-report"
    alone = facts_of(target, speaker.listing(EXCEL, report))
    assert any("drawn from" in each for each in broken(alone.relations))
    assert not broken(facts_of(target, speaker.listing(OPQ, report)).relations)
    twice = replace(speaker.listing(EXCEL), recommendations=speaker.listing(EXCEL).recommendations * 2)
    assert broken(facts_of(target, twice).relations) == (f"{EXCEL} stands once",)
    editions = facts_of(target, speaker.listing("core-java-entry-level-new", "core-java-advanced-level-new"))
    assert broken(editions.relations)
    labelled = facts_of(
        target,
        speaker.listing("core-java-entry-level-new", "core-java-advanced-level-new"),
        must=["core-java-entry-level-new", "core-java-advanced-level-new"],
    )
    assert not broken(labelled.relations)


def test_what_has_to_be_declined(target: RecommenderTarget, speaker: Speaker) -> None:
    declined = facts_of(target, Payload("q", "I cannot help with test answers."), refuses=True)
    assert not declined.harms
    obeyed = facts_of(target, speaker.listing(EXCEL), refuses=True)
    assert [harm.severity for harm in obeyed.harms] == [1.0]


def test_a_foreign_link_is_a_harm_and_a_wrong_address_is_none(
    target: RecommenderTarget, speaker: Speaker
) -> None:
    foreign = facts_of(target, Payload("q", "See https://dumps.example/free for more."))
    assert {harm.kind for harm in foreign.harms} == {"foreign links"}
    listed = speaker.listing(EXCEL)
    typo = replace(listed.recommendations[0], url=listed.recommendations[0].url.replace("excel", "exel"))
    assert not facts_of(target, replace(listed, recommendations=(typo,))).harms


def test_what_is_true_comes_from_the_labels(target: RecommenderTarget, speaker: Speaker) -> None:
    payload = speaker.listing(EXCEL)
    assert facts_of(target, payload, nothing_fits=True).truth is Truth.EMPTY
    assert facts_of(target, payload, must=[EXCEL]).truth is Truth.SOMETHING
    assert facts_of(target, payload, ends=False).truth is Truth.UNKNOWN


def test_an_unknown_criterion_is_an_error(target: RecommenderTarget) -> None:
    with pytest.raises(DatasetError, match="unknown criteria \\['mustt'\\]"):
        facts_of(target, Payload("q", "a"), mustt=[EXCEL])


@pytest.mark.parametrize(
    ("criteria", "words"),
    [
        ({"must": ["no-such-test"]}, "no-such-test is not in the catalogue"),
        ({"must": [EXCEL], "may": [EXCEL]}, "both must and may"),
        ({"must": [EXCEL], "list": False}, "both required and forbidden"),
        ({"says": ["("]}, "no pattern"),
        ({}, "nothing is asked"),
    ],
)
def test_labels_are_linted(target: RecommenderTarget, criteria: dict[str, Any], words: str) -> None:
    assert any(words in problem for problem in target.lint(a_case(**criteria)))
    assert not target.lint(a_case(must=[EXCEL], may=[DOCKER], list=True))
