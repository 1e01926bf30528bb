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
from app.api.dependencies import CatalogSide, Report
from app.composition import load_catalog_side
from app.config import ObservabilitySettings, Settings
from app.main import create_app

# Loaded before requests are made up: CPython 3.11 may fail to parse in one thread while another one compiles, as
# loading in the background does.
_settings = Settings(observability=ObservabilitySettings(log_level="error"))
_side = load_catalog_side(_settings, lambda *_: None)


def _loaded(settings: Settings, report: Report) -> CatalogSide:
    for part in ("catalog", "knowledge", "lexical"):
        report(part, "loaded", "before")
    return _side


schema = schemathesis.openapi.from_asgi(
    "/openapi.json",
    create_app(
        _settings,
        catalog_loader=_loaded,
        dense_loader=lambda settings, side, report: report("dense", "off", "not needed here"),
    ),
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
