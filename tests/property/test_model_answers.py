"""Whatever a language model writes, the turn is valid and what was dropped stays away."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.api.dependencies import CatalogSide
from app.records import Act
from tests.models import FakeModel, a_caller, a_history, routed_side, turn

_NAMES = ["OPQ32r", "SQL (New)", "Docker (New)", "core-java-advanced-level-new", "Zeta9", "the best one"]
_WORDS = st.one_of(
    st.sampled_from(
        [*_NAMES, "SQL", "Java", "personality", "https://example.com/x", "recommend", "refuse", "true"]
    ),
    st.text(max_size=20),
)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_WORDS, inner, max_size=3)),
    max_leaves=8,
)
_CONSTRAINTS = (
    "role family seniority purpose leads skills unwanted_skills test_types unwanted_test_types minutes_each"
    " minutes_total list_size test_languages spoken_language accent adaptive quick"
).split()
_ANSWERS = st.fixed_dictionaries(
    {"intent": st.one_of(st.sampled_from([act.value for act in Act]), _VALUES)},
    optional={
        "constraints": st.dictionaries(st.sampled_from(_CONSTRAINTS), _VALUES, max_size=6),
        "search_query": _VALUES,
        "named_assessments": st.lists(_WORDS, max_size=3),
        "edits": st.dictionaries(
            st.sampled_from(["add", "drop", "replace", "only", "keep", "undo"]), _VALUES, max_size=3
        ),
        "out_of_scope": _VALUES,
        "reply_text": _VALUES,
    },
)
_LIST = "Shortlist (3 assessments):\n1. Core Java (Advanced Level) (New)\n2. SQL (New)\n3. Docker (New)"
_SHORTER = "Shortlist (2 assessments):\n1. Core Java (Advanced Level) (New)\n2. Docker (New)"
_TALKS = [
    a_history("People for our yard"),
    a_history("Java developers who know SQL and Docker", _LIST, "hmm, let me think about that"),
    a_history("Java developers who know SQL", _LIST, "Drop the SQL test", _SHORTER, "and what now"),
]
_EXAMPLES = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@_EXAMPLES
@given(text=st.one_of(st.text(max_size=300), _ANSWERS.map(json.dumps)), talk=st.sampled_from(_TALKS))
def test_any_answer_leads_to_a_valid_turn(text: str, talk: Any, catalog_side: CatalogSide) -> None:
    reply, trace = turn(routed_side(catalog_side, a_caller(FakeModel([text]))), talk)
    ids = reply.recommendations
    assert trace.routing.why != "internal"
    assert len(ids) == len(set(ids)) <= 10
    assert all(id_ in catalog_side.catalog for id_ in ids)
    assert "example.com" not in reply.text
    assert reply.text.strip()
    assert not set(ids) & trace.understanding.dropped
    if talk is _TALKS[-1]:
        assert "sql-new" not in ids
