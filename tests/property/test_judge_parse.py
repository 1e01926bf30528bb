"""Whatever a judge writes, a verdict comes out of it only if it wrote one."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from eval.judge.base import Fingerprint
from eval.judge.cache import cache_key
from eval.judge.parse import NoVerdict, Verdict, parse_verdict, weigh_evidence
from eval.judge.prompt import render
from tests.judge_server import QUESTION

WHO = Fingerprint("openai", "m", "v1")
TEXT = st.text(max_size=60)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@given(TEXT)
def test_any_text_is_a_verdict_or_none_and_never_an_error(text: str) -> None:
    assert isinstance(parse_verdict(text), Verdict | NoVerdict)


@given(evidence=VALUES, reason=VALUES, score=VALUES)
def test_a_verdict_has_an_anchor(evidence: object, reason: object, score: object) -> None:
    found = parse_verdict(json.dumps({"evidence": evidence, "reason": reason, "score": score}))
    if isinstance(found, Verdict):
        assert found.anchor in range(5)
        assert found.anchor == float(score)  # type: ignore[arg-type]
        assert not isinstance(score, bool)


@given(
    evidence=st.lists(TEXT, max_size=4),
    reason=TEXT.filter(str.strip),
    score=st.integers(0, 4),
    prose=st.text(st.characters(exclude_characters="{}"), max_size=40),
)
def test_a_written_verdict_is_read_whatever_prose_stands_around(
    evidence: list[str], reason: str, score: int, prose: str
) -> None:
    written = json.dumps({"evidence": evidence, "reason": reason, "score": score}, ensure_ascii=False)
    found = parse_verdict(f"{prose}{written}{prose}")
    assert isinstance(found, Verdict)
    assert (found.anchor, found.reason) == (score, reason)


@given(st.text(min_size=1, max_size=80), st.data())
def test_a_passage_of_the_answer_is_found(answer: str, data: st.DataObject) -> None:
    words = QUESTION.answer.split()
    begin = data.draw(st.integers(0, len(words) - 1))
    passage = " ".join(words[begin:])
    (evidence,), _ = weigh_evidence([passage], QUESTION)
    assert evidence.found


@given(TEXT, TEXT)
def test_different_answers_are_different_prompts(one: str, other: str) -> None:
    assume(_plain(one) != _plain(other))
    assume("<<<" not in one + other and ">>>" not in one + other)
    first, second = (render(replace(QUESTION, answer=text)).user for text in (one, other))
    assert first != second


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@given(TEXT, st.data())
def test_text_that_moves_from_one_part_to_another_is_another_judgement(
    text: str, data: st.DataObject
) -> None:
    one, other = (data.draw(st.integers(0, len(text))) for _ in range(2))
    assume(one != other)
    keys = set()
    for at in (one, other):
        question = replace(QUESTION, question=f"q{text[:at]}", answer=f"{text[at:]}a")
        keys.add(cache_key(WHO, question, render(question)))
    assert len(keys) == 2
