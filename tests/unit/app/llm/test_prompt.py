"""The prompt: one text file, our words in it, the facts of what is talked about, and what fits of the conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.api.dependencies import CatalogSide
from app.errors import ConfigError
from app.llm.parsing import parse_answer
from app.llm.prompt import PROMPT_FILE, PromptBuilder
from app.llm.schema import RouterAnswer
from app.pipeline import Pipeline, Stopwatch
from app.records import Understanding
from tests.models import a_caller, a_history, routed_side

LISTED = "Shortlist (2 assessments):\n1. SQL (New)\n2. Docker (New)"
SHAPE = PROMPT_FILE.read_text(encoding="utf-8").partition("# Shape")[2].partition("\n\n{")[2]
FIELDS = json.loads("{" + SHAPE.partition("\n\n")[0])


def builder_of(side: CatalogSide, history_tokens: int = 6_000) -> PromptBuilder:
    routed = routed_side(side, a_caller(), history_tokens=history_tokens).routed
    assert routed is not None
    prompts = routed.router.prompts  # type: ignore[attr-defined]
    assert isinstance(prompts, PromptBuilder)
    return prompts


def read(side: CatalogSide, *texts: str) -> Understanding:
    assert isinstance(side.responder, Pipeline)
    return side.responder.read(a_history(*texts), Stopwatch())


def test_the_shape_in_the_text_is_the_shape_that_is_read() -> None:
    assert FIELDS.keys() == RouterAnswer.model_fields.keys()
    assert json.loads(RouterAnswer(intent="recommend").model_dump_json()) == FIELDS  # type: ignore[arg-type]


def test_every_worked_example_is_an_answer_without_anything_to_forgive() -> None:
    part = PROMPT_FILE.read_text(encoding="utf-8").partition("# Examples")[2].partition("# Facts")[0]
    answers = [block.rpartition("}]\n")[2] for block in part.strip().split("\n\n")]
    assert len(answers) >= 5
    assert [parse_answer(answer).forgiven for answer in answers] == [()] * len(answers)


def test_facts_are_of_what_is_named_and_listed_and_of_nothing_else(catalog_side: CatalogSide) -> None:
    seen = read(catalog_side, "Developers who know SQL and Docker", LISTED, "How does MQM5 differ?")
    facts = builder_of(catalog_side).facts(seen).splitlines()
    assert [line.partition(")")[0] for line in facts if "not on the list" in line] == [
        next(line for line in facts if "MQM5" in line).partition(")")[0]
    ]
    assert sum("(on the list)" in line for line in facts) == 2
    assert builder_of(catalog_side).facts(read(catalog_side, "People for our place")) == "(none)"


def test_what_is_the_same_for_everybody_stands_first(catalog_side: CatalogSide) -> None:
    builder = builder_of(catalog_side)
    texts = (["Cooks for a canteen"], ["Is MQM5 any good?"])
    one, two = (builder.build(a_history(*t), read(catalog_side, *t)).system for t in texts)
    fixed = one.removesuffix("(none)\n")
    assert fixed != one
    assert two.startswith(fixed)
    assert "<<" not in one


@pytest.mark.parametrize("filler", [0, 30])
def test_first_need_list_and_last_message_are_sent_whatever_is_left_out(
    filler: int, catalog_side: CatalogSide
) -> None:
    between = ["Do tell me more about it, " * 8, "There is not much to tell, " * 8] * filler
    texts = ["Developers who know SQL and Docker", *between[1:], *between[:1], LISTED, "Drop the second one"]
    texts = texts if len(texts) % 2 else [texts[0], *texts[2:]]
    prompt = builder_of(catalog_side, 400).build(a_history(*texts), read(catalog_side, *texts))
    sent = [message["content"] for message in json.loads(prompt.user)]
    assert (sent[0], sent[-2], sent[-1]) == (texts[0], LISTED, texts[-1])
    assert (len(sent) < len(texts)) is bool(filler)


def test_a_smaller_prompt_has_half_of_both(catalog_side: CatalogSide) -> None:
    texts = ["Cooks. " + "A friendly place. " * 400]
    seen, builder = read(catalog_side, *texts), builder_of(catalog_side, 1_000)
    whole = builder.build(a_history(*texts), seen)
    half = builder.build(a_history(*texts), seen, smaller=True)
    assert half.max_output_tokens * 2 == whole.max_output_tokens
    assert len(half.user) < 0.6 * len(whole.user)
    assert half.prompt_key != whole.prompt_key


def test_a_text_without_a_version_is_refused(catalog_side: CatalogSide, tmp_path: Path) -> None:
    vocabulary = builder_of(catalog_side)._vocabulary
    for text, version in (("<!-- version: mine-2 -->\nRead.", "mine-2"), ("Read.", None)):
        file = tmp_path / "prompt.md"
        file.write_text(text, encoding="utf-8")
        if version:
            made = PromptBuilder(vocabulary, history_tokens=200, max_output_tokens=100, file=file)
            assert made.version == version
        else:
            with pytest.raises(ConfigError, match=r"prompt\.md"):
                PromptBuilder(vocabulary, history_tokens=200, max_output_tokens=100, file=file)
