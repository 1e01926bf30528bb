"""The wire: what callers send and get, and the way from wire to record and back."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from app.records import History, Message

MOST_RECOMMENDATIONS = 10
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

ROLES: dict[str, Literal["user", "assistant", "ignored"]] = {
    "user": "user",
    "human": "user",
    "recruiter": "user",
    "client": "user",
    "assistant": "assistant",
    "agent": "assistant",
    "bot": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "system": "ignored",
    "developer": "ignored",
    "tool": "ignored",
}
"""Role names seen in transcripts. Who says 'system' is a caller all the same: such messages are left out."""


def clean_text(text: str) -> str:
    """`text` with each half of a broken surrogate pair replaced by U+FFFD, so that it can be encoded."""
    return text if text.isascii() else _LONE_SURROGATE.sub("�", text)


def _read_role(value: object) -> object:
    if isinstance(value, str):
        role = ROLES.get(value.strip().lower())
        if role is not None:
            return role
        raise PydanticCustomError("unknown_role", "role must be 'user' or 'assistant' (or a usual synonym)")
    raise PydanticCustomError("unknown_role", "role must be a string: 'user' or 'assistant'")


def _read_content(value: object) -> object:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return "\n".join(clean_text(text) for text in map(_part_text, value) if text)
    raise PydanticCustomError("content_type", "content must be a string or a list of typed parts")


def _part_text(part: object) -> str:
    """The text of one typed part; nothing for an image, a file or a kind we do not know."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        raise PydanticCustomError("content_part", "a content part must be an object with 'type' and 'text'")
    if part.get("type", "text") not in ("text", "input_text", "output_text"):
        return ""
    text = part.get("text")
    if not isinstance(text, str):
        raise PydanticCustomError("content_part", "a text part must hold a string under 'text'")
    return text


_CONTENT_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"type": {"type": "string"}, "text": {"type": "string"}},
                "required": ["type", "text"],
            },
        },
    ],
    "title": "Content",
    "description": "The words: a string, or typed parts of which the text parts count.",
}
_ROLE_SCHEMA: dict[str, Any] = {
    "type": "string",
    "enum": list(ROLES),
    "title": "Role",
    "description": "Who speaks, in any casing. Messages of system, developer and tool are left out.",
}


class WireMessage(BaseModel):
    """One message of the conversation."""

    model_config = ConfigDict(extra="ignore")

    role: Annotated[
        Literal["user", "assistant", "ignored"], BeforeValidator(_read_role), WithJsonSchema(_ROLE_SCHEMA)
    ]
    content: Annotated[str, BeforeValidator(_read_content), WithJsonSchema(_CONTENT_SCHEMA)]


class ChatRequest(BaseModel):
    """The whole conversation so far, oldest message first. Nothing is kept between calls."""

    model_config = ConfigDict(extra="ignore")

    messages: list[WireMessage] = Field(
        min_length=1, description="At least one message; unknown keys are ignored."
    )

    def to_history(self) -> History:
        """The conversation without the messages that nobody in it said."""
        return History(
            tuple(
                Message(message.role, message.content)
                for message in self.messages
                if message.role != "ignored"
            )
        )


class Recommendation(BaseModel):
    """One assessment of the shortlist, copied from the catalogue."""

    name: str = Field(description="Name as the vendor writes it.")
    url: str = Field(description="Page of the vendor's catalogue.")
    test_type: str = Field(description="Code letters of the kinds of test, joined by commas: `K,S`.")


class ChatResponse(BaseModel):
    """Answer to the conversation's last message. Always exactly these three keys."""

    reply: str = Field(description="What to show to the user.")
    recommendations: list[Recommendation] = Field(
        max_length=MOST_RECOMMENDATIONS,
        description="The shortlist: empty while asking or declining, else 1 to 10. Never null.",
    )
    end_of_conversation: bool = Field(description="True once the user has accepted the list.")


