"""Cleaning and matching forms: total, stable, aligned."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.pipeline import Pipeline
from app.records import History, Message
from app.understanding.phrases import PhraseIndex
from app.understanding.text import clean, fold, pattern, prepare, words

_ANY = st.text(st.characters(codec=None), max_size=60)  # lone surrogates included
_MARKUP = st.sampled_from([
    "<script>", "</script>", "<style>", "<!--", "-->", "<p>", "</li>", "<br/>", "< 5", "&amp;", "&nbsp;",
    "&#43;", "&#x0;", "&amp;lt;b&amp;gt;", "&lt;b&gt;", "\u00ad", "\u200b", "\u202e", "\U000e0041",
    "\ud83d", "\udfff", "\uff21\uff22", "ﬁ", "½", "İ", "ß", "Ⅷ", "\u2028", "\r\n", "\t", "\v", "—", "–",
    " - ", "--", "“", "’", "«", "…", "•", "C++", "C#", ".NET", "Node.js", "R&D", "Сава", "С++", "\u0301",
])  # fmt: skip
_TEXTS = st.one_of(_ANY, st.lists(st.one_of(_MARKUP, st.text(max_size=6)), max_size=14).map("".join))
_LIMITS = settings(max_examples=400, deadline=None, derandomize=True)


@_LIMITS
@given(_TEXTS)
def test_cleaning_never_fails_and_can_be_encoded(text: str) -> None:
    clean(text).encode("utf-8")


@_LIMITS
@given(_TEXTS)
def test_cleaned_text_holds_no_invisible_characters(text: str) -> None:
    hidden = [
        char for char in clean(text) if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs")
    ]
    assert hidden == []


@_LIMITS
@given(_TEXTS)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = clean(text)
    if "<" in once or "&" in once:
        return  # markup that was written as text: cleaning it again would rightly read it as markup
    assert clean(once) == once


@_LIMITS
@given(_TEXTS)
def test_matching_form_is_aligned_character_for_character(text: str) -> None:
    prepared = prepare(text)
    assert len(prepared.plain) == len(prepared.folded)
    assert fold(prepared.plain) == prepared.folded
    assert "  " not in prepared.folded


@_LIMITS
@given(_TEXTS)
def test_folding_keeps_length_and_is_stable(text: str) -> None:
    once = fold(text)
    assert len(once) == len(text)
    assert fold(once) == once


@_LIMITS
@given(_TEXTS)
def test_words_are_not_empty_and_have_no_space(text: str) -> None:
    for word in words(text):
        assert word
        assert word == word.strip()
        assert " " not in word


@_LIMITS
@given(
    before=st.text("abc ,.;\n", max_size=8),
    phrase=st.sampled_from(["night shift", "c++", "node.js", "r&d", "éclair"]),
    after=st.text("abc ,;\n", max_size=8),
)
def test_a_phrase_is_found_where_it_stands(before: str, phrase: str, after: str) -> None:
    index = PhraseIndex({phrase: phrase})
    prepared = prepare(f"{before} {phrase.upper()} {after}")
    matches = index.find(prepared.folded)
    assert [match.value for match in matches] == [phrase]
    for match in matches:
        assert prepared.folded[match.start : match.end] == pattern(phrase)


class _Understander:
    """Hypothesis writes out every argument of a test: this one is short."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.understand = pipeline.understander.understand


@pytest.fixture(scope="session")
def understander(pipeline: Pipeline) -> _Understander:
    return _Understander(pipeline)


@_LIMITS
@given(texts=st.lists(_TEXTS, min_size=1, max_size=3))
def test_understanding_never_fails(understander: _Understander, texts: list[str]) -> None:
    roles = ("user", "assistant", "user")
    history = History(tuple(Message(role, text) for role, text in zip(roles, texts, strict=False)))  # type: ignore[arg-type]
    assert understander.understand(history) == understander.understand(history)
