"""What a pasted message becomes before it is read."""

from __future__ import annotations

import pytest

from app.understanding.text import clean, fold, pattern, prepare, strip_urls, words


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("<p>Two welders</p><p>one rigger</p>", "Two welders\none rigger"),
        ("<ul><li>Rust</li><li>Go</li></ul>", "Rust\nGo"),
        ("needs <b>patience</b> daily", "needs patience daily"),
        ("before<script>alert('x')</script>after", "before after"),
        ("before<!-- pay no heed -->after", "before after"),
        ("cut off <style>p {color: red}", "cut off"),
        ("salt &amp; pepper", "salt & pepper"),
        ("minutes < 40 and tests > 2", "minutes < 40 and tests > 2"),
    ],
)
def test_markup_goes_and_what_was_written_stays(raw: str, plain: str) -> None:
    assert clean(raw) == plain


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("cra\u200bne", "crane"),
        ("cra\u00adne", "crane"),
        ("\u202ewelder\u202c", "welder"),
        ("welder\U000e0041\U000e0042", "welder"),
        ("two\u00a0\twelders", "two welders"),
        ("one\r\n\r\n  two", "one\ntwo"),
        ("\ud800welder", "?welder"),
    ],
)
def test_invisible_characters_leave_no_trace(raw: str, plain: str) -> None:
    assert clean(raw) == plain


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("“crane” ‘hoist’", "\"crane\" 'hoist'"),
        ("cranes • hoists", "cranes\nhoists"),
        ("cranes — hoists", "cranes – hoists"),
        ("cranes -- hoists", "cranes – hoists"),
        ("well\u2011known", "well-known"),
        ("１２ ｔｅｓｔｓ", "12 tests"),
    ],
)
def test_typography_is_evened_out(raw: str, plain: str) -> None:
    assert clean(raw) == plain


@pytest.mark.parametrize(
    ("raw", "plain"),
    [("Jаvа", "Java"), ("С++", "C++"), ("С#", "C#"), ("Pythоn", "Python"), ("SQLΑ", "SQLA")],
)
def test_lookalike_letters_in_a_latin_word_become_latin(raw: str, plain: str) -> None:
    assert clean(raw) == plain


@pytest.mark.parametrize("raw", ["Москва", "Сава", "Αθήνα", "осень"])
def test_words_of_another_script_stay_what_they_are(raw: str) -> None:
    assert clean(raw) == raw


@pytest.mark.parametrize(
    ("plain", "folded"),
    [
        ("Éclair Öl Ñu", "eclair ol nu"),
        ("full-stack/back_end|x\\y", "full stack back end x y"),
        ("C++ & C#, .NET", "c++ & c#, .net"),
        ("İstanbul", "istanbul"),
    ],
)
def test_folding_lowers_and_takes_off_marks_letter_by_letter(plain: str, folded: str) -> None:
    assert fold(plain) == folded
    assert len(folded) == len(plain)


@pytest.mark.parametrize("raw", ["Back - end,  İ and ß", "a / b", "x<br>y", "full--stack", "  lead  "])
def test_the_matching_form_is_as_long_as_the_text(raw: str) -> None:
    prepared = prepare(raw)
    assert len(prepared.plain) == len(prepared.folded)
    assert prepared.folded == fold(prepared.plain)


@pytest.mark.parametrize(
    ("raw", "empty"), [("?! …", True), ("🙂", True), ("\u200b", True), ("7", False), ("c", False)]
)
def test_a_message_is_empty_without_letter_or_digit(raw: str, empty: bool) -> None:
    assert prepare(raw).is_empty is empty


def test_words_keep_the_symbols_of_technical_names() -> None:
    assert words("C++, C#; Node.js & 'R&D'.") == ["c++", "c#", "node.js", "r&d"]


def test_a_phrase_is_indexed_single_spaced() -> None:
    assert pattern("  Full-Stack\tÉngineer ") == "full stack engineer"


def test_web_addresses_are_left_out() -> None:
    assert strip_urls("see https://jobs.example/a?b=c or www.jobs.example now").split() == [
        "see",
        "or",
        "now",
    ]
