import math

import pytest
from pydantic import TypeAdapter

from eval.records import Payload, Recommendation, Result, Status, last_segment, scored, unscored


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (None, Status.SCORED),
        (0.5, Status.UNSCORED),
        (0.0, Status.ERROR),
        (math.nan, Status.SCORED),
        (math.inf, Status.HEURISTIC),
    ],
)
def test_a_failure_is_never_a_number_and_a_number_never_a_failure(
    value: float | None, status: Status
) -> None:
    with pytest.raises(ValueError, match="m"):
        Result("m", value, status)


def test_unscored_survives_being_stored() -> None:
    adapter = TypeAdapter(Result)
    for result in (unscored("m", "why"), scored("m", 0.0, evidence=("a", "b"))):
        assert adapter.validate_json(adapter.dump_json(result)) == result


def test_what_was_not_measured_is_none() -> None:
    payload = Payload("q")
    measured = (payload.latency_ms, payload.ui_latency_ms, payload.ttft_ms, payload.chunk_count,
                payload.stream_duration_ms, payload.tokens_per_sec)  # fmt: skip
    assert measured == (None,) * 6


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://x/view/Abc-New/", "abc-new"),
        ("https://x/a?b=c", "a"),
        ("https://x", ""),
        ("", ""),
        ("  https://x/view/a  ", "a"),
    ],
)
def test_last_segment(url: str, expected: str) -> None:
    assert last_segment(url) == expected


@pytest.mark.parametrize(
    ("text", "ends", "listed", "asks"),
    [
        ("Which level?", False, False, True),
        ("Done. Anything else?", True, False, False),
        ("OK?", False, True, False),
        ("No.", False, False, False),
    ],
)
def test_a_question_has_no_list_is_not_the_end_and_asks(
    text: str, ends: bool, listed: bool, asks: bool
) -> None:
    lines = (Recommendation("A", "https://x/view/a/", "K"),) if listed else ()
    assert Payload("q", text, ends=ends, recommendations=lines).asks is asks
