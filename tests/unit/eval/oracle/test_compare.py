"""Figures of an answer against figures computed again: by name, by column, at a watermark."""

from __future__ import annotations

import sqlite3
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from eval.oracle.compare import Figure, Outcome, compare_figures
from eval.oracle.gold import GoldQuery, Measure, check_answer, recompute
from eval.oracle.numbers import Unit
from eval.sql.reader import ReaderOptions

PUNE = Figure("net/Pune", Decimal(419_876), Unit.MONEY, ("Pune",))
AGRA = Figure("net/Agra", Decimal(310_000), Unit.MONEY, ("Agra",))


def outcomes(answer: str, *figures: Figure) -> list[str]:
    return [result.outcome.value for result in compare_figures(answer, figures).results]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Pune made ₹4.2 lakh, Agra ₹3.1 lakh.", ["matched", "matched"]),
        ("Pune made ₹3.1 lakh, Agra ₹4.2 lakh.", ["mismatched", "mismatched"]),
        ("₹4.2 lakh in Pune and ₹3.1 lakh in Agra.", ["matched", "matched"]),
        ("₹3.1 lakh (Pune) and ₹4.2 lakh (Agra).", ["mismatched", "mismatched"]),
        ("Pune made ₹4.2 lakh.", ["matched", "missing"]),
        ("| City | Net |\n|---|---|\n| Agra | 3,10,000 |\n| Pune | 4,19,876 |", ["matched", "matched"]),
        ("| City | Net |\n|---|---|\n| Agra | 3,10,000 |\n| Pune | 4,19,867 |", ["mismatched", "matched"]),
        ("Nothing to say.", ["missing", "missing"]),
        ("Punekar made ₹4.2 lakh", ["missing", "missing"]),
    ],
)
def test_a_figure_belongs_to_its_name(answer: str, expected: list[str]) -> None:
    assert outcomes(answer, PUNE, AGRA) == expected


def test_columns_by_their_heads() -> None:
    net = Figure("net", Decimal(1000), Unit.MONEY, ("Pune",), ("net sales", "bikri"))
    gross = Figure("gross", Decimal(1200), Unit.MONEY, ("Pune",), ("gross sales",))
    table = "| City | {} | {} |\n|---|---|---|\n| Pune | 1,000 | 1,200 |"
    assert outcomes(table.format("Net Sales (₹)", "Gross sales"), net, gross) == ["matched", "matched"]
    assert outcomes(table.format("Gross sales", "Net sales"), net, gross) == ["mismatched", "mismatched"]
    assert outcomes("Pune: net sales ₹1,000, gross sales ₹1,200", net, gross) == ["matched", "matched"]
    assert outcomes("Pune: net sales ₹1,200, gross sales ₹1,000", net, gross) == ["mismatched", "mismatched"]


def test_without_names_any_figure_of_the_unit_counts() -> None:
    total = Figure("net", Decimal(1_234_567), Unit.MONEY)
    assert outcomes("In June 2025 the 63 stores made ₹12,34,567.", total) == ["matched"]
    assert outcomes("In June 2025 the 63 stores made ₹12,43,567.", total) == ["mismatched"]
    assert outcomes("In June 2025 it rose by 12%.", total) == ["missing"]
    share = Figure("share", Decimal("0.125"), Unit.PLAIN)
    assert outcomes("The share is 12.5%.", share) == ["missing"]


def test_what_cannot_be_computed_is_not_compared() -> None:
    found = compare_figures("₹5", [Figure("x", None)])
    assert found.results[0].outcome is Outcome.NOT_COMPARABLE
    assert found.f1 is None


def test_figures_that_nobody_asked_for_are_told() -> None:
    found = compare_figures("Pune made ₹4.2 lakh; online made ₹9 lakh, 40% more.", [PUNE])
    assert found.unexplained == (Decimal(900_000), Decimal(40))
    assert found.f1 == 1.0


@pytest.fixture
def shop(tmp_path: Path) -> ReaderOptions:
    connection = sqlite3.connect(tmp_path / "s.db")
    connection.executescript(
        "CREATE TABLE bills (city TEXT, day TEXT, net REAL);"
        "INSERT INTO bills VALUES ('Pune', '2025-06-01', 400000), ('Pune', '2025-06-02', 19876), ('Agra', '2025-06-02', 5)"
    )
    connection.close()
    return ReaderOptions(tmp_path / "s.db")


QUERY = GoldQuery(
    "SELECT city, SUM(net) AS net FROM bills WHERE day <= :as_of GROUP BY city", {"net": Measure(Unit.MONEY)}
)


def check(shop: ReaderOptions, answer: str, day: int) -> list[str]:
    found = check_answer(answer, QUERY, shop, as_of=date(2025, 6, day), data_until=date(2025, 6, 2))
    return [result.outcome.value for result in found.results]


def test_the_answers_own_watermark_counts(shop: ReaderOptions) -> None:
    assert check(shop, "Pune: ₹4,00,000", 1) == ["matched"]
    assert check(shop, "Pune: ₹4,00,000, Agra: ₹5", 2) == ["matched", "mismatched"]
    assert check(shop, "Pune: ₹4,00,000", 3) == ["not_comparable"]


@pytest.mark.parametrize("sql", ["SELECT no FROM bills", "DELETE FROM bills", "SELECT city FROM bills"])
def test_a_gold_query_that_fails_compares_nothing(shop: ReaderOptions, sql: str) -> None:
    query = GoldQuery(sql, {"net": Measure()})
    gold = recompute(query, shop, date(2025, 6, 2))
    assert gold.problem
    assert not gold.empty
    found = check_answer("₹5", query, shop, as_of=date(2025, 6, 2), data_until=date(2025, 6, 2))
    assert [result.outcome for result in found.results] == [Outcome.NOT_COMPARABLE]


def test_an_empty_gold_result_says_so(shop: ReaderOptions) -> None:
    nothing = GoldQuery("SELECT SUM(net) AS net FROM bills WHERE day > :as_of", {"net": Measure()})
    assert recompute(nothing, shop, date(2025, 6, 2)).empty
    assert not recompute(QUERY, shop, date(2025, 6, 2)).empty
