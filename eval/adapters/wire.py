"""From the body of a `/chat` answer to a payload, with every departure from the contract named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eval.records import Recommendation, last_segment

BODY_KEYS = frozenset({"reply", "recommendations", "end_of_conversation"})
ITEM_KEYS = frozenset({"name", "url", "test_type"})
LIST_LIMIT = 10


def body_faults(body: object) -> tuple[str, ...]:
    """What is wrong with the shape of `body`; nothing if it keeps the contract."""
    if not isinstance(body, Mapping):
        return ("the body is not an object",)
    faults = [f"{key} is missing" for key in sorted(BODY_KEYS - body.keys())]
    faults += [f"extra key {key}" for key in sorted(map(str, body.keys() - BODY_KEYS))]
    reply = body.get("reply")
    if "reply" in body and (not isinstance(reply, str) or not reply.strip()):
        faults.append("reply holds no words")
    if "end_of_conversation" in body and not isinstance(body["end_of_conversation"], bool):
        faults.append("end_of_conversation is not a boolean")
    return (*faults, *_list_faults(body.get("recommendations")))


def _list_faults(listed: object) -> list[str]:
    if listed is None:
        return []
    if not isinstance(listed, list):
        return ["recommendations is neither a list nor null"]
    faults = [f"{len(listed)} recommendations, more than {LIST_LIMIT}"] if len(listed) > LIST_LIMIT else []
    seen: set[str] = set()
    for number, item in enumerate(listed, 1):
        if not isinstance(item, Mapping) or item.keys() != ITEM_KEYS:
            faults.append(f"recommendation {number} has other keys than name, url and test_type")
        elif not all(isinstance(value, str) and value.strip() for value in item.values()):
            faults.append(f"recommendation {number} holds something blank or not a string")
        elif (key := last_segment(item["url"])) in seen:
            faults.append(f"{key} stands in the list twice")
        else:
            seen.add(key)
    return faults


def read_body(body: object) -> dict[str, Any]:
    """The fields of a payload that a body gives, whatever can be read of a faulty one."""
    faults = body_faults(body)
    if not isinstance(body, Mapping):
        return {"status": "malformed", "faults": faults}
    reply, ends, listed = (body.get(key) for key in ("reply", "end_of_conversation", "recommendations"))
    items = listed if isinstance(listed, list) else []
    return {
        "ai_response": reply if isinstance(reply, str) else "",
        "recommendations": tuple(
            Recommendation(*(str(item.get(key, "")) for key in ("name", "url", "test_type")))
            for item in items
            if isinstance(item, Mapping)
        ),
        "ends": ends if isinstance(ends, bool) else None,
        "faults": faults,
    }
