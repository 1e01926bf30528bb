"""What the rules saw for certain stays; the model fills what words alone cannot tell. In pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.api.dependencies import CatalogSide
from app.catalog import TestType
from app.knowledge import Purpose
from app.llm.reconcile import Merged
from app.llm.schema import RouterAnswer
from app.pipeline import Pipeline, Stopwatch
from app.records import Act, Seniority
from tests.models import a_caller, a_history, routed_side

LISTED = "Shortlist (3 assessments):\n1. Core Java (Advanced Level) (New)\n2. SQL (New)\n3. Docker (New)"
JAVA_NEED = "Java developers who know SQL and Docker"
JAVA, SQL, DOCKER = "core-java-advanced-level-new", "sql-new", "docker-new"
Merge = Callable[..., Merged]


@pytest.fixture(scope="module")
def merge(catalog_side: CatalogSide) -> Merge:
    """Reads texts by rules and merges an answer into the reading."""
    pipeline = catalog_side.responder
    assert isinstance(pipeline, Pipeline)
    routed = routed_side(catalog_side, a_caller()).routed
    assert routed is not None

    def merged(texts: list[str], **answer: Any) -> Merged:
        history = a_history(*texts)
        seen = pipeline.read(history, Stopwatch())
        return routed.router.merge(seen, RouterAnswer.model_validate(answer), history)  # type: ignore[attr-defined]

    return merged


def skills(merged: Merged) -> set[str]:
    return {wish.skill for wish in merged.understanding.skills}


def test_the_job_is_filled_where_none_was_heard_and_kept_where_one_was(merge: Merge) -> None:
    unheard = merge(
        ["People who keep tills and smiles going all day"],
        constraints={"family": "retail_sales_associate", "role": "cashier"},
    )
    heard = merge(["Nurses for a surgical ward"], constraints={"role": "cashier"})
    assert unheard.understanding.families
    assert (
        heard.understanding.families
        == merge(["Nurses for a surgical ward"], intent="recommend").understanding.families
    )
    assert "families" in heard.kept


def test_a_job_that_nobody_knows_is_left_out(merge: Merge) -> None:
    assert (
        merge(
            ["People for our place"], constraints={"role": "zorbler", "family": "zorbling"}
        ).understanding.families
        == ()
    )


def test_level_and_purpose_are_filled_and_not_overruled(merge: Merge) -> None:
    filled = merge(
        ["Java people with a few years behind them"], constraints={"seniority": "mid"}
    ).understanding
    stated = merge(
        ["Senior Java people, for selection"], constraints={"seniority": "entry", "purpose": "development"}
    )
    assert filled.seniority is Seniority.MID
    assert stated.understanding.seniority is Seniority.SENIOR
    assert stated.understanding.purpose is not Purpose.DEVELOPMENT
    assert {"seniority", "purpose"} <= set(stated.kept)


def test_a_paraphrased_skill_is_added_and_a_ruled_out_one_is_not(merge: Merge) -> None:
    assert "sql" in skills(merge(["They dig in our warehouse tables"], constraints={"skills": ["SQL"]}))
    kept = merge(["JavaScript people. Java definitely not."], constraints={"skills": ["Java", "JavaScript"]})
    assert "java" not in skills(kept)
    assert "unwanted_skills" in kept.kept


def test_what_is_no_skill_of_ours_is_left_out(merge: Merge) -> None:
    plain = merge([JAVA_NEED], intent="recommend")
    assert skills(merge([JAVA_NEED], constraints={"skills": ["zorbling", "https://example.com"]})) == skills(
        plain
    )


def test_a_skill_is_taken_away_unless_it_is_a_must(merge: Merge) -> None:
    said = {"unwanted_skills": ["SQL"]}
    assert "sql" not in skills(merge(["Java people, SQL"], constraints=said))
    assert "sql" in skills(merge(["Java people, SQL is a must-have"], constraints=said))


def test_a_kind_of_test_is_left_out_unless_it_was_asked_for(merge: Merge) -> None:
    said = {"unwanted_test_types": ["P"]}
    assert (
        TestType.PERSONALITY
        in merge(["Java people, no soft stuff"], constraints=said).understanding.unwanted_types
    )
    asked = merge(["Java people, with a personality test"], constraints=said)
    assert TestType.PERSONALITY not in asked.understanding.unwanted_types
    assert "unwanted_types" in asked.kept


def test_a_kind_of_test_becomes_a_wish(merge: Merge) -> None:
    assert "situational_judgement" in skills(merge(["Java people"], constraints={"test_types": ["B"]}))
    assert skills(merge(["Java people"], constraints={"test_types": ["K"]})) == skills(merge(["Java people"]))


def test_limits_are_filled_and_not_overruled(merge: Merge) -> None:
    said = {"minutes_total": 30, "list_size": 3, "test_languages": ["French", "English"]}
    limits = merge(
        ["Java people, keep it brief and in the tongue of Molière"], constraints=said
    ).understanding.limits
    assert (limits.minutes_total, limits.list_size, limits.languages) == (30, 3, ("French",))
    assert limits.catalogue_languages
    stated = merge(["Java people, 60 minutes in total"], constraints=said)
    assert stated.understanding.limits.minutes_total == 60
    assert "minutes_total" in stated.kept


def test_speech_is_filled_and_not_overruled(merge: Merge) -> None:
    said = {"spoken_language": "English", "accent": "UK"}
    filled = merge(["Phone agents for our clients back home"], constraints=said).understanding
    assert (filled.spoken_language, filled.accent) == ("English", "UK")
    stated = merge(["Phone agents, calls in English with a US accent"], constraints=said).understanding
    assert (stated.spoken_language, stated.accent) == ("English", "US")


def test_an_edit_counts_where_the_rules_heard_none(merge: Merge) -> None:
    unheard = [JAVA_NEED, LISTED, "hmm, containers are another team's headache"]
    merged = merge(unheard, intent="refine", edits={"drop": ["Docker (New)"], "add": ["JavaScript", "Zeta9"]})
    assert merged.understanding.act is Act.REFINE
    assert merged.understanding.edits.drop == (DOCKER,)
    assert DOCKER in merged.understanding.dropped
    assert "javascript" in merged.understanding.edits.add_skills
    heard = merge([JAVA_NEED, LISTED, "Drop the SQL test"], intent="refine", edits={"drop": ["Docker (New)"]})
    assert heard.understanding.edits.drop == (SQL,)


def test_what_was_dropped_does_not_come_back_by_a_model(merge: Merge) -> None:
    texts = [
        JAVA_NEED,
        LISTED,
        "Drop the SQL test",
        LISTED.replace("2. SQL (New)\n3.", "2."),
        "hmm, what else could there be to it",
    ]
    merged = merge(texts, intent="refine", edits={"add": ["SQL (New)"]})
    assert SQL in merged.understanding.dropped
    assert SQL not in merged.understanding.edits.add


def test_only_what_is_listed_can_be_dropped(merge: Merge) -> None:
    texts = [JAVA_NEED, LISTED, "hmm, containers are another team's headache"]
    merged = merge(texts, intent="refine", edits={"drop": ["MQM5"]})
    assert not merged.understanding.edits


def test_an_acceptance_in_odd_words_is_taken_and_one_that_was_heard_is_kept(merge: Merge) -> None:
    odd = merge([JAVA_NEED, LISTED, "chef's kiss"], intent="confirm").understanding
    assert (odd.act, odd.accepts) == (Act.CONFIRM, True)
    heard = merge(
        [JAVA_NEED, LISTED, "Perfect, we go with that list"], intent="refine", edits={"drop": ["SQL (New)"]}
    )
    assert heard.understanding.act is Act.CONFIRM
    assert not heard.understanding.edits


def test_nothing_is_accepted_where_nothing_stands(merge: Merge) -> None:
    assert merge(["chef's kiss"], intent="confirm").understanding.act is not Act.CONFIRM


def test_a_refusal_of_the_rules_stays(merge: Merge) -> None:
    merged = merge(
        ["Can we reject applicants over fifty?"], intent="recommend", constraints={"skills": ["SQL"]}
    )
    assert merged.understanding.act is Act.REFUSE
    assert skills(merged) == set()


def test_the_query_holds_every_skill_whoever_heard_it(merge: Merge) -> None:
    merged = merge(["Java people"], constraints={"skills": ["SQL"]}, search_query="backend reporting")
    for word in ("SQL", "Java", "backend reporting"):
        assert word in merged.understanding.search_query
    plain = merge(["Java people"]).understanding.search_query
    assert merge(["Java people"], search_query="java PEOPLE").understanding.search_query == plain