class ExplainedPick(BaseModel):
    """One assessment of the list and the reason for it."""

    id: str
    name: str
    source: str = Field(description="What put it there: named, skill, nearest, measure, playbook, default …")
    why: str
    minutes: int | None = Field(description="Null when the catalogue states no usable number.")


class ExplainedGap(BaseModel):
    """Something that was asked for and is not covered."""

    what: str
    note: str
    nearest: list[str] = Field(description="Ids of the nearest substitutes.")


class ExplainedCandidate(BaseModel):
    """One retrieval candidate with its rank, from 1, in each list."""

    id: str
    fused_score: float
    dense_rank: int | None
    lexical_rank: int | None


class ExplainedRouting(BaseModel):
    """Who read the conversation."""

    router: str = Field(description="Name of the provider of the language model, or 'offline'.")
    why: str = Field(description="'answered', or why the rules read it alone.")
    model: str
    cached: bool = Field(description="Whether a remembered answer was used.")
    degraded: bool = Field(description="Whether a model should have read the turn and did not.")
    attempts: list[str] = Field(description="Each call, as 'provider:outcome'.")
    input_tokens: int | None = Field(description="Null where the provider does not say.")
    output_tokens: int | None
    ms: float
    kept: list[str] = Field(description="Fields in which the rules overruled the model.")
    notes: list[str] = Field(
        description="What left the turn as it is: wrong beside the call, such as 'not_recorded', or forgiven in the"
        " form of the answer, such as 'near_json'."
    )


class Explanation(BaseModel):
    """How a turn was decided."""

    router: ExplainedRouting
    understood: dict[str, Any] = Field(description="What the conversation says, field by field.")
    act: str
    rule: str = Field(description="Name of the rule that decided.")
    reason: str
    asked_about: str | None = Field(description="Topic of the question in the reply.")
    candidates: list[ExplainedCandidate]
    picks: list[ExplainedPick]
    not_covered: list[ExplainedGap]
    assumptions: list[str]
    notes: list[str]
    minutes_total: int = Field(description="Sum of the known minutes.")
    minutes_unknown: list[str] = Field(description="Ids of picks whose minutes are not known.")


class ExplainResponse(ChatResponse):
    """The same turn as `/chat` gives, and how it came about."""

    explanation: Explanation | None = Field(description="Null only when the turn failed on our side.")
    degraded: list[str] = Field(description="Parts that did not take part in this turn, such as 'dense'.")
    stage_ms: dict[str, float] = Field(description="Milliseconds by stage.")


class AssessmentView(BaseModel):
    """What is known of one assessment."""

    id: str
    name: str
    url: str
    test_type: str
    types: list[str] = Field(description="The code letters spelled out.")
    minutes: int | None = Field(description="Null when the catalogue states no usable number.")
    duration: str = Field(description="Kind of time statement: stated, ceiling, untimed, variable …")
    levels: list[str]
    languages: list[str] = Field(description="Empty means unknown.")
    remote: bool
    adaptive: bool
    summary: str
    topics: list[str]


class AssessmentPage(BaseModel):
    """A slice of the assessments that match."""

    total: int = Field(ge=0, description="How many match in all.")
    limit: int
    offset: int
    items: list[AssessmentView]


class HealthView(BaseModel):
    """The process is alive."""

    status: Literal["ok"] = "ok"


class PartView(BaseModel):
    """State of one part of the service."""

    state: Literal["loading", "loaded", "off", "failed"]
    detail: str = Field(description="Why it is off or has failed; how much is loaded.")


class ReadyView(BaseModel):
    """Whether requests are served, with what and without what."""

    ready: bool
    parts: dict[str, PartView]


class FieldError(BaseModel):
    """One thing that is wrong with a request."""

    field: str = Field(description="Where: `messages[2].role`.")
    message: str
    type: str


class Problem(BaseModel):
    """An error, after RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    instance: str = Field(description="Path of the request.")
    request_id: str
    errors: list[FieldError] | None = None
