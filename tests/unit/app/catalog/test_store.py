"""Loading the catalogue file and looking assessments up."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Assessment, AssessmentId, Catalog, Duration, Level, TestType, load_catalog
from app.catalog.models import LEVEL_LABELS, TYPE_LABELS
from app.errors import CatalogError

FIELDS = [field.name for field in dataclasses.fields(Assessment)]


def a_row(assessment_id: str = "alpha", **changes: Any) -> dict[str, Any]:
    row = {
        "id": assessment_id,
        "entity_id": "17",
        "name": assessment_id.title(),
        "url": f"https://www.shl.com/products/product-catalog/view/{assessment_id}/",
        "types": ["S", "K"],
        "minutes": 25,
        "duration": "untimed",
        "levels": ["entry", "mid"],
        "languages": ["Thai", "English (USA)"],
        "remote": True,
        "adaptive": False,
    }
    return row | changes


def an_assessment(assessment_id: str) -> Assessment:
    return Assessment(
        id=AssessmentId(assessment_id),
        entity_id="17",
        name="",
        url="",
        types=(),
        minutes=None,
        duration=Duration.EMPTY,
        levels=(),
        languages=(),
        remote=True,
        adaptive=False,
    )


def written(folder: Path, content: object) -> Path:
    path = folder / "catalog.json"
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def test_loads_every_field_as_its_type(tmp_path: Path) -> None:
    assessment = load_catalog(written(tmp_path, [a_row()]))["alpha"]
    assert assessment == Assessment(
        id=AssessmentId("alpha"),
        entity_id="17",
        name="Alpha",
        url="https://www.shl.com/products/product-catalog/view/alpha/",
        types=(TestType.SIMULATION, TestType.KNOWLEDGE),
        minutes=25,
        duration=Duration.UNTIMED,
        levels=(Level.ENTRY, Level.MID),
        languages=("Thai", "English (USA)"),
        remote=True,
        adaptive=False,
    )
    assert isinstance(assessment.types[0], TestType)
    assert isinstance(assessment.levels[0], Level)
    assert isinstance(assessment.duration, Duration)


def test_joins_the_type_letters_in_the_order_given(tmp_path: Path) -> None:
    assert load_catalog(written(tmp_path, [a_row()]))["alpha"].test_type == "S,K"


@pytest.mark.parametrize("duration", list(Duration))
def test_loads_every_kind_of_duration(tmp_path: Path, duration: Duration) -> None:
    path = written(tmp_path, [a_row(duration=duration.value, minutes=None)])
    assert load_catalog(path)["alpha"].duration is duration


def test_iterates_in_id_order_whatever_the_file_has(tmp_path: Path) -> None:
    catalog = load_catalog(written(tmp_path, [a_row("b"), a_row("c"), a_row("a")]))
    assert [assessment.id for assessment in catalog] == ["a", "b", "c"]
    assert catalog.ids == ("a", "b", "c")
    assert len(catalog) == 3


def test_finds_a_known_id_only() -> None:
    catalog = Catalog([an_assessment("alpha")])
    assert "alpha" in catalog
    assert "Alpha" not in catalog
    assert None not in catalog
    assert catalog.get("alpha") is catalog["alpha"]
    assert catalog.get("beta") is None
    with pytest.raises(KeyError, match="beta"):
        catalog["beta"]


def test_refuses_an_id_that_occurs_twice() -> None:
    with pytest.raises(CatalogError, match="'b' twice"):
        Catalog(an_assessment(letter) for letter in "bacb")


def test_refuses_an_empty_catalogue(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"empty: run scripts/build_catalog\.py"):
        load_catalog(written(tmp_path, []))


def test_says_what_to_run_when_the_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"is missing: run scripts/build_catalog\.py"):
        load_catalog(tmp_path / "catalog.json")


@pytest.mark.parametrize("text", ["", "[{", "<html>"])
def test_names_a_file_that_is_not_json(tmp_path: Path, text: str) -> None:
    with pytest.raises(CatalogError, match=r"catalog\.json cannot be read"):
        load_catalog(written(tmp_path, text))


def test_names_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "catalog.json"
    path.write_bytes(b'["\xe9"]')
    with pytest.raises(CatalogError, match="cannot be read"):
        load_catalog(path)


def test_names_a_path_that_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="cannot be read"):
        load_catalog(tmp_path)


@pytest.mark.parametrize("content", [{}, None, 1], ids=str)
def test_refuses_anything_but_an_array(tmp_path: Path, content: object) -> None:
    with pytest.raises(CatalogError, match="JSON array"):
        load_catalog(written(tmp_path, content or "null"))


@pytest.mark.parametrize("field", FIELDS)
def test_names_the_row_and_the_field_that_is_missing(tmp_path: Path, field: str) -> None:
    broken = a_row("beta")
    del broken[field]
    with pytest.raises(CatalogError, match=f"row 2: KeyError.*'{field}'"):
        load_catalog(written(tmp_path, [a_row(), broken]))


@pytest.mark.parametrize(
    "changes",
    [
        {"types": ["X"]},
        {"types": None},
        {"levels": ["wizard"]},
        {"duration": "soon"},
        {"languages": None},
    ],
    ids=str,
)
def test_names_the_row_with_an_unknown_value(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(CatalogError, match="row 2: "):
        load_catalog(written(tmp_path, [a_row(), a_row("beta", **changes)]))


@pytest.mark.parametrize("row", [None, 1, "text", ["a"]], ids=str)
def test_names_a_row_that_is_not_an_object(tmp_path: Path, row: object) -> None:
    with pytest.raises(CatalogError, match="row 1: "):
        load_catalog(written(tmp_path, [row]))


def test_has_a_label_for_every_type_and_level() -> None:
    assert set(TYPE_LABELS) == set(TestType)
    assert set(LEVEL_LABELS) == set(Level)


def test_an_assessment_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        an_assessment("alpha").name = "other"  # type: ignore[misc]


# --- the catalogue in the repository ---


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(Path(__file__).parents[4] / "data" / "catalog.json")


def test_the_catalogue_holds_every_assessment_and_no_job_solution(catalog: Catalog) -> None:
    assert len(catalog) == 370
    assert not [item.name for item in catalog if "Solution" in item.name.split()]


def test_ids_are_the_slugs_of_distinct_addresses(catalog: Catalog) -> None:
    assert all(item.url.rstrip("/").endswith("/" + item.id) for item in catalog)
    assert len({item.url for item in catalog}) == len({item.entity_id for item in catalog}) == 370


def test_every_assessment_has_a_clean_name_and_distinct_types(catalog: Catalog) -> None:
    for item in catalog:
        assert item.name
        assert item.name == " ".join(item.name.split())
        assert item.types
        assert len(set(item.types)) == len(item.types)


def test_minutes_come_with_the_kinds_that_have_a_number(catalog: Catalog) -> None:
    for item in catalog:
        if item.duration in (Duration.STATED, Duration.CEILING):
            assert item.minutes
        elif item.duration is not Duration.UNTIMED:
            assert item.minutes is None


@pytest.mark.parametrize(
    ("assessment_id", "minutes", "duration"),
    [
        ("hipaa-security", 15, Duration.STATED),
        ("occupational-personality-questionnaire-opq32r", 25, Duration.UNTIMED),
        ("graduate-scenarios", None, Duration.UNTIMED),
        ("smart-interview-live-coding", None, Duration.VARIABLE),
        ("sonarqube-new", None, Duration.TO_BE_CONFIRMED),
        ("english-comprehension-new", None, Duration.ZERO),
    ],
)
def test_odd_times_are_told_apart(
    catalog: Catalog, assessment_id: str, minutes: int | None, duration: Duration
) -> None:
    assert (catalog[assessment_id].minutes, catalog[assessment_id].duration) == (minutes, duration)


def test_the_name_that_lost_a_word_has_it_back(catalog: Catalog) -> None:
    assert catalog["microsoft-excel-365-new"].name == "Microsoft Excel 365 (New)"
