"""Results as bags; columns by content; order only where the outermost query asks for it."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.sql.results import Cell, Order, compare, order_of, same_value

PUNE, AGRA = ["Pune"], ["Agra"]


@pytest.mark.parametrize(
    ("found", "ordered", "unordered"),
    [([PUNE, AGRA, AGRA], False, False), ([AGRA, PUNE], False, True), ([PUNE, AGRA], True, True)],
)
def test_repeats_count_and_order_only_when_asked(
    found: list[list[str]], ordered: bool, unordered: bool
) -> None:
    gold = [PUNE, AGRA]
    assert (compare(gold, found, Order((0,))).verdict == "equal") is ordered
    assert (compare(gold, found).verdict == "equal") is unordered


def test_columns_match_by_content_and_null_is_null() -> None:
    gold = [["Pune", Decimal("1234.50")], ["Agra", None]]
    assert compare(gold, [[1234.5, "Pune"], [None, "Agra"]]).verdict == "equal"
    assert compare(gold, [[1234.5, "Agra"], [None, "Pune"]]).verdict == "different"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (Decimal("0.00004"), Decimal("0.00001"), False),
        ("2.10", "2.1", False),
        (2, 2.0, True),
        (1_234_567.891, Decimal("1234567.8910001"), True),
        (0, None, False),
        (float("nan"), float("nan"), True),
        (float("inf"), 1, False),
        (b"a", "a", False),
    ],
)
def test_values(one: Cell, other: Cell, same: bool) -> None:
    assert same_value(one, other) is same
    assert same_value(other, one) is same


def test_ties_in_the_order_are_free() -> None:
    gold = [["Pune", 5], ["Agra", 5], ["Goa", 1]]
    order = order_of("SELECT city, n FROM t ORDER BY n DESC", "sqlite")
    assert order == Order((1,))
    assert compare(gold, [["Agra", 5], ["Pune", 5], ["Goa", 1]], order).verdict == "equal"
    assert compare(gold, [["Goa", 1], ["Agra", 5], ["Pune", 5]], order).verdict == "different"


@pytest.mark.parametrize(
    ("sql", "order"),
    [
        ("SELECT a FROM (SELECT a FROM t ORDER BY a) x", None),
        ("SELECT 'order by a' FROM t", None),
        ("SELECT SUM(a) OVER (ORDER BY b) FROM t", None),
        ("SELECT a, b FROM t ORDER BY 2, a", Order((1, 0))),
        ("SELECT a FROM t ORDER BY hidden", Order(())),
        ("SELECT a FROM t UNION SELECT a FROM u ORDER BY a", Order((0,))),
        ("not sql at all (", None),
    ],
)
def test_only_the_outermost_order_counts(sql: str, order: Order | None) -> None:
    assert order_of(sql, "postgres") == order


def test_extra_columns_are_reported_and_missing_ones_differ() -> None:
    found = compare([[1], [2]], [["x", 2], ["y", 1]])
    assert (found.verdict, found.extra_columns) == ("equal", (0,))
    assert compare([["x", 2]], [[2]]).verdict == "different"


def test_two_empty_results_prove_nothing_without_a_reason() -> None:
    assert compare([], []).verdict == "both_empty"
    assert compare([], [], empty_because="the store opened later").verdict == "equal"
    assert compare([], [[1]]).verdict == "different"
    assert compare([[1]], []).verdict == "different"


def test_values_that_are_near_each_other_may_sort_either_way() -> None:
    gold = [[1.0, "b"], [1.0000000001, "a"]]
    assert compare(gold, [[1.0000000001, "b"], [1.0, "a"]]).verdict == "equal"


CELLS = st.one_of(st.none(), st.integers(-5, 5), st.sampled_from(["a", "b", ""]))
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=6)
)


@given(TABLES, st.integers())
def test_shuffled_rows_and_columns_are_the_same_result(gold: list[list[Cell]], seed: int) -> None:
    chance = random.Random(seed)
    columns = list(range(len(gold[0])))
    chance.shuffle(columns)
    found = [[row[column] for column in columns] for row in gold]
    chance.shuffle(found)
    assert compare(gold, found).verdict == "equal"


@given(TABLES, st.data())
def test_another_value_is_another_result(gold: list[list[Cell]], data: st.DataObject) -> None:
    row, column = data.draw(st.integers(0, len(gold) - 1)), data.draw(st.integers(0, len(gold[0]) - 1))
    found = [list(each) for each in gold]
    found[row][column] = "something else"
    assert compare(gold, found).verdict == "different"
