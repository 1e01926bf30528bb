"""The models of the wire against the letter of the contract."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from app.schemas import ROLES, ChatRequest, ChatResponse, Recommendation, clean_text


def test_response_holds_exactly_the_three_keys_all_required() -> None:
    schema = ChatResponse.model_json_schema()
    assert (
        set(schema["properties"])
        == set(schema["required"])
        == {"reply", "recommendations", "end_of_conversation"}
    )
    assert schema["properties"]["recommendations"]["maxItems"] == 10
    assert schema["properties"]["recommendations"]["type"] == "array"  # never null
    assert schema["properties"]["end_of_conversation"]["type"] == "boolean"


def test_recommendation_holds_exactly_the_three_keys_all_required() -> None:
    schema = Recommendation.model_json_schema()
    assert set(schema["properties"]) == set(schema["required"]) == {"name", "url", "test_type"}
    assert {value["type"] for value in schema["properties"].values()} == {"string"}


def test_more_than_ten_recommendations_cannot_be_built() -> None:
    one = Recommendation(name="a", url="b", test_type="K")
    with pytest.raises(ValidationError):
        ChatResponse(reply="", recommendations=[one] * 11, end_of_conversation=False)


def test_every_role_name_maps_to_one_that_is_known() -> None:
    assert set(ROLES.values()) == {"user", "assistant", "ignored"}
    assert all(name == name.strip().lower() for name in ROLES)


def test_unknown_keys_are_ignored_and_left_out_of_the_history() -> None:
    request = ChatRequest.model_validate(
        {"messages": [{"role": "user", "content": "cook", "name": "x", "weight": float("inf")}], "model": "m"}
    )
    (message,) = request.to_history().messages
    assert (message.role, message.content) == ("user", "cook")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("caf\u00e9 \U0001f600", "caf\u00e9 \U0001f600"),
        ("a\ud83d", "a\ufffd"),
        ("\udc00", "\ufffd"),
    ],
)
def test_only_broken_characters_change(text: str, expected: str) -> None:
    assert clean_text(text) == expected
