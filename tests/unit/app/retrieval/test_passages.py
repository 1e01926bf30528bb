from __future__ import annotations

import pytest

from app.retrieval.passages import PASSAGE_CHARACTERS, WHOLE_WORDS, passages, split_passages

FILLER = "Our house by the harbour has a garden, a boat and a large kitchen for all of us. "


@pytest.mark.parametrize("text", ["", "  ", "\n\t", "\u00a0"])
def test_blank_text_has_none(text: str) -> None:
    assert passages(text) == []
    assert split_passages(text) == []


def test_short_text_stays_whole_with_its_spaces_tidied() -> None:
    assert passages("senior  Java.\nTwelve hires! ") == ["senior Java. Twelve hires!"]
    whole = " ".join(["word"] * WHOLE_WORDS)
    assert passages(whole) == [whole]


@pytest.mark.parametrize("end", [". ", " ", "\n"])
def test_long_text_gives_three_short_ones_from_first_to_last(end: str) -> None:
    text = end.join(f"word{number}" for number in range(900))
    chosen = passages(text)
    assert len(chosen) == 3
    assert all(len(passage.split()) <= 200 for passage in chosen)
    assert chosen[0].startswith("word0")
    assert chosen[-1].rstrip(".").endswith("word899")


def test_nothing_is_lost_in_the_full_split() -> None:
    text = (FILLER * 20) + "one endless sentence " * 60
    assert " ".join(split_passages(text)).split() == text.split()


def test_takes_the_passage_that_asks_for_something_from_the_middle() -> None:
    need = "Candidates must have experience with Jenkins. "
    assert need.strip() in passages(FILLER * 15 + need + FILLER * 15)[1]


def test_without_words_of_asking_takes_the_middle_passage_with_most_news() -> None:
    odd = "Kafka, Hive, Spark, Pig, Hadoop and HBase. "
    assert odd.strip() in passages(FILLER * 15 + odd + FILLER * 15)[1]


def test_must_haves_at_the_end_stand_nearly_alone() -> None:
    last = passages(FILLER * 25 + "Must haves: Jenkins, Docker, Selenium.")[-1]
    assert "Jenkins" in last
    assert len(last.split()) <= 45


def test_two_words_at_the_end_join_what_precedes() -> None:
    assert passages(FILLER * 20 + "Apply now!")[-1].endswith("of us. Apply now!")


def test_text_without_spaces_is_bounded() -> None:
    assert [len(passage) for passage in passages("招" * 100_000)] == [PASSAGE_CHARACTERS]
