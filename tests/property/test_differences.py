"""Laws of the comparison of two answers."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from eval.differences import HARMLESS, Kind, compare_texts, tokens

words = st.text(st.characters(categories=["Ll", "Lu", "Lo"]), min_size=1, max_size=8)
figures = st.integers(0, 10**9).map(str)
texts = st.lists(st.one_of(words, figures), min_size=1, max_size=12).map(" ".join)
wild = st.text(max_size=60)


@given(wild, wild)
def test_the_kind_does_not_depend_on_the_order(one: str, other: str) -> None:
    assert compare_texts(one, other).kind is compare_texts(other, one).kind


@given(wild)
def test_a_text_is_itself(text: str) -> None:
    assert compare_texts(text, text).kind is Kind.IDENTICAL


@given(texts, st.sampled_from(["upper", "title", "lower"]), st.sampled_from(["  ", "\n", "\t", " \u00a0"]))
def test_spacing_and_case_are_looks(text: str, case: str, gap: str) -> None:
    assume(getattr(text, case)().casefold() == text.casefold())
    assert compare_texts(text, getattr(text, case)().replace(" ", gap)).kind in HARMLESS


@given(st.lists(words, min_size=1, max_size=8))
def test_marks_of_layout_are_looks(parts: list[str]) -> None:
    plain, drawn = " ".join(parts), "\n".join(f"- **{part}**" for part in parts)
    assert compare_texts(plain, drawn).kind is Kind.COSMETIC


@given(st.integers(0, 10**12), st.booleans())
def test_grouping_is_looks(value: int, indian: bool) -> None:
    grouped = f"{value:,}"
    if indian and value >= 1000:
        head, tail = str(value)[:-3], str(value)[-3:]
        pairs = [head[max(0, end - 2) : end] for end in range(len(head), 0, -2)][::-1]
        grouped = ",".join([*pairs, tail])
    assert compare_texts(f"sold {value} units", f"sold {grouped} units").kind in HARMLESS


@given(texts, figures, figures, texts)
def test_another_figure_is_a_numeric_difference(before: str, one: str, other: str, after: str) -> None:
    assume(int(one) != int(other))
    kind = compare_texts(f"{before} {one} {after}", f"{before} {other} {after}").kind
    assert kind is Kind.NUMERIC_DIFF


@given(st.lists(st.one_of(words, figures), min_size=2, max_size=12), st.integers(0, 11))
def test_what_is_left_out_is_missing(parts: list[str], place: int) -> None:
    at = place % len(parts)
    assume(tokens(parts[at]))
    kind = compare_texts(" ".join(parts), " ".join(parts[:at] + parts[at + 1 :])).kind
    assert kind in (Kind.MISSING_CONTENT, Kind.NUMERIC_DIFF)
    if not any(character.isdigit() for part in parts for character in part):
        assert kind is Kind.MISSING_CONTENT


@given(wild, wild)
def test_harmless_means_the_same_tokens(one: str, other: str) -> None:
    assert (compare_texts(one, other).kind in HARMLESS) is (one == other or tokens(one) == tokens(other))
