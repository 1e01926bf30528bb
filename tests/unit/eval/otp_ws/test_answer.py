"""One answer out of signals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.otp_ws.answer import MISMATCH, REPEATED, Answer, Streamed
from eval.otp_ws.signals import Kind, Signal

LONG = "Net sales were ₹4.2 lakh."


def heard(*signals: Signal, broken: str = "", message_id: str | None = None) -> Streamed:
    answer = Answer("t", message_id)
    for number, signal in enumerate(signals):
        answer.take(signal, 100.0 + 10 * number)
    return answer.result(1000.0, broken)


def piece(text: str, **ids: str) -> Signal:
    return Signal(Kind.PIECE, text, **ids)  # type: ignore[arg-type]


def whole(text: str) -> Signal:
    return Signal(Kind.WHOLE, text)


END = Signal(Kind.END)


def test_pieces_and_whole_are_one_text() -> None:
    got = heard(Signal(Kind.START), piece("ab"), Signal(Kind.LIFE), piece("cd"), whole("abcd"))
    assert (got.text, got.complete, got.intact, got.faults) == ("abcd", True, True, ())
    assert (got.ttft_ms, got.chunk_count, got.duration_ms, got.latency_ms) == (110.0, 2, 20.0, 140.0)


def test_pieces_alone_end_with_the_end() -> None:
    got = heard(piece("ab"), piece("cd"), END)
    assert (got.text, got.complete, got.intact) == ("abcd", True, True)


def test_a_whole_alone_is_no_stream() -> None:
    got = heard(whole("abcd"))
    assert (got.text, got.complete, got.intact, got.chunk_count) == ("abcd", True, None, 0)
    assert (got.ttft_ms, got.duration_ms, got.tokens_per_sec) == (100.0, None, None)


@pytest.mark.parametrize(
    "signals",
    [
        [piece(LONG), whole(LONG), whole(LONG)],
        [piece(LONG), piece(LONG), END],
        [piece(LONG), piece("\n\n"), piece(LONG), END, END],
        [piece(LONG), piece("\n\n"), piece(LONG), whole(LONG), whole(LONG)],
        [piece("Net sales "), piece("were ₹4.2 lakh."), piece(LONG), whole(LONG)],
        [whole(LONG), whole(LONG)],
    ],
)
def test_a_text_that_was_sent_twice_stands_once_and_is_named(signals: list[Signal]) -> None:
    got = heard(*signals)
    assert (got.text, got.complete, got.intact, got.faults) == (LONG, True, False, (REPEATED,))


@pytest.mark.parametrize(
    "text", ["haha", "no no", "Yes. Yes.", "Pune sold 45. Pune sold 54.", "a" * 15 + "b" * 15]
)
def test_what_only_looks_repeated_stays(text: str) -> None:
    got = heard(piece(text), END)
    assert (got.text, got.intact, got.faults) == (text, True, ())


@pytest.mark.parametrize(
    "streamed", ["Net sales were ₹4.2", "Net sales were ₹2.4 lakh.", LONG + " Ask again."]
)
def test_pieces_that_make_another_text_are_named(streamed: str) -> None:
    got = heard(piece(streamed), whole(LONG))
    assert (got.text, got.intact, got.faults) == (LONG, False, (MISMATCH,))


def test_what_is_broken_off_is_kept_and_says_why() -> None:
    got = heard(piece("ab"), broken="silent for 15 s")
    assert (got.text, got.complete, got.why, got.intact, got.latency_ms) == (
        "ab",
        False,
        "silent for 15 s",
        None,
        1000.0,
    )


def test_what_breaks_after_the_end_breaks_nothing() -> None:
    assert heard(piece("ab"), END, broken="closed").complete


def test_an_error_ends_it() -> None:
    got = heard(piece("ab"), Signal(Kind.ERROR, "overloaded"))
    assert (got.text, got.complete, got.why) == ("ab", False, "overloaded")


def test_an_error_without_words_is_still_one() -> None:
    assert heard(Signal(Kind.ERROR)).why == "an error"


def test_a_cut_at_the_limit_is_not_the_end() -> None:
    assert not heard(piece("ab"), Signal(Kind.END, "cut at the limit of tokens")).complete


def test_other_messages_and_threads_are_not_heard() -> None:
    got = heard(
        piece("old", message_id="before"), piece("mine", message_id="m"), piece("theirs", thread_id="u"),
        Signal(Kind.WHOLE, "old", message_id="before"), Signal(Kind.WHOLE, "mine", "m", "t"), message_id="m",
    )  # fmt: skip
    assert (got.text, got.complete, got.chunk_count) == ("mine", True, 1)


def test_the_first_message_is_the_one_when_nobody_said_which() -> None:
    assert heard(piece("a", message_id="m"), piece("b", message_id="n"), END).text == "a"


def test_tokens_are_counted_by_the_stream_or_not_at_all() -> None:
    got = heard(piece("a"), piece("b"), Signal(Kind.LIFE, input_tokens=7, output_tokens=4), END)
    assert (got.input_tokens, got.output_tokens, got.tokens_per_sec) == (7, 4, 400.0)
    assert heard(piece("a"), Signal(Kind.LIFE, output_tokens=4), END).tokens_per_sec is None
    assert heard(piece("a"), piece("b"), END).tokens_per_sec is None


def test_half_characters_in_two_pieces_make_one() -> None:
    got = heard(piece("\ud83d"), piece("\ude00"), whole("😀"))
    assert (got.text, got.intact) == ("😀", True)
    assert heard(piece("a\ud83d"), END).text == "a\ufffd"


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=8))
def test_pieces_always_join_to_the_whole(pieces: list[str]) -> None:
    got = heard(*map(piece, pieces), whole("".join(pieces)))
    assert (got.intact, got.chunk_count, got.faults) == (True, len(pieces), ())


@given(st.text(min_size=1, max_size=40), st.integers(0, 39), st.characters())
def test_a_changed_character_never_passes(text: str, place: int, other: str) -> None:
    at = place % len(text)
    if text[at] == other:
        return
    changed = text[:at] + other + text[at + 1 :]
    healed = heard(piece(text), END).text, heard(piece(changed), END).text
    assert heard(piece(changed), whole(text)).intact is (healed[0] == healed[1])
