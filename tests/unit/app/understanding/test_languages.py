"""Which language a message is in, and what the languages it names are for."""

from __future__ import annotations

import pytest

from app.understanding.reading import Reader
from tests.unit.app.understanding.talk import Talk


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("We need a test for the people in our warehouse", "en"),
        ("Wir suchen einen Test für die Leute in unserem Lager", "de"),
        ("Necesitamos una prueba para la gente de nuestro almacén", "es"),
        ("Nous cherchons un test pour les gens de notre entrepôt", "fr"),
        ("Precisamos de um teste para as pessoas do nosso armazém", "pt"),
        ("हमें गोदाम के लिए एक परीक्षा चाहिए", "hi"),
        ("danke sehr", "en"),
        ("SQL Docker Python Kubernetes", "en"),
    ],
)
def test_the_language_a_message_is_written_in(reader: Reader, text: str, code: str) -> None:
    assert reader.read(text).reply_language == code


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("The tests have to be in Spanish", [("Spanish", "test")]),
        ("Is there a German version of it?", [("German", "test")]),
        ("Agents take calls in French", [("French", "spoken")]),
        ("Agents speak English on the phone", [("English", "spoken")]),
        ("Mostly Spanish speakers apply", [("Spanish", "native")]),
        ("German-speaking applicants", [("German", "native")]),
        ("The tests in Spanish and French", [("Spanish", "test"), ("French", "test")]),
        ("Spanish and French speakers", [("Spanish", "native"), ("French", "native")]),
        ("Polish speakers", [("Polish", "native")]),
        ("Please polish the wording", []),
        ("They speak English, so English is fine", [("English", "known"), ("English", "known")]),
        ("No French needed", []),
        ("They don't need any French", []),
        ("They need spoken French", [("French", "spoken")]),
        ("Add SVAR - Spoken English (US) (New)", []),
    ],
)
def test_what_a_language_is_named_for(reader: Reader, text: str, uses: list[tuple[str, str]]) -> None:
    assert [(m.language, m.use) for m in reader.read(text).languages] == uses


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("Warehouse pickers, tests in Spanish please", ("Spanish",)),
        ("Warehouse pickers, tests in Spanish, also in French please", ("Spanish", "French")),
        ("Warehouse pickers, tests in Spanish and French", ("Spanish", "French")),
        ("Warehouse pickers, tests in Spanish or French", ("Spanish or French",)),
        ("Warehouse pickers", ()),
    ],
)
def test_test_languages_become_limits(talk: Talk, text: str, languages: tuple[str, ...]) -> None:
    limits = talk.says(text).limits
    assert set(limits.languages) == set(languages)
    assert bool(limits.catalogue_languages) is bool(languages)


@pytest.mark.parametrize(
    ("message", "limited"),
    [
        ("Add the typing test in Arabic.", False),
        ("Add a typing test, and all of it in Arabic.", True),
        ("The tests have to be in Arabic.", True),
    ],
)
def test_the_language_of_one_added_test_is_no_limit_of_the_list(
    talk: Talk, message: str, limited: bool
) -> None:
    assert (talk.on_list(message).limits.languages == ("Arabic",)) is limited


def test_english_for_knowledge_tests_lifts_the_language_limit(talk: Talk) -> None:
    found = talk.says("A Java developer, tests in Spanish", "Is English fine?", "English is fine for those")
    assert found.limits.language_lifted
    assert not talk.says("A Java developer, tests in Spanish").limits.language_lifted


def test_spoken_language_and_accent_are_kept_apart(talk: Talk) -> None:
    found = talk.says("Call centre agents who take calls in English from British customers")
    assert (found.spoken_language, found.accent) == ("English", "UK")
    assert found.limits.languages == ()
