"""The kinds of difference, each with a near twin that is another kind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eval.differences import Kind, compare_answers, compare_texts
from eval.records import Payload, Recommendation

ALL = frozenset({"ai_response", "recommendations", "ends"})
SALES = "Net sales in Pune were ₹12,30,450 last week, 8% more than before."


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (SALES, SALES, Kind.IDENTICAL),
        ("", "", Kind.IDENTICAL),
        (SALES, SALES + "\n", Kind.COSMETIC),
        ("Net sales", "NET  SALES.", Kind.COSMETIC),
        ("**Net** sales: _45_", "Net sales: 45", Kind.COSMETIC),
        ("## Sales\n- Pune", "Sales\nPune", Kind.COSMETIC),
        ("| Store | Units |\n| --- | --- |\n| Pune | 45 |", "Store Units\nPune 45", Kind.COSMETIC),
        ("“Pune” – the store’s", '"Pune" - the store\'s', Kind.COSMETIC),
        ("12,30,450", "1,230,450", Kind.COSMETIC),
        ("1,240 units", "1240 units", Kind.COSMETIC),
        ("45.0 units", "45 units", Kind.COSMETIC),
        ("café", "cafe\u0301", Kind.COSMETIC),
        ("45 units", "54 units", Kind.NUMERIC_DIFF),
        ("5 units", "50 units", Kind.NUMERIC_DIFF),
        ("8%", "8", Kind.NUMERIC_DIFF),
        ("₹45", "$45", Kind.NUMERIC_DIFF),
        ("(1,250)", "1,250", Kind.NUMERIC_DIFF),
        ("-42", "42", Kind.NUMERIC_DIFF),
        ("−42", "-42", Kind.COSMETIC),
        ("over (12 stores)", "over 12 stores", Kind.COSMETIC),
        ("Pune 45, Delhi 54", "Pune 54, Delhi 45", Kind.NUMERIC_DIFF),
        ("SKU AND-2231", "SKU AND-2213", Kind.NUMERIC_DIFF),
        ("on 14-08-2025", "on 15-08-2025", Kind.NUMERIC_DIFF),
        ("Pune sold 45 pieces", "It was 54 in Pune", Kind.NUMERIC_DIFF),
        ("Pune sold 45. Delhi sold 54.", "Pune sold 45.", Kind.MISSING_CONTENT),
        ("Pune sold 45", "Pune sold", Kind.MISSING_CONTENT),
        ("Pune sold 45", "Delhi sold 45", Kind.MISSING_CONTENT),
        ("sales up, returns down", "returns up, sales down", Kind.MISSING_CONTENT),
        ("C++ and SQL", "C and SQL", Kind.MISSING_CONTENT),
        ("C# and SQL", "C and SQL", Kind.MISSING_CONTENT),
        ("Which level?", "Which level!", Kind.MISSING_CONTENT),
        ("हिन्दी", "हन्दी", Kind.MISSING_CONTENT),
        ("text", "", Kind.MISSING_CONTENT),
    ],
)
def test_texts(one: str, other: str, kind: Kind) -> None:
    assert compare_texts(one, other).kind is kind
    assert compare_texts(other, one).kind is kind


def test_the_place_is_named() -> None:
    found = compare_texts(SALES, SALES.replace("12,30,450", "12,30,540"))
    assert "1230450" in found.detail
    assert "1230540" in found.detail


A, B = Recommendation("A", "https://x/view/a/", "K"), Recommendation("B", "https://x/view/b/", "P")
GOOD = Payload("q", "Two.", source="api", recommendations=(A, B), ends=False, latency_ms=5.0)
UI = replace(GOOD, source="ui", latency_ms=30.0, ui_latency_ms=40.0)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({}, Kind.IDENTICAL),
        ({"ai_response": "Two"}, Kind.COSMETIC),
        ({"recommendations": (A, replace(B, url="https://x/view/B"))}, Kind.COSMETIC),
        ({"recommendations": (A, replace(B, name="b."))}, Kind.COSMETIC),
        ({"recommendations": (A,)}, Kind.MISSING_CONTENT),
        ({"recommendations": (B, A)}, Kind.MISSING_CONTENT),
        ({"recommendations": (A, replace(B, test_type="K"))}, Kind.MISSING_CONTENT),
        ({"recommendations": (A, replace(B, name="C"))}, Kind.MISSING_CONTENT),
        ({"recommendations": (A, replace(B, name="B 2"))}, Kind.MISSING_CONTENT),
        ({"ends": True}, Kind.STATUS_DIFF),
        ({"status": "misdrawn", "ai_response": "2."}, Kind.STATUS_DIFF),
        ({"status": "partial", "error": "silent"}, Kind.STATUS_DIFF),
        ({"stream_intact": True}, Kind.IDENTICAL),
        ({"stream_intact": False}, Kind.STREAM_CORRUPT),
        ({"stream_intact": False, "status": "partial", "ai_response": ""}, Kind.STREAM_CORRUPT),
    ],
)
def test_answers(change: dict[str, object], kind: Kind) -> None:
    other = replace(UI, **change)  # type: ignore[arg-type]
    assert compare_answers(GOOD, other, ALL).kind is kind
    assert compare_answers(other, GOOD, ALL).kind is kind


def test_the_gravest_of_text_and_list_counts() -> None:
    other = replace(UI, ai_response="two", recommendations=(A,))
    assert compare_answers(GOOD, other, ALL).kind is Kind.MISSING_CONTENT


def test_what_a_channel_cannot_deliver_is_not_missing() -> None:
    stream = replace(GOOD, source="otp_ws", recommendations=(), ends=None)
    assert compare_answers(GOOD, stream, frozenset({"ai_response"})).kind is Kind.IDENTICAL
    assert compare_answers(GOOD, stream, ALL).kind is not Kind.IDENTICAL


def test_why_a_status_differs_is_told() -> None:
    lost = Payload("q", status="timeout", error="silent for 15 s")
    assert "silent for 15 s" in compare_answers(GOOD, lost, ALL).detail
