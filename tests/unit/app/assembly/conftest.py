"""The real assembler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.pipeline import Pipeline
from app.records import Act, Shortlist
from app.retrieval import Candidates
from tests.unit.app.assembly.needs import a_need, decided

Assemble = Callable[..., Shortlist]


@pytest.fixture(scope="session")
def assemble(pipeline: Pipeline) -> Assemble:
    def call(act: Act = Act.RECOMMEND, candidates: Candidates | None = None, **facts: Any) -> Shortlist:
        found = candidates or Candidates()
        return pipeline.assembler.assemble(a_need(act, **facts), decided(act), found)

    return call
