"""A knowledge graph whose tables are `database.table`, seen by the audit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

import pytest

from eval.sql.audit import audit
from eval.sql.bridge import schema_graph
from eval.sql.graph import SchemaGraph
from eval.sql.records import Ask, Period


@dataclass(frozen=True)
class AColumn:
    type: str
    optional: bool = False


@dataclass(frozen=True)
class ATable:
    key: tuple[str, ...]
    columns: dict[str, AColumn]
    date: str | None = None


@dataclass(frozen=True)
class AnEdge:
    left: str
    right: str
    pairs: tuple[tuple[str, str], ...]


INT, DAY, TEXT, REAL = AColumn("int"), AColumn("date"), AColumn("text"), AColumn("real")
TABLES = {
    "sales.store": ATable(("store_id",), {"store_id": INT, "tenant_id": INT}),
    "sales.bill": ATable(
        ("bill_id",), {"bill_id": INT, "tenant_id": INT, "store_id": INT, "on": DAY, "net": REAL}, "on"
    ),
    "sales.visits": ATable(
        ("store_id", "on"), {"store_id": INT, "tenant_id": INT, "on": DAY, "n": INT}, "on"
    ),
    "sales.weeks": ATable(
        ("store_id", "week_start"), {"store_id": INT, "tenant_id": INT, "week_start": DAY, "net": REAL}
    ),
    "sales.visits_seen": ATable(("seen_id",), {"seen_id": INT, "tenant_id": INT, "seen": DAY}),
    "sales.month": ATable(
        ("store_id", "calendar_month"),
        {"store_id": INT, "tenant_id": INT, "calendar_month": TEXT, "fiscal_year": TEXT, "net": REAL},
    ),
}
EDGES = (
    AnEdge("sales.bill", "sales.store", (("store_id", "store_id"),)),
    AnEdge("sales.bill", "sales.visits", (("store_id", "store_id"), ("on", "on"))),
)


@pytest.fixture
def graph() -> SchemaGraph:
    return schema_graph(TABLES, EDGES, zone="Asia/Kolkata", fiscal_year_start_month=4)


def test_a_join_on_part_of_a_key_repeats_rows(graph: SchemaGraph) -> None:
    half = "SELECT SUM(b.net) FROM bill b JOIN visits v ON v.store_id = b.store_id WHERE b.tenant_id = 1"
    whole = half.replace(" WHERE", ' AND v."on" = b."on" WHERE')
    assert audit(half, "sqlite", graph, Ask("1")).rules == {"fan_out"}
    assert audit(whole, "sqlite", graph, Ask("1")).rules == frozenset()


@pytest.mark.parametrize(
    ("where", "rules"),
    [
        ("calendar_month = '2025-06'", set()),
        ("calendar_month >= '2025-06' AND calendar_month < '2025-07'", set()),
        ("calendar_month > '2025-05' AND calendar_month <= '2025-06'", set()),
        ("calendar_month = '2025-05'", {"period_filter"}),
        ("fiscal_year = 'FY26'", {"period_filter"}),
    ],
)
def test_months_and_years_written_as_text(graph: SchemaGraph, where: str, rules: set[str]) -> None:
    june = Ask("1", Period(date(2025, 6, 1), date(2025, 7, 1)))
    assert (
        audit(f"SELECT SUM(net) FROM month WHERE tenant_id = 1 AND {where}", "sqlite", graph, june).rules
        == rules
    )


@pytest.mark.parametrize(
    ("where", "rules"),
    [
        ("w = '2025-06-02'", set()),
        ("w >= '2025-06-02' AND w < '2025-06-09'", set()),
        ("w = '2025-05-26'", {"period_filter"}),
    ],
)
def test_the_first_day_of_a_week_stands_for_the_week(graph: SchemaGraph, where: str, rules: set[str]) -> None:
    week = Ask("1", Period(date(2025, 6, 2), date(2025, 6, 9)))
    sql = f"SELECT SUM(net) FROM weeks WHERE tenant_id = 1 AND {where.replace('w ', 'week_start ')}"
    assert audit(sql, "sqlite", graph, week).rules == rules


def test_in_a_table_without_a_day_of_its_own_any_date_filters(graph: SchemaGraph) -> None:
    june = Ask("1", Period(date(2025, 6, 1), date(2025, 7, 1)))
    sql = (
        "SELECT COUNT(*) FROM visits_seen WHERE tenant_id = 1 AND seen BETWEEN '2025-06-01' AND '2025-06-{}'"
    )
    assert not audit(sql.format(30), "sqlite", graph, june).rules
    assert audit(sql.format(29), "sqlite", graph, june).rules == {"period_filter"}


def test_a_running_period_may_be_filtered_to_a_later_end(graph: SchemaGraph) -> None:
    running = Period(date(2025, 4, 1), date(2025, 6, 11), fiscal=True)
    sql = "SELECT SUM(net) FROM month WHERE tenant_id = 1 AND fiscal_year = 'FY26'"
    assert not audit(sql, "sqlite", graph, Ask("1", running, today=date(2025, 6, 10))).rules
    assert audit(sql, "sqlite", graph, Ask("1", running)).rules


def test_a_value_drawn_from_a_nested_query_carries_the_filter(graph: SchemaGraph) -> None:
    sql = "SELECT SUM(net) FROM bill WHERE store_id {} {}"
    shops = "(SELECT store_id FROM store WHERE tenant_id = 1)"
    assert not audit(sql.format("=", shops), "sqlite", graph, Ask("1")).rules
    named = f"WITH shops AS {shops} " + sql.format("IN", "shops")
    assert not audit(named, "sqlite", graph, Ask("1")).rules
    assert audit(sql.format("<>", shops), "sqlite", graph, Ask("1")).rules == {"tenant_filter"}
    assert audit(sql.format("IN", "nowhere"), "sqlite", graph, Ask()).rules == {"unknown_table"}


def test_a_fiscal_year_written_as_text(graph: SchemaGraph) -> None:
    year = Ask("1", Period(date(2025, 4, 1), date(2026, 4, 1), fiscal=True))
    sql = "SELECT SUM(net) FROM sales.month WHERE tenant_id = 1 AND fiscal_year = 'FY26'"
    assert not audit(sql, "sqlite", graph, year).rules


def test_one_name_in_two_databases_is_refused() -> None:
    with pytest.raises(ValueError, match="two databases"):
        schema_graph(
            TABLES | {"stock.bill": replace(TABLES["sales.bill"])}, (), zone="UTC", fiscal_year_start_month=1
        )
