"""Every error leaves in one shape: RFC 9457 problem+json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Scope

from app.errors import RequestError
from app.schemas import clean_text

MAX_ERRORS = 20
"""A body can hold tens of thousands of wrong messages; nobody reads more than the first few."""

MEDIA_TYPE = "application/problem+json"
_TITLES = {413: "Body too large", 422: "Request not understood"}
_DETAILS = {
    404: "Nothing is served under this path.",
    405: "This path does not answer that method.",
    500: "Something failed on our side. The request id finds it in the log.",
}


def problem_response(
    scope: Scope,
    status: int,
    detail: str = "",
    *,
    title: str = "",
    errors: Sequence[Mapping[str, str]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A problem for the request in `scope`. Safe to encode whatever the request held."""
    content: dict[str, Any] = {
        "type": "about:blank",
        "title": title or _TITLES.get(status) or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail
        or _DETAILS.get(status)
        or HTTPStatus(status).description
        or HTTPStatus(status).phrase,
        "instance": clean_text(scope.get("path", "")),
        "request_id": scope.get("state", {}).get("request_id", ""),
    }
    if errors is not None:
        content["errors"] = list(errors)
    return Response(json.dumps(content), status, headers, MEDIA_TYPE)


def field_name(location: Sequence[int | str]) -> str:
    """`("body", "messages", 2, "role")` as people write it: `messages[2].role`."""
    parts = list(
        location[1:] if location and location[0] in ("body", "query", "path", "header") else location
    )
    name = ""
    for part in parts:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else str(part)
    return clean_text(name) or "body"


def _on_http(request: Request, exc: HTTPException) -> Response:
    known = exc.detail if exc.detail != HTTPStatus(exc.status_code).phrase else ""
    if exc.status_code == 400 and isinstance(exc.__cause__, RecursionError):
        known = "The JSON is nested too deep."
    elif exc.status_code == 400 and exc.__cause__ is not None:
        known = "The body is not valid JSON in UTF-8."
    return problem_response(request.scope, exc.status_code, known, headers=exc.headers)


def _on_invalid(request: Request, exc: RequestValidationError) -> Response:
    found = exc.errors()
    if any(error["type"] == "json_invalid" for error in found):
        at = found[0]["loc"][-1]
        return problem_response(
            request.scope, 400, f"The body is not valid JSON (character {at}).", title="Body is not JSON"
        )
    errors = [
        {"field": field_name(error["loc"]), "message": clean_text(error["msg"]), "type": error["type"]}
        for error in found[:MAX_ERRORS]
    ]
    first = errors[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return problem_response(request.scope, 422, f"{first['field']}: {first['message']}{more}", errors=errors)


def _on_request_error(request: Request, exc: RequestError) -> Response:
    headers = None if exc.retry_after_s is None else {"retry-after": str(exc.retry_after_s)}
    return problem_response(request.scope, exc.status, clean_text(str(exc)), title=exc.title, headers=headers)


def _on_bug(request: Request, exc: Exception) -> Response:
    structlog.get_logger(__name__).error("request_failed", error=type(exc).__name__, path=request.url.path)
    return problem_response(request.scope, 500)


def install_problem_handlers(app: FastAPI) -> None:
    """Register the handlers of every error there is."""
    app.add_exception_handler(HTTPException, _on_http)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, _on_invalid)  # type: ignore[arg-type]
    app.add_exception_handler(RequestError, _on_request_error)  # type: ignore[arg-type]
    app.add_exception_handler(Exception, _on_bug)


def problem_docs(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that may answer with these problems."""
    words = {
        400: "The body is not JSON, or nested too deep",
        404: "No such assessment",
        413: "The body is over the limit",
        415: "The body is not declared as JSON",
        422: "The request breaks a rule; `errors` says where",
        429: "One client sent too many requests; Retry-After says when to come back",
        503: "Not ready, out of time, or too busy (with Retry-After)",
    }
    return {
        status: {
            "description": words[status],
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in statuses
    }
