"""GET /assessments."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from app.api.catalog import speaks
from tests.doubles import ESCAPED_ID


async def ids(client: httpx.AsyncClient, **query: Any) -> list[str]:
    answer = await client.get("/assessments", params=query)
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


async def test_pages_add_up_to_everything_once(client: httpx.AsyncClient) -> None:
    pages = [await ids(client, limit=5, offset=offset) for offset in (0, 5, 10, 15)]
    assert [len(page) for page in pages] == [5, 5, 2, 0]
    assert len({assessment_id for page in pages for assessment_id in page}) == 12
    assert (await client.get("/assessments?limit=1")).json()["total"] == 12


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"type": "P"}, ["traits"]),
        ({"type": ["P", "A"]}, ["reasoning", "traits"]),
        ({"level": "professional"}, ["sql"]),
        ({"language": "spanish"}, ["traits"]),
        ({"language": "English International"}, ["traits"]),
        ({"adaptive": "true"}, ["reasoning"]),
        ({"max_minutes": 9}, []),
        ({"q": "sql"}, ["sql", ESCAPED_ID]),
        ({"q": "sql", "max_minutes": 12}, ["sql"]),
    ],
)
async def test_filters(client: httpx.AsyncClient, query: dict[str, Any], expected: list[str]) -> None:
    assert sorted(await ids(client, **query)) == sorted(expected)


async def test_broken_characters_in_a_query_do_no_harm(client: httpx.AsyncClient) -> None:
    answer = await client.get("/assessments?q=java%20%ED%A0%BD%FF%00")
    assert [item["id"] for item in answer.json()["items"]] == ["java-core"]


async def test_unknown_minutes_never_count_as_short(client: httpx.AsyncClient) -> None:
    assert "traits" not in await ids(client, max_minutes=1_000)


async def test_a_text_without_a_shared_word_gives_the_nearest_by_meaning(client: httpx.AsyncClient) -> None:
    assert len(await ids(client, q="zzz")) == 10


@pytest.mark.parametrize(
    "query", ["type=X", "level=boss", "max_minutes=0", "limit=0", "limit=101", "offset=-1", "q=" + "x" * 501]
)
async def test_nonsense_filters_are_named(client: httpx.AsyncClient, query: str) -> None:
    answer = await client.get(f"/assessments?{query}")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].startswith(query.partition("=")[0])


@pytest.mark.parametrize(
    "path",
    [
        "sql-analysis-%28ssas%29-%28new%29",
        "sql-analysis-(ssas)-(new)",
        "sql-analysis-%2528ssas%2529-%2528new%2529",
    ],
    ids=["as written", "decoded", "escaped twice"],
)
async def test_an_id_with_escapes_is_found_however_it_arrives(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(f"/assessments/{path}")
    assert answer.status_code == 200
    assert answer.json()["id"] == ESCAPED_ID
    assert answer.json()["name"] == "SQL Analysis (SSAS) (New)"


async def test_one_assessment_is_shown_whole(client: httpx.AsyncClient) -> None:
    shown = (await client.get("/assessments/traits")).json()
    assert shown["types"] == ["Personality & Behavior"]
    assert shown["minutes"] is None
    assert shown["duration"] == "untimed"
    assert shown["summary"] == "About Traits"


@pytest.mark.parametrize("path", ["nothing", "%00", "..%2f..", "%ff%fe", "%ed%a0%80"])
async def test_unknown_id_is_a_problem(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(f"/assessments/{path}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("name", "wanted", "expected"),
    [
        ("English (USA)", "english", True),
        ("Latin American Spanish", "spanish", True),
        ("Portuguese (Brazil)", "portuguese (brazil)", True),
        ("Portuguese", "portuguese (brazil)", False),
        ("Finnish", "finn", False),
    ],
)
def test_a_language_means_its_regional_forms(name: str, wanted: str, expected: bool) -> None:
    assert speaks(name, wanted) is expected
