"""Where sentences end, and which of them ask."""

from __future__ import annotations

import pytest

from app.understanding.reading import Reader
from app.understanding.sentences import SentenceKind


def parts(reader: Reader, raw: str) -> list[str]:
    reading = reader.read(raw)
    return [reading.text.plain[s.start : s.end].strip() for s in reading.sentences]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Two welders. One rigger.", ["Two welders", "One rigger"]),
        ("Welders!\nRiggers; cranes?", ["Welders", "Riggers", "cranes"]),
        ("Node.js and ASP.NET daily", ["Node.js and ASP.NET daily"]),
        ("Welders, riggers and divers", ["Welders, riggers and divers"]),
        ("Welders – not riggers", ["Welders", "not riggers"]),
        ("..! \n ?", []),
    ],
)
def test_sentences_end_at_marks_and_lines_not_inside_words(
    reader: Reader, raw: str, expected: list[str]
) -> None:
    assert parts(reader, raw) == expected


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ("We test welders on site.", SentenceKind.STATEMENT),
        ("How long does the SQL test take?", SentenceKind.QUESTION),
        ("Is the SQL test timed", SentenceKind.QUESTION),
        ("The SQL test is timed?", SentenceKind.QUESTION),
        ("How long is the SQL test", SentenceKind.QUESTION),
        ("What is the SQL test about", SentenceKind.QUESTION),
        ("Compare SQL with Docker.", SentenceKind.QUESTION),
        ("Please explain the SQL test.", SentenceKind.QUESTION),
        ("Compare candidates on SQL.", SentenceKind.STATEMENT),
        ("We compare SQL developers.", SentenceKind.STATEMENT),
        ("Can you add SQL?", SentenceKind.REQUEST),
        ("Could you drop the Docker test", SentenceKind.REQUEST),
        ("Should we also add a SQL test?", SentenceKind.ADVICE),
        ("Do add SQL.", SentenceKind.STATEMENT),
        ("Add SQL.", SentenceKind.STATEMENT),
    ],
)
def test_a_sentence_states_asks_requests_or_seeks_advice(
    reader: Reader, raw: str, kind: SentenceKind
) -> None:
    assert [sentence.kind for sentence in reader.read(raw).sentences] == [kind]


@pytest.mark.parametrize(("raw", "heading"), [("Nice to have:", True), ("Nice to have: SQL", False)])
def test_a_heading_ends_with_a_colon(reader: Reader, raw: str, heading: bool) -> None:
    assert reader.read(raw).sentences[0].heading is heading


def test_a_product_name_is_never_cut(reader: Reader) -> None:
    assert parts(reader, "Please use SVAR - Spoken English (US) (New) here") == [
        "Please use SVAR – Spoken English (US) (New) here"
    ]
