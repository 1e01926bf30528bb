"""The page's files: what is served, with which headers, and what may not stand in them."""

from __future__ import annotations

import gzip
import re

import httpx
import pytest

from app.api.web import FOLDER, MEDIA_TYPES, START_PAGE
from app.config import Settings

FILES = sorted(path.name for path in FOLDER.iterdir())
PARTS = [name for name in FILES if name != START_PAGE]
ADDRESS = re.compile(r"""(?:https?:|["'(`])//[\w.-]+\.\w+""")


def directives(answer: httpx.Response) -> dict[str, str]:
    parts = (part.strip().partition(" ") for part in answer.headers["content-security-policy"].split(";"))
    return {name: value for name, _, value in parts}


async def test_the_page_is_served_at_the_root_under_a_strict_policy(client: httpx.AsyncClient) -> None:
    answer = await client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = directives(answer)
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert {policy[f"{kind}-src"] for kind in ("script", "style", "img", "connect")} == {"'self'"}
    assert not any("unsafe" in value or "http" in value or "*" in value for value in policy.values())
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", PARTS)
async def test_each_file_has_its_type_and_is_not_sent_twice(client: httpx.AsyncClient, name: str) -> None:
    answer = await client.get(f"/web/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == MEDIA_TYPES[f".{name.rpartition('.')[2]}"]
    assert answer.content == (FOLDER / name).read_bytes()
    again = await client.get(f"/web/{name}", headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    head = await client.head(f"/web/{name}", headers={"accept-encoding": "identity"})
    assert (head.status_code, head.headers["content-length"]) == (200, str(len(answer.content)))


async def test_the_page_says_the_limits_of_the_service_that_serves_it(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    answer = await client.get("/")
    limits = dict(re.findall(r'<meta name="max-([a-z-]+)" content="(\d+)">', answer.text))
    assert limits == {
        "message-chars": str(settings.http.max_message_chars),
        "messages": str(settings.http.max_messages),
        "recommendations": "10",
    }
    again = await client.get("/", headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_compressed_only_for_those_who_can_read_it(client: httpx.AsyncClient) -> None:
    packed = await client.get("/", headers={"accept-encoding": "gzip"})
    plain = await client.get("/", headers={"accept-encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content


@pytest.mark.parametrize(
    "name", ["none.js", START_PAGE, "..%2fmain.py", "%2e%2e/main.py", "__init__.py", "", "a/b.js"]
)
async def test_an_unknown_file_is_a_problem(client: httpx.AsyncClient, name: str) -> None:
    answer = await client.get(f"/web/{name}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


async def test_nothing_but_reading(client: httpx.AsyncClient) -> None:
    assert (await client.post("/")).status_code == 405


async def test_the_page_is_not_part_of_the_api_document(client: httpx.AsyncClient) -> None:
    paths = (await client.get("/openapi.json")).json()["paths"]
    assert not [path for path in paths if path == "/" or path.startswith("/web")]


@pytest.mark.parametrize("name", FILES)
def test_no_file_names_another_origin_or_a_way_round_the_policy(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not ADDRESS.findall(text)
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
        assert way not in text
    if name.endswith(".html"):
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text)


def test_the_start_page_asks_for_files_that_exist_and_for_every_module() -> None:
    page = (FOLDER / "index.html").read_text(encoding="utf-8")
    asked = set(re.findall(r'(?:href|src)="/web/([^"]+)"', page))
    assert asked == {name for name in FILES if name != "index.html"}


def test_the_first_load_is_small() -> None:
    assert sum(len(gzip.compress((FOLDER / name).read_bytes())) for name in FILES) < 50_000
