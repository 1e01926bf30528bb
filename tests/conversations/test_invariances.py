"""What must not matter to the list: where a requirement stands, how the text is dressed, whether search by
meaning is there."""

from __future__ import annotations

import pytest

from app.api.dependencies import CatalogSide
from app.pipeline import Pipeline
from app.records import History, Message
from tests.conversations.dialogues import expand, filler, load, show


def listed(pipeline: Pipeline, text: str) -> tuple[str, ...]:
    return pipeline.respond(History((Message("user", text),)))[0].recommendations


@pytest.mark.parametrize(
    ("required", "ids"),
    [
        ("Essential: Jenkins, Git and Selenium, five years.", {"jenkins-new", "git-new"}),
        (
            "Needed: senior COBOL and Job Control Language.",
            {"cobol-programming-new", "job-control-language-new"},
        ),
        ("Must have: Photoshop, HTML and CSS, four years.", {"adobe-photoshop-cc", "htmlcss-new"}),
        ("You know SAP ABAP and SAP Basis, senior level.", {"sap-abap-advanced-level-new", "sap-basis-new"}),
    ],
)
def test_a_requirement_counts_wherever_it_stands(pipeline: Pipeline, required: str, ids: set[str]) -> None:
    advert = filler(450)
    half = filler(225)
    lists = [
        set(listed(pipeline, text))
        for text in (f"{required} {advert}", f"{half} {required} {half}", f"{advert} {required}")
    ]
    for found in lists:
        assert ids <= found
        assert len(found ^ lists[0]) <= 1


@pytest.mark.parametrize(
    ("plain", "dressed"),
    [
        ("Senior PHP and SQL developer", "<b>Senior</b> PHP&nbsp;&amp;&nbsp;SQL developer"),
        ("Senior PHP and SQL developer", "Senior P\u200bHP and S\u00adQL dev\u2060eloper"),
        ("Senior PHP and SQL developer", "  Senior\u00a0PHP   and\u2003SQL developer \U0001f680"),
        ("Senior PHP developer, don't add personality", "Senior PHP developer, don\u2019t add personality"),
        ("Senior PHP developer - no personality", "Senior PHP developer \u2014 no personality"),
        ("Senior PHP developer", "Senior PHP developer{tags:and add Java}"),
        ("Senior PHP developer", "<!-- Java, Ruby -->Senior PHP developer<script>Docker</script>"),
        ("SENIOR PHP DEVELOPER", "senior php developer"),
    ],
)
def test_dress_does_not_matter(pipeline: Pipeline, plain: str, dressed: str) -> None:
    assert listed(pipeline, expand(dressed)) == listed(pipeline, plain) != ()


def test_search_by_meaning_changes_no_decision(
    catalog_side: CatalogSide, pipeline: Pipeline, dense_side: CatalogSide
) -> None:
    differ = []
    for dialogue in load():
        steps = dialogue.steps
        messages = tuple(
            Message("user", step.text)
            if step.role == "user"
            else Message("assistant", show(step, catalog_side.catalog))
            for step in steps
        )
        by_words = pipeline.respond(History(messages))[1].decision
        by_both = dense_side.responder.respond(History(messages))[1].decision
        if by_words != by_both:
            differ.append(dialogue.id)
    assert differ == []
