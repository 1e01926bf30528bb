"""What the OpenAPI document says beyond the routes: examples, limits from the settings, the problem shape."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.models import Example

from app import __version__
from app.config import HttpSettings
from app.schemas import FieldError, Problem

TITLE = "Assessment recommender"
DESCRIPTION = """From a hiring need, told in a conversation, to a shortlist of SHL assessments.

Nothing is kept between calls: send the whole conversation to `POST /chat` each time. Every name and
address in an answer is copied from the catalogue. Errors are problem+json (RFC 9457) in one shape.
"""
TAGS = [
    {"name": "chat", "description": "The conversation."},
    {"name": "catalogue", "description": "The assessments, for people and for a web page."},
    {"name": "health", "description": "Probes."},
]


def _conversation(*messages: str) -> dict[str, Any]:
    """Messages in turn, the user's first."""
    return {
        "messages": [
            {"role": "assistant" if number % 2 else "user", "content": text}
            for number, text in enumerate(messages)
        ]
    }


_NEED = "We are hiring a mid-level Java developer who also writes a lot of SQL."
_LIST = (
    "Here is what I would use for Java developer.\n\n"
    "Shortlist (4 assessments):\n"
    "1. Core Java (Advanced Level) (New) (K; 13 minutes): covers Java\n"
    "2. SQL (New) (K; 9 minutes): covers SQL\n"
    "3. SHL Verify Interactive G+ (A; 36 minutes): overall reasoning\n"
    "4. Occupational Personality Questionnaire OPQ32r (P; untimed, about 25 minutes): working style"
)

REQUEST_EXAMPLES: dict[str, Example] = {
    "clarify": {
        "summary": "Opener: a question back",
        "description": "Too little to choose by. The answer asks one thing and lists nothing.",
        "value": _conversation("I need an assessment."),
    },
    "recommend": {
        "summary": "Specific need: a list",
        "description": "A role and something that tells candidates apart.",
        "value": _conversation(_NEED),
    },
    "refine": {
        "summary": "Change of the list",
        "description": "The standing list with the edit applied.",
        "value": _conversation(_NEED, _LIST, "Drop the personality questionnaire and add JavaScript."),
    },
    "compare": {
        "summary": "Question about assessments",
        "description": "Answered from the catalogue; the standing list comes again.",
        "value": _conversation(_NEED, _LIST, "How does OPQ32r differ from SHL Verify Interactive G+?"),
    },
    "refuse": {
        "summary": "Outside the service",
        "description": "Declined in a sentence, with no list.",
        "value": _conversation("Is it lawful to reject applicants over fifty in Texas?"),
    },
    "confirm": {
        "summary": "Acceptance",
        "description": "The list once more, and the end.",
        "value": _conversation(_NEED, _LIST, "Perfect, that is what we will use. Thank you!"),
    },
}
"""One conversation for each kind of turn, by the act that it leads to."""

_SQL = {
    "name": "SQL (New)",
    "url": "https://www.shl.com/products/product-catalog/view/sql-new/",
    "test_type": "K",
}
RESPONSE_EXAMPLES: dict[str, Example] = {
    "asking": {
        "summary": "A question: no list",
        "value": {
            "reply": "Which role are you hiring for?",
            "recommendations": [],
            "end_of_conversation": False,
        },
    },
    "listing": {
        "summary": "A list",
        "value": {
            "reply": "For the database work: SQL (New), a knowledge test. Say so if anything should change.",
            "recommendations": [_SQL],
            "end_of_conversation": False,
        },
    },
    "ending": {
        "summary": "The list was accepted",
        "value": {
            "reply": "Then SQL (New) is your list.",
            "recommendations": [_SQL],
            "end_of_conversation": True,
        },
    },
}


class DocumentedApp(FastAPI):
    """FastAPI whose OpenAPI document states the limits in force."""

    def __init__(self, limits: HttpSettings, **options: Any) -> None:
        super().__init__(
            title=TITLE, description=DESCRIPTION, version=__version__, openapi_tags=TAGS, **options
        )
        self._limits = limits

    def openapi(self) -> dict[str, Any]:
        """The document; computed once."""
        if self.openapi_schema is None:
            document = super().openapi()
            schemas = document["components"]["schemas"]
            schemas["ChatRequest"]["properties"]["messages"]["maxItems"] = self._limits.max_messages
            text, parts = schemas["WireMessage"]["properties"]["content"]["anyOf"]
            text["maxLength"] = self._limits.max_message_chars
            parts["description"] = f"Together at most {self._limits.max_message_chars} characters."
            schemas["FieldError"] = FieldError.model_json_schema()
            schemas["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas["Problem"].pop("$defs", None)
            for unused in ("HTTPValidationError", "ValidationError"):
                schemas.pop(unused, None)
        assert self.openapi_schema is not None
        return self.openapi_schema
