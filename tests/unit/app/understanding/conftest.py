"""Readers over the real vocabulary, built once."""

from __future__ import annotations

import pytest

from app.api.dependencies import CatalogSide
from app.pipeline import Pipeline
from app.understanding.lexicon import Lexicon
from app.understanding.reading import Reader
from app.understanding.spelling import Speller
from tests.unit.app.understanding.talk import Talk


@pytest.fixture(scope="session")
def lexicon(catalog_side: CatalogSide) -> Lexicon:
    assert isinstance(catalog_side.responder, Pipeline)
    return catalog_side.responder.understander._lexicon  # type: ignore[attr-defined]  # loading takes seconds


@pytest.fixture(scope="session")
def reader(lexicon: Lexicon) -> Reader:
    return Reader(lexicon)


@pytest.fixture(scope="session")
def speller(lexicon: Lexicon) -> Speller:
    return Speller(lexicon)


@pytest.fixture(scope="session")
def talk(catalog_side: CatalogSide) -> Talk:
    return Talk(catalog_side)
