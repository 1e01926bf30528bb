"""The words of a reply: only what is in the list, never too many, a question for every topic."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from app.api.dependencies import CatalogSide
from app.pipeline import Pipeline
from app.records import (
    Act,
    Edits,
    Gap,
    History,
    Limits,
    Message,
    Pick,
    Reply,
    ScopeIssue,
    Seniority,
    Shortlist,
    Source,
    Topic,
)
from app.replies.questions import DECLINES, QUESTIONS
from app.retrieval import Candidates
from app.understanding.lexicon import Lexicon
from app.understanding.text import prepare
from tests.unit.app.assembly.needs import (
    DOCKER,
    JAVA,
    JAVA_JOB,
    JAVA_LIST,
    LIST,
    MOTIVATION,
    REPORT,
    SQL,
    a_need,
    decided,
    wishes,
)

Answer = Callable[..., tuple[Reply, Shortlist]]

LONGEST_QUESTION = 90
LONGEST_LIST = 330
"""Words."""


@pytest.fixture(scope="session")
def answer(pipeline: Pipeline) -> Answer:
    def call(act: Act, ask: Topic | None = None, ends: bool = False, **facts: Any) -> tuple[Reply, Shortlist]:
        need, decision = a_need(act, **facts), decided(act, ask=ask, ends=ends)
        shortlist = pipeline.assembler.assemble(need, decision, Candidates())
        return pipeline.replier.reply(need, decision, shortlist), shortlist

    return call


@pytest.fixture(scope="session")
def mentioned(pipeline: Pipeline) -> Callable[[str], set[str]]:
    lexicon: Lexicon = pipeline.understander._lexicon  # type: ignore[attr-defined]

    def find(text: str) -> set[str]:
        return {match.value for match in lexicon.list_names.find(prepare(text).folded)}

    return find


SPANISH = Limits(languages=("Spanish",), catalogue_languages=(("Spanish*",),))

REPLIES: dict[str, tuple[Act, dict[str, Any]]] = {
    "a list": (Act.RECOMMEND, JAVA_JOB),
    "a list for nobody in particular": (Act.RECOMMEND, {}),
    "a list with a nearest test": (Act.RECOMMEND, {"skills": wishes("ansible", "sql")}),
    "an edit": (Act.REFINE, JAVA_LIST | {"edits": Edits(drop=(SQL,)), "dropped": frozenset({SQL})}),
    "an addition": (Act.REFINE, JAVA_LIST | {"edits": Edits(add=(MOTIVATION,)), "added": (MOTIVATION,)}),
    "a level": (Act.REFINE, JAVA_LIST | {"new_facts": True, "seniority": Seniority.ENTRY}),
    "a confirmation": (Act.CONFIRM, JAVA_LIST),
    "a comparison": (Act.COMPARE, JAVA_LIST | {"compared": (SQL, DOCKER)}),
    "a question about the list": (Act.COMPARE, JAVA_LIST),
    "a refusal": (Act.REFUSE, JAVA_LIST | {"scope_issues": (ScopeIssue.LEGAL,)}),
}


@pytest.mark.parametrize("name", REPLIES)
def test_no_assessment_is_named_outside_the_list_and_what_was_asked_about(
    name: str, answer: Answer, mentioned: Callable[[str], set[str]]
) -> None:
    act, facts = REPLIES[name]
    reply, shortlist = answer(act, **facts)
    allowed = {*shortlist.ids, *facts.get("compared", ()), *shortlist.dropped}
    allowed |= {id_ for gap in shortlist.gaps for id_ in gap.nearest}
    assert mentioned(reply.text) <= allowed


def test_names_in_a_reply_are_seen_by_these_tests(
    answer: Answer, mentioned: Callable[[str], set[str]]
) -> None:
    reply, shortlist = answer(Act.RECOMMEND, **JAVA_JOB)
    assert mentioned(reply.text) == set(shortlist.ids)


@pytest.mark.parametrize("name", [n for n in REPLIES if n != "a refusal"])
def test_the_list_on_the_wire_is_the_shortlist(name: str, answer: Answer) -> None:
    act, facts = REPLIES[name]
    reply, shortlist = answer(act, **facts)
    assert reply.recommendations == shortlist.ids


@pytest.mark.parametrize("name", REPLIES)
def test_a_reply_is_not_long(name: str, answer: Answer) -> None:
    act, facts = REPLIES[name]
    assert 3 <= len(answer(act, **facts)[0].text.split()) <= LONGEST_LIST


def test_a_list_names_every_pick_in_order_with_its_type_and_time(
    answer: Answer, catalog_side: CatalogSide
) -> None:
    reply, shortlist = answer(Act.RECOMMEND, **JAVA_JOB)
    lines = re.findall(r"^\d+\. .*$", reply.text, re.M)
    assert len(lines) == len(shortlist.ids)
    for place, (line, id_) in enumerate(zip(lines, shortlist.ids, strict=True), 1):
        item = catalog_side.catalog[id_]
        assert line.startswith(f"{place}. {item.name} ({item.test_type}; ")
        assert f"{item.minutes} minutes): " in line


def test_a_list_of_our_own_is_read_back_as_it_was(answer: Answer, pipeline: Pipeline) -> None:
    reply, shortlist = answer(Act.RECOMMEND, **JAVA_JOB)
    history = History((Message("user", "x"), Message("assistant", reply.text), Message("user", "Thanks!")))
    assert pipeline.understander.understand(history).standing == shortlist.ids


# --- questions -------------------------------------------------------------------------------------

ASKED_OF: dict[Topic, dict[str, Any]] = {
    Topic.ACCENT: {"spoken_language": "English"},
    Topic.TEST_LANGUAGE: JAVA_JOB | {"limits": SPANISH},
    Topic.STACK_SIDE: {"skills": wishes("java", "sql")},
    Topic.NO_TEST: {"skills": wishes("ansible")},
    Topic.UNKNOWN_NAME: {"unknown_names": ("OPQ99z",)},
}


@pytest.mark.parametrize("topic", Topic)
def test_every_topic_has_its_question(topic: Topic, answer: Answer) -> None:
    assert topic in QUESTIONS
    reply, _ = answer(Act.CLARIFY, topic, **ASKED_OF.get(topic, {}))
    assert "?" in reply.text
    assert not re.search(r"[{}]", reply.text)
    assert len(reply.text.split()) <= LONGEST_QUESTION
    assert (reply.recommendations, reply.ends) == ((), False)


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        (Topic.ACCENT, "SVAR - Spoken English (U.K.)"),
        (Topic.TEST_LANGUAGE, "Core Java (Advanced Level) (New)"),
        (Topic.TEST_LANGUAGE, "Spanish"),
        (Topic.STACK_SIDE, "2 areas: Java and SQL"),
        (Topic.NO_TEST, "Linux Administration (New)"),
        (Topic.UNKNOWN_NAME, '"OPQ99z" is not'),
        (Topic.UNKNOWN_NAME, "Occupational Personality Questionnaire OPQ32r"),
    ],
)
def test_a_question_holds_the_facts_it_turns_on(topic: Topic, said: str, answer: Answer) -> None:
    assert said in answer(Act.CLARIFY, topic, **ASKED_OF[topic])[0].text


def test_several_unknown_names_are_spoken_of_as_several(answer: Answer) -> None:
    names = ("OPQ99z", "Verify Ultra")
    text = answer(Act.CLARIFY, Topic.UNKNOWN_NAME, unknown_names=names)[0].text
    assert text.startswith('"OPQ99z" and "Verify Ultra" are not')
    assert "compare them" in text


@pytest.mark.parametrize("topic", [topic for topic in Topic if topic is not Topic.NEED])  # read as FOCUS
def test_a_question_is_recognised_when_it_comes_back(
    topic: Topic, answer: Answer, pipeline: Pipeline
) -> None:
    question = answer(Act.CLARIFY, topic, **ASKED_OF.get(topic, {}))[0].text
    history = History((Message("user", "x"), Message("assistant", question), Message("user", "SQL")))
    assert pipeline.understander.understand(history).asked == (topic,)


# --- refusals and endings --------------------------------------------------------------------------


@pytest.mark.parametrize("issue", ScopeIssue)
def test_every_issue_is_declined_without_a_list(issue: ScopeIssue, answer: Answer) -> None:
    reply, _ = answer(Act.REFUSE, scope_issues=(issue,))
    assert DECLINES[issue] in reply.text
    assert (reply.recommendations, reply.ends) == ((), False)


@pytest.mark.parametrize(("facts", "said"), [(JAVA_LIST, "unchanged"), ({}, "whom you hire for")])
def test_a_refusal_says_how_to_go_on(facts: dict[str, Any], said: str, answer: Answer) -> None:
    assert said in answer(Act.REFUSE, scope_issues=(ScopeIssue.LEGAL,), **facts)[0].text


@pytest.mark.parametrize("ends", [True, False])
def test_the_conversation_ends_when_the_decision_says_so(ends: bool, answer: Answer) -> None:
    assert answer(Act.CONFIRM, ends=ends, **JAVA_LIST)[0].ends is ends


@pytest.mark.parametrize(
    ("facts", "said", "unsaid"),
    [
        ({"edits": Edits(drop=(SQL,)), "dropped": frozenset({SQL})}, "Dropped SQL (New).", "Added SQL"),
        (
            {"edits": Edits(add=(MOTIVATION,)), "added": (MOTIVATION,)},
            "Added Motivation Questionnaire MQM5.",
            "Dropped",
        ),
        ({"edits": Edits(keep=(SQL,))}, "The list is unchanged.", "Dropped"),
    ],
)
def test_a_change_is_said(facts: dict[str, Any], said: str, unsaid: str, answer: Answer) -> None:
    text = answer(Act.REFINE, **JAVA_LIST, **facts)[0].text
    assert said in text
    assert unsaid not in text


@pytest.mark.parametrize(("language", "note"), [("de", "You wrote in German"), ("en", None)])
def test_another_language_is_answered_in_english_and_that_is_said(
    language: str, note: str | None, answer: Answer
) -> None:
    text = answer(Act.RECOMMEND, reply_language=language, **JAVA_JOB)[0].text
    assert text.startswith(note or "Here is what I would use")


def test_nothing_that_fits_is_said_with_the_limits_that_could_move(answer: Answer) -> None:
    reply, _ = answer(Act.RECOMMEND, skills=wishes("sql"), only_named=True, limits=Limits(minutes_each=2))
    assert reply.recommendations == ()
    assert "Not covered: SQL (takes longer than the limit)" in reply.text


@pytest.mark.parametrize(
    ("shortlist", "said"),
    [
        (
            Shortlist((Pick(SQL, Source.SKILL, "covers SQL"),), assumptions=("it rains",)),
            "Assumed: it rains.",
        ),
        (Shortlist((Pick(SQL, Source.SKILL, "covers SQL"),), notes=("Left out X.",)), "Left out X."),
        (
            Shortlist((Pick(SQL, Source.SKILL, "covers SQL"),), gaps=(Gap("Chess", "no test.", (DOCKER,)),)),
            "Not covered: Chess (no test); nearest: Docker (New).",
        ),
        (Shortlist((Pick(SQL, Source.DEFAULT, "x"),)), "Added by default: SQL (New)."),
        (Shortlist((Pick(SQL, Source.SKILL, "x"), Pick(JAVA, Source.SKILL, "x"))), "in total: 22 minutes."),
        (Shortlist((Pick(SQL, Source.SKILL, "x"), Pick(REPORT, Source.SKILL, "x"))), "in total: 9 minutes."),
        (
            Shortlist((Pick("svar-spoken-english-us-new", Source.SKILL, "x"),)),  # type: ignore[arg-type]
            "no time is stated for SVAR - Spoken English (US) (New).",
        ),
    ],
)
def test_the_fine_print(shortlist: Shortlist, said: str, pipeline: Pipeline) -> None:
    reply = pipeline.replier.reply(a_need(), decided(Act.RECOMMEND), shortlist)
    assert said in reply.text


def test_a_confirmation_leaves_defaults_and_assumptions_out(pipeline: Pipeline) -> None:
    shortlist = Shortlist((Pick(SQL, Source.DEFAULT, "x"),), assumptions=("it rains",))
    text = pipeline.replier.reply(a_need(), decided(Act.CONFIRM), shortlist).text
    assert "Confirmed." in text
    assert "Assumed" not in text
    assert "by default" not in text


def test_every_pick_of_a_standing_list_has_a_reason(answer: Answer) -> None:
    _, shortlist = answer(Act.CONFIRM, **JAVA_LIST)
    assert shortlist.ids == LIST
    assert all(pick.why for pick in shortlist.picks)
