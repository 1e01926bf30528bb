"""A list that stands, after edits and new facts."""

from __future__ import annotations

from typing import Any

import pytest

from app.catalog import TestType
from app.records import Act, Edits, Limits, Seniority
from tests.unit.app.assembly.conftest import Assemble
from tests.unit.app.assembly.needs import (
    DOCKER,
    JAVA,
    JAVA_ENTRY,
    JAVA_LIST,
    KUBERNETES,
    LIST,
    MOTIVATION,
    REASONING,
    REPORT,
    SQL,
    TRAITS,
    wishes,
)


def without(*ids: str) -> tuple[str, ...]:
    return tuple(id_ for id_ in LIST if id_ not in ids)


@pytest.mark.parametrize(
    ("edits", "facts", "ids"),
    [
        ({"drop": (SQL,)}, {"dropped": frozenset({SQL})}, without(SQL)),
        ({"add": (MOTIVATION,)}, {"added": (MOTIVATION,)}, (*LIST, MOTIVATION)),
        ({"add": (SQL,)}, {}, LIST),
        (
            {"add_skills": ("kubernetes",)},
            {"skills": wishes("java", "sql", "docker", "kubernetes")},
            (*LIST, KUBERNETES),
        ),
        ({"only": (SQL, TRAITS)}, {}, (SQL, TRAITS)),
        ({"drop": (DOCKER,), "add": (MOTIVATION,)}, {"added": (MOTIVATION,)}, (*without(DOCKER), MOTIVATION)),
        ({"add": (REPORT,)}, {"added": (REPORT,)}, (*LIST, REPORT)),
        ({"keep": (SQL,)}, {}, LIST),
    ],
)
def test_an_edit_changes_what_it_names_and_nothing_else(
    assemble: Assemble, edits: dict[str, Any], facts: dict[str, Any], ids: tuple[str, ...]
) -> None:
    found = assemble(Act.REFINE, edits=Edits(**edits), **(JAVA_LIST | facts))
    assert found.ids == ids
    assert set(found.added) == set(ids) - set(LIST)
    assert set(found.dropped) == set(LIST) - set(ids)


@pytest.mark.parametrize(("shorter", "said"), [(False, "no assessment"), (True, "no shorter assessment")])
def test_what_has_no_substitute_is_kept_and_that_is_said(
    assemble: Assemble, shorter: bool, said: str
) -> None:
    found = assemble(Act.REFINE, edits=Edits(replace=(TRAITS,), shorter=shorter), **JAVA_LIST)
    assert found.ids == LIST
    assert [said in note for note in found.notes] == [True]


def test_a_substitute_is_a_test_of_the_same_subject_for_the_same_level(assemble: Assemble) -> None:
    """Not the entry test for experienced people, and nothing that only shares a broader field."""
    facts = JAVA_LIST | {"seniority": Seniority.SENIOR}
    found = assemble(Act.REFINE, edits=Edits(replace=(JAVA, SQL)), **facts)
    assert found.dropped == (JAVA,)
    assert found.added == ("java-8-new",)
    assert [note.split(":")[0] for note in found.notes] == ["I kept SQL (New)"]


def test_what_is_not_on_the_list_cannot_be_replaced(assemble: Assemble) -> None:
    found = assemble(Act.REFINE, edits=Edits(replace=(MOTIVATION,)), **JAVA_LIST)
    assert (found.ids, found.notes) == (LIST, ())


def test_a_new_level_swaps_the_variant_in(assemble: Assemble) -> None:
    found = assemble(Act.REFINE, new_facts=True, seniority=Seniority.ENTRY, **JAVA_LIST)
    assert (found.added, found.dropped) == ((JAVA_ENTRY,), (JAVA,))


@pytest.mark.parametrize("held", [{"added": (JAVA,)}, {"edits": Edits(keep=(JAVA,))}])
def test_a_variant_that_was_named_or_kept_stays_at_any_level(
    assemble: Assemble, held: dict[str, Any]
) -> None:
    found = assemble(Act.REFINE, new_facts=True, seniority=Seniority.ENTRY, **(JAVA_LIST | held))
    assert found.ids == LIST


