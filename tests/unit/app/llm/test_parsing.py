"""A forgiving reader of answers: form is forgiven, content is never made up."""

from __future__ import annotations

import json

import pytest

from app.errors import Fault, ModelError
from app.llm.parsing import parse_answer
from app.records import Act, ScopeIssue, Seniority

GOOD = '{"intent": "recommend", "search_query": "baker"}'


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here you are: {GOOD} Anything else?",
        f"Template {{role}} + {{skills}} gives: {GOOD} done",
        f'<think>first {{"intent": "refuse"}}, no</think>\n{GOOD}',
        f'<think>never closed? {{"intent": "refuse"}}</think>{GOOD}',
        f"{GOOD}{GOOD}",
        f"[{GOOD}]",
        "{'intent': 'recommend', 'search_query': 'baker',}",
        '{intent: "recommend", search_query: "baker"}',
        '{"intent": " Recommend ", "search_query": ["baker"], "sparkle": {"a": [1]}}',
        '{"intent": ["SHORTLIST"], "search_query": "baker", "constraints": null, "edits": []}',
    ],
)
def test_what_stands_around_the_object_or_bends_it_is_forgiven(text: str) -> None:
    answer = parse_answer(text).answer
    assert (answer.intent, answer.search_query) == (Act.RECOMMEND, "baker")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        "no object here",
        '{"unrelated": 1}',
        '{"intent": "sing"}',
        '{"intent": "recommend", "constraints": {"role": "tax acc',
        '{"intent": "recommend", "constraints": {"role": "x"}, "search',
        "{" * 3_000,
        '{"a":' * 3_000,
        f"<think>all of it is thought {GOOD}",
    ],
)
def test_nothing_usable_is_said_to_be_malformed(text: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_answer(text)
    assert caught.value.fault is Fault.MALFORMED


@pytest.mark.parametrize("nest", ["[" * 9_000 + "]" * 9_000, '{"a":' * 2_500 + "1" + "}" * 2_500])
def test_a_nest_too_deep_to_read_is_malformed_and_a_mistake_of_nobody(nest: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_answer(f'{{"intent": "recommend", "x": {nest},}}')
    assert caught.value.fault is Fault.MALFORMED


def test_a_shallow_nest_in_near_json_is_read() -> None:
    nest = "[" * 20 + "]" * 20
    assert parse_answer(f'{{"intent": "recommend", "x": {nest},}}').answer.intent is Act.RECOMMEND


def test_braces_inside_a_string_stay() -> None:
    assert (
        parse_answer('{"intent": "recommend", "search_query": "a {senior} b"}').answer.search_query
        == "a {senior} b"
    )


def test_wrong_types_are_read_as_meant_or_left_out() -> None:
    said = parse_answer(
        json.dumps(
            {
                "intent": "recommend",
                "skills": "SQL, Python; SQL",
                "minutes_total": "about 45 minutes",
                "quick": "false",
                "constraints": {
                    "leads": "no",
                    "adaptive": "yes",
                    "remote": "perhaps",
                    "seniority": "Senior",
                    "purpose": "world peace",
                    "list_size": True,
                    "minutes_each": 0,
                    "unwanted_test_types": ["p", "Z", 4],
                    "test_languages": {"a": 1},
                    "role": "none",
                },
            }
        )
    ).answer.constraints
    assert said.skills == ["SQL", "Python"]
    assert (said.minutes_total, said.minutes_each, said.list_size) == (45, None, None)
    assert (said.quick, said.leads, said.adaptive, said.remote) == (False, False, True, None)
    assert (said.seniority, said.purpose, said.role) == (Seniority.SENIOR, None, None)
    assert said.unwanted_test_types == ["P"]
    assert said.test_languages == []


def test_edits_one_level_too_high_are_found_and_reasons_checked() -> None:
    answer = parse_answer('{"drop": "OPQ32r", "undo": "true", "out_of_scope": ["Legal", "boredom"]}').answer
    assert (answer.edits.drop, answer.edits.undo) == (["OPQ32r"], True)
    assert answer.out_of_scope == [ScopeIssue.LEGAL]


def test_lists_are_bounded() -> None:
    answer = parse_answer(
        json.dumps({"intent": "recommend", "skills": [f"{n} " + "x" * 140 for n in range(100)]})
    ).answer
    assert len(answer.constraints.skills) == 40
    assert max(map(len, answer.constraints.skills)) == 120


@pytest.mark.parametrize(
    ("text", "forgiven"),
    [
        (GOOD, ()),
        ('{"intent": " Recommend "}', ()),
        (f"  {GOOD}\n", ()),
        ('{"intent": null, "search_query": "x"}', ()),
        ('{"constraints": {"skills": ["SQL"], "leads": false, "minutes_each": 20, "role": null}}', ()),
        (f"```json\n{GOOD}\n```", ("text_around",)),
        (f"{GOOD} Ask away!", ("text_around",)),
        (f"<think>hm</think>{GOOD}", ("reasoning",)),
        (f"{GOOD}{GOOD}", ("several_objects",)),
        ("{'intent': 'recommend',}", ("near_json",)),
        ('{"intent": "SHORTLIST"}', ("synonym",)),
        ('{"intent": "recommend", "skills": ["SQL"]}', ("misplaced_keys",)),
        ('{"intent": "recommend", "confidence": 1}', ("extra_keys",)),
        ('{"intent": "recommend", "edits": {"move": []}}', ("extra_keys",)),
        ('{"intent": "recommend", "constraints": null}', ("wrong_types",)),
        ('{"intent": "recommend", "constraints": {"leads": "false"}}', ("wrong_types",)),
        ('{"intent": "recommend", "search_query": ["sql"]}', ("wrong_types",)),
    ],
)
def test_what_was_forgiven_is_said_and_a_good_form_needs_nothing(
    text: str, forgiven: tuple[str, ...]
) -> None:
    assert parse_answer(text).forgiven == forgiven


def test_braces_around_and_inside_the_object_are_told_apart() -> None:
    said = 'Template {role} + {skills} filled in: {"intent":"RECOMMEND","search_query":"clerk {senior} excel"} done'
    answer = parse_answer(said).answer
    assert (answer.intent, answer.search_query) == (Act.RECOMMEND, "clerk {senior} excel")
