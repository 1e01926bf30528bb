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


def test_a_fiscal_year_written_as_text(graph: SchemaGraph) -> None:
    year = Ask("1", Period(date(2025, 4, 1), date(2026, 4, 1), fiscal=True))
    sql = "SELECT SUM(net) FROM sales.month WHERE tenant_id = 1 AND fiscal_year = 'FY26'"
    assert not audit(sql, "sqlite", graph, year).rules


def test_one_name_in_two_databases_is_refused() -> None:
    with pytest.raises(ValueError, match="two databases"):
        schema_graph(
            TABLES | {"stock.bill": replace(TABLES["sales.bill"])}, (), zone="UTC", fiscal_year_start_month=1
        )
