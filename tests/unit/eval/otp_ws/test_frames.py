"""Frames: joined, taken apart, and never lost without a word."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.otp_ws.frames import LIMIT, Unframer
from eval.otp_ws.signals import Unit

RUPEES = {"type": "message_chunk", "content": "₹12 lakh"}


def fed(*frames: str | bytes) -> tuple[list[Unit], list[str]]:
    unframer = Unframer()
    units = [unit for frame in frames for unit in unframer.feed(frame)]
    unframer.end()
    return units, unframer.faults


def test_an_object_that_comes_in_two_frames_is_one() -> None:
    assert fed('{"type":"message_chunk","content":"₹12', ' lakh"}') == ([Unit(RUPEES)], [])


def test_two_objects_in_one_frame_are_two() -> None:
    assert fed('{"a": 1}\n{"b": 2}[DONE]') == ([Unit({"a": 1}), Unit({"b": 2}), Unit("[DONE]")], [])


def test_bytes_may_end_within_a_character() -> None:
    raw = json.dumps(RUPEES, ensure_ascii=False).encode()
    at = raw.index("₹".encode()) + 1
    assert fed(raw[:at], raw[at:]) == ([Unit(RUPEES)], [])


@pytest.mark.parametrize(
    ("frames", "units"),
    [
        (["event: delta\ndata: {\"content\": \"a\"}\n\n"], [Unit({"content": "a"}, "delta")]),
        (["event: delta\nda", "ta: {\"content\": \"a\"}\n\n"], [Unit({"content": "a"}, "delta")]),
        (["data: {\"a\": 1}\n\ndata: [DONE]\n\n"], [Unit({"a": 1}), Unit("[DONE]")]),
        (["data: {\"a\": 1}"], [Unit({"a": 1})]),
        (["data: one\ndata: two\n\n"], [Unit("one\ntwo")]),
        (["event: message\r\ndata: {\"a\": 1}\r\n\r\n"], [Unit({"a": 1})]),
        ([": keep-alive"], [Unit(None, "comment")]),
        ([": keep-alive\n\n"], [Unit(None, "comment")]),
        (["event: ping\n\n"], [Unit(None, "ping")]),
        (["id: 4\nretry: 10\ndata: {}\n\n"], [Unit({})]),
        (["[DONE]"], [Unit("[DONE]")]),
        (["", "  "], []),
    ],
)  # fmt: skip
def test_sse(frames: list[str], units: list[Unit]) -> None:
    assert fed(*frames) == (units, [])


def test_a_damaged_object_is_named_and_takes_nothing_with_it() -> None:
    units, faults = fed('{"type": "mess', '{"type": "ping"}')
    assert units == [Unit({"type": "ping"})]
    assert len(faults) == 1
    assert "mess" in faults[0]


def test_an_object_that_never_ends_is_named() -> None:
    assert "unreadable" in fed('{"a": ')[1][0]


def test_what_is_held_has_a_limit() -> None:
    unframer = Unframer()
    unframer.feed('{"a": "' + "x" * LIMIT)
    assert len(unframer.faults) == 1
    assert unframer.feed('{"b": 2}') == [Unit({"b": 2})]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(st.lists(texts, min_size=1, max_size=5), st.data())
def test_objects_cut_anywhere_come_out_whole(contents: list[str], data: st.DataObject) -> None:
    objects = [{"type": "message_chunk", "content": content} for content in contents]
    raw = "".join(json.dumps(each, ensure_ascii=False) for each in objects).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))
    frames = [raw[start:end] for start, end in pairwise([0, *cuts, len(raw)])]
    assert fed(*frames) == ([Unit(each) for each in objects], [])
