"""Every assessment can be put on a list and taken off again by the name that the catalogue gives it."""

from __future__ import annotations

import pytest

from app.api.dependencies import CatalogSide
from app.pipeline import Pipeline
from app.records import History, Message

OPENER = "Accountant, mid level, selection"


def say(pipeline: Pipeline, history: tuple[Message, ...], text: str) -> tuple[tuple[Message, ...], set[str]]:
    asked = (*history, Message("user", text))
    reply, _ = pipeline.respond(History(asked))
    return (*asked, Message("assistant", reply.text)), set(reply.recommendations)


@pytest.mark.parametrize("written", ["{}", '"{}"'])
def test_add_and_remove_do_what_they_name_and_nothing_else(
    catalog_side: CatalogSide, pipeline: Pipeline, written: str
) -> None:
    """But for a report, which brings its instrument; and an instrument, which takes its reports along."""
    entries = catalog_side.knowledge.entries
    opened, listed = say(pipeline, (), OPENER)
    wrong: list[str] = []
    for assessment in catalog_side.catalog:
        if assessment.id in listed:
            continue
        name = written.format(assessment.name)
        added, more = say(pipeline, opened, f"Please add {name}.")
        if more - (set(entries[assessment.id].instruments) - listed) != listed | {assessment.id}:
            wrong.append(f"add {name}")
        _, fewer = say(pipeline, added, f"Please remove {name}.")
        gone = more - fewer
        bound = {i for i in gone if set(entries[i].instruments) & gone} | set(
            entries[assessment.id].instruments
        )
        if assessment.id not in gone or gone - bound - {assessment.id} or fewer - more:
            wrong.append(f"remove {name}")
    assert wrong == []
