from __future__ import annotations

import pytest

from app.records import PARAGRAPH
from app.retrieval.passages import (
    ENCODED_CHARACTERS,
    ENCODED_PASSAGES,
    ENCODED_WORDS,
    PASSAGE_WORDS,
    SHORT_REST,
    WHOLE_WORDS,
    split_passages,
    telling_passages,
)

FILLER = "Our house by the harbour has a garden, a boat and a large kitchen for all of us. "


@pytest.mark.parametrize("text", ["", "  ", "\n\t", "\u00a0", PARAGRAPH])
def test_blank_text_has_none(text: str) -> None:
    assert telling_passages(text) == []
    assert split_passages(text) == []


def test_short_text_stays_whole_with_its_spaces_tidied() -> None:
    assert split_passages("senior  Java.\nTwelve hires! ") == ["senior Java. Twelve hires!"]
    assert telling_passages("senior  Java.\nTwelve hires! ") == ["senior Java. Twelve hires!"]
    whole = " ".join(["word"] * WHOLE_WORDS)
    assert split_passages(whole) == [whole]


@pytest.mark.parametrize("end", [". ", " ", "\n"])
def test_long_text_is_split_into_short_passages_in_order(end: str) -> None:
    text = end.join(f"word{number}" for number in range(900))
    split = split_passages(text)
    assert all(len(passage.split()) <= PASSAGE_WORDS + SHORT_REST for passage in split)
    assert " ".join(split).split() == text.split()


def test_nothing_is_lost_in_the_full_split() -> None:
    text = (FILLER * 20) + "one endless sentence " * 60
    assert " ".join(split_passages(text)).split() == text.split()


def test_two_words_at_the_end_join_what_precedes() -> None:
    assert split_passages(FILLER * 20 + "Apply now!")[-1].endswith("of us. Apply now!")


@pytest.mark.parametrize(("before", "after"), [(0, 20), (10, 10), (20, 0)])
def test_the_encoder_reads_the_passage_that_asks_for_something(before: int, after: int) -> None:
    need = "Candidates must show experience with Jenkins. "
    (read,) = telling_passages(FILLER * before + need + FILLER * after)
    assert "must show experience with Jenkins." in read or "must show experience Jenkins." in read
    assert len(read.split()) <= ENCODED_WORDS


def test_without_words_of_asking_it_reads_the_first_passage() -> None:
    (read,) = telling_passages("Kafka, Hive, Spark and HBase. " + FILLER * 20)
    assert read.startswith("Kafka, Hive, Spark HBase.")


def test_function_words_are_not_encoded_unless_there_is_nothing_else() -> None:
    assert telling_passages("Someone who is good with the Excel of ours") == ["Someone good Excel ours"]
    assert telling_passages("who are you") == ["who are you"]


def test_a_message_is_read_by_itself_so_the_earlier_ones_stay_as_they_were() -> None:
    first = telling_passages(PARAGRAPH.join(["senior, Java", "Twelve hires.", "Graz."]))
    assert first == ["senior, Java", "Twelve hires.", "Graz."]
    assert telling_passages(PARAGRAPH.join([*first, "By June."]))[:3] == first
    assert telling_passages("senior, Java\nTwelve hires.\nGraz.") == ["senior, Java Twelve hires. Graz."]


def test_of_many_messages_the_first_and_the_latest_are_read() -> None:
    chosen = telling_passages(PARAGRAPH.join(f"message {number}" for number in range(50)))
    assert len(chosen) == ENCODED_PASSAGES
    assert (chosen[0], chosen[11], chosen[12], chosen[-1]) == (
        "message 0",
        "message 11",
        "message 38",
        "message 49",
    )
    few = [f"message {number}" for number in range(ENCODED_PASSAGES)]
    assert telling_passages(PARAGRAPH.join(few)) == few


def test_text_without_spaces_is_bounded() -> None:
    assert [len(passage) for passage in telling_passages("招" * 100_000)] == [ENCODED_CHARACTERS]
