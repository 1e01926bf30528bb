"""The OpenAPI document: limits, errors, examples that are true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.api.openapi import REQUEST_EXAMPLES, RESPONSE_EXAMPLES
from app.config import HttpSettings, Settings
from app.main import create_app
from app.records import Act
from app.schemas import ChatRequest, ChatResponse
from tests.doubles import StubLoader


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    settings = Settings(http=HttpSettings(max_messages=7, max_message_chars=99))
    loader = StubLoader()
    return create_app(settings, catalog_loader=loader.catalog_side, dense_loader=loader.dense_side).openapi()


def test_limits_in_force_are_in_the_schema(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    messages = schemas["ChatRequest"]["properties"]["messages"]
    assert (messages["minItems"], messages["maxItems"]) == (1, 7)
    assert schemas["WireMessage"]["properties"]["content"]["anyOf"][0]["maxLength"] == 99


def test_every_operation_has_a_summary_and_shaped_errors(document: dict[str, Any]) -> None:
    operations = {
        f"{method} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    assert set(operations) == {
        "get /health",
        "get /ready",
        "get /metrics",
        "post /chat",
        "post /chat/explain",
        "get /assessments",
        "get /assessments/{assessment_id}",
    }
    for operation in operations.values():
        assert operation["summary"]
        assert operation["description"]
        for status, response in operation["responses"].items():
            if status.startswith("4"):
                assert list(response["content"]) == ["application/problem+json"]
    assert {"400", "413", "415", "422"} <= operations["post /chat"]["responses"].keys()
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_every_reference_resolves(document: dict[str, Any]) -> None:
    def references(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                yield node["$ref"]
            for value in node.values():
                yield from references(value)
        elif isinstance(node, list):
            for value in node:
                yield from references(value)

    known = document["components"]["schemas"]
    assert {ref.rpartition("/")[2] for ref in references(document)} <= known.keys()


def test_there_is_an_example_for_each_kind_of_turn() -> None:
    assert set(REQUEST_EXAMPLES) == {act.value for act in Act}
    for example in REQUEST_EXAMPLES.values():
        ChatRequest.model_validate(example["value"])
    for example in RESPONSE_EXAMPLES.values():
        ChatResponse.model_validate(example["value"])


@pytest.fixture(scope="module")
def service() -> Iterator[TestClient]:
    with TestClient(create_app(Settings())) as client:
        yield client


@pytest.mark.parametrize("act", sorted(REQUEST_EXAMPLES))
def test_each_example_leads_to_the_turn_it_stands_for(service: TestClient, act: str) -> None:
    answer = service.post("/chat/explain", json=REQUEST_EXAMPLES[act]["value"]).json()
    assert answer["explanation"]["act"] == act
    assert bool(answer["recommendations"]) is (act not in ("clarify", "refuse"))
    assert answer["end_of_conversation"] is (act == "confirm")


def test_example_answers_are_true_to_the_catalogue(service: TestClient) -> None:
    shown = [item for example in RESPONSE_EXAMPLES.values() for item in example["value"]["recommendations"]]
    assert shown
    for item in shown:
        known = service.get("/assessments/" + item["url"].rstrip("/").rpartition("/")[2]).json()
        assert item == {key: known[key] for key in ("name", "url", "test_type")}
