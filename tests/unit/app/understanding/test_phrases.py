"""Finding phrases: the longest one, on the borders of words."""

from __future__ import annotations

import pytest

from app.understanding.forms import plural
from app.understanding.mentions import Kind
from app.understanding.phrases import Match, PhraseIndex, longest
from app.understanding.reading import Reader
from app.understanding.text import fold

INDEX = PhraseIndex({
    word: word
    for word in ("java", "javascript", "java beans", "beans talk", "c", "c++", "c#", "net", ".net", "node.js", "r&d", "asp")
})  # fmt: skip


def found(text: str) -> list[str]:
    return [match.value for match in INDEX.find(fold(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Java", ["java"]),
        ("JavaScript", ["javascript"]),
        ("javas", []),
        ("Java/JavaScript", ["java", "javascript"]),
        ("C, C++ and C#", ["c", "c++", "c#"]),
        ("c+++", []),
        (".NET", [".net"]),
        ("node.jsx", []),
        ("Java.Then more", ["java"]),
        ("node.js", ["node.js"]),
        ("R&D", ["r&d"]),
        ("#java @java", []),
        ("(java)", ["java"]),
        ("java_beans", ["java beans"]),
    ],
)
def test_a_phrase_counts_only_as_words_of_its_own(text: str, expected: list[str]) -> None:
    assert found(text) == expected


def test_the_longest_phrase_wins_and_then_the_leftmost() -> None:
    assert found("java beans talk") == ["java beans"]
    matches = [Match(0, 4, "left", ""), Match(3, 9, "long", ""), Match(10, 12, "free", "")]
    assert [match.value for match in longest(matches)] == ["long", "free"]


def test_a_later_spelling_of_the_same_phrase_is_ignored() -> None:
    index = PhraseIndex({"Night-Shift": "first", "night shift": "second"})
    assert [match.value for match in index.find("night shift")] == ["first"]


def test_an_empty_index_finds_nothing() -> None:
    assert PhraseIndex({}).find("anything") == []
    assert "anything" not in PhraseIndex({})


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("welder", ["welders"]),
        ("secretary", ["secretaries"]),
        ("pathway", ["pathways"]),
        ("salesman", ["salesmen"]),
        ("coach", ["coaches"]),
        ("boss", ["bosses"]),
        ("sales", []),
        ("c++", []),
    ],
)
def test_plurals_are_regular(form: str, expected: list[str]) -> None:
    assert plural(form) == expected


def ids(reader: Reader, text: str, kind: Kind, context: str = "") -> list[str]:
    return [mention.ids[0] for mention in reader.read(text, context).mentions if mention.kind is kind]


@pytest.mark.parametrize(
    ("text", "skills"),
    [
        ("She writes Java all day", ["java"]),
        ("He writes JavaScript all day", ["javascript"]),
        ("They must know C# well", ["csharp"]),
        ("They must know C++ well", ["cpp"]),
        ("We program in R and Python", ["r_language", "python"]),
        ("They go to the shop with a spark of joy", []),
        ("the rest of the word is up to you", []),
    ],
)
def test_skills_are_told_from_everyday_words(reader: Reader, text: str, skills: list[str]) -> None:
    assert ids(reader, text, Kind.SKILL) == skills


@pytest.mark.parametrize(
    ("text", "families"),
    [
        ("a bookkeeper for the shop", ["bookkeeper"]),
        ("three electricians", ["electrician"]),
        ("they report to our electrician", []),
    ],
)
def test_roles_are_the_people_to_be_tested(reader: Reader, text: str, families: list[str]) -> None:
    assert ids(reader, text, Kind.ROLE) == families


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("is the OPQ32r long", "occupational-personality-questionnaire-opq32r"),
        ("add Verify Interactive G+", "shl-verify-interactive-g"),
        ("add docker (new) please", "docker-new"),
    ],
)
def test_products_are_known_by_name_and_nickname(reader: Reader, text: str, id_: str) -> None:
    assert ids(reader, text, Kind.NAME) == [id_]
