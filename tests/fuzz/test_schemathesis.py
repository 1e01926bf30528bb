"""Requests made from the OpenAPI document: nothing gives a 5xx or an undocumented answer."""

from __future__ import annotations

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CheckContext, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from app.api.chat import FAILURE_REPLY
from app.config import ObservabilitySettings, Settings
from app.main import create_app

schema = schemathesis.openapi.from_asgi(
    "/openapi.json", create_app(Settings(observability=ObservabilitySettings(log_level="error")))
)


def no_hidden_failure(ctx: CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """A turn that failed inside is answered with 200, too."""
    assert FAILURE_REPLY not in response.text


@schema.parametrize()
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_answer_is_documented(case: schemathesis.Case) -> None:
    case.call_and_validate(
        checks=[
            not_a_server_error,
            status_code_conformance,
            content_type_conformance,
            response_schema_conformance,
            no_hidden_failure,
        ]
    )