@pytest.mark.parametrize(
    ("limits", "out", "said"),
    [
        (Limits(minutes_each=20), {REASONING, TRAITS}, "it takes longer than 20 minutes for each test"),
        (Limits(adaptive=False), {REASONING}, "it does not meet the limit you set"),
        (
            Limits(languages=("Spanish",), catalogue_languages=(("Spanish*",),)),
            {JAVA, SQL, DOCKER},
            "it is not offered in Spanish",
        ),
        (Limits(minutes_each=36), set(), ""),
    ],
)
def test_a_new_limit_takes_out_what_breaks_it_and_says_so(
    assemble: Assemble, limits: Limits, out: set[str], said: str
) -> None:
    found = assemble(Act.REFINE, new_facts=True, limits=limits, **JAVA_LIST)
    assert set(found.dropped) == out
    assert len(found.notes) == len(out)
    assert all(said in note for note in found.notes)


def test_a_kind_not_wanted_later_does_not_take_out_what_stands(assemble: Assemble) -> None:
    unwanted = frozenset({TestType.SIMULATION})
    assert assemble(Act.REFINE, new_facts=True, unwanted_types=unwanted, **JAVA_LIST).ids == LIST


@pytest.mark.parametrize(("undo_to", "ids", "told"), [((SQL,), (SQL,), 0), ((), LIST, 1)])
def test_undo_goes_back_or_says_that_it_cannot(
    assemble: Assemble, undo_to: tuple[str, ...], ids: tuple[str, ...], told: int
) -> None:
    found = assemble(Act.REFINE, edits=Edits(undo=True), undo_to=undo_to, **JAVA_LIST)
    assert found.ids == ids
    assert len(found.notes) == told


def test_a_list_turned_down_does_not_come_back(assemble: Assemble) -> None:
    found = assemble(Act.REFINE, rejects=True, **JAVA_LIST)
    assert found.ids
    assert not set(found.ids) & set(LIST)


def test_what_was_added_by_name_outlives_a_rejection(assemble: Assemble) -> None:
    assert DOCKER in assemble(Act.REFINE, rejects=True, added=(DOCKER,), **JAVA_LIST).ids


def test_another_job_builds_anew(assemble: Assemble) -> None:
    found = assemble(Act.REFINE, new_aim=True, families=("electrician",), standing=LIST)
    assert "mechanical-focus-8-0" in found.ids
    assert not set(found.ids) & set(LIST)


def test_a_further_job_is_added_to_what_stands(assemble: Assemble) -> None:
    found = assemble(Act.REFINE, edits=Edits(add_families=("electrician",)), **JAVA_LIST)  # type: ignore[arg-type]
    assert found.ids[: len(LIST)] == LIST
    assert "mechanical-focus-8-0" in found.added


@pytest.mark.parametrize("act", [Act.COMPARE, Act.CONFIRM, Act.REFUSE])
def test_questions_refusals_and_acceptance_leave_the_list_as_it_is(assemble: Assemble, act: Act) -> None:
    found = assemble(act, seniority=Seniority.ENTRY, limits=Limits(minutes_each=5), **JAVA_LIST)
    assert (found.ids, found.added, found.dropped) == (LIST, (), ())


def test_acceptance_with_a_last_edit_applies_it(assemble: Assemble) -> None:
    found = assemble(Act.CONFIRM, edits=Edits(drop=(SQL,)), dropped=frozenset({SQL}), **JAVA_LIST)
    assert found.dropped == (SQL,)


def test_a_new_accent_brings_its_spoken_test(assemble: Assemble) -> None:
    standing = ("contact-center-call-simulation-new",)
    facts = {"families": ("inbound_agent",), "standing": standing, "spoken_language": "English"}
    found = assemble(Act.REFINE, new_facts=True, accent="UK", **facts)
    assert found.added == ("svar-spoken-english-u-k",)
