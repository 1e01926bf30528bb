"""Every rule of the SQL audit: found by its module, and held by a pair of which one must trigger and a twin must not."""

from __future__ import annotations

import pkgutil
from datetime import date
from pathlib import Path

import pytest

import eval.sql.rules as package
from eval.sql.audit import audit
from eval.sql.graph import load_graph
from eval.sql.records import Ask, Dialect, Period, Verdict
from eval.sql.registry import known_rules

GRAPH = load_graph(Path(package.__file__).parent.parent / "cases" / "graph.json")
JUNE = Period(date(2025, 6, 1), date(2025, 7, 1))
FY26 = Period(date(2025, 4, 1), date(2026, 4, 1), fiscal=True)
Pair = tuple[Dialect, Ask, str, str]

PAIRS: dict[str, Pair] = {
    "cartesian_join": (
        "postgres",
        Ask("7"),
        "SELECT s.city, b.net_amount FROM stores s, bills b WHERE s.tenant_id = 7 AND b.tenant_id = 7",
        "SELECT s.city, b.net_amount FROM stores s, bills b WHERE s.tenant_id = 7 AND b.store_id = s.store_id",
    ),
    "fan_out": (
        "postgres",
        Ask("7"),
        "SELECT SUM(b.net_amount) FROM bills b JOIN bill_lines l ON l.bill_id = b.bill_id WHERE b.tenant_id = 7",
        "SELECT SUM(l.line_amount) FROM bills b JOIN bill_lines l ON l.bill_id = b.bill_id WHERE b.tenant_id = 7",
    ),
    "function": ("postgres", Ask(), "SELECT pg_sleep(9)", "SELECT round(9.1)"),
    "integer_division": (
        "sqlite",
        Ask("7"),
        "SELECT SUM(qty) / COUNT(*) FROM bill_lines WHERE tenant_id = 7",
        "SELECT SUM(line_amount) / COUNT(*) FROM bill_lines WHERE tenant_id = 7",
    ),
    "limit_without_order": (
        "tsql",
        Ask("7"),
        "SELECT TOP 3 city FROM stores WHERE tenant_id = 7",
        "SELECT TOP 3 city FROM stores WHERE tenant_id = 7 ORDER BY city",
    ),
    "multiple_statements": ("sqlite", Ask(), "SELECT 1; SELECT 2", "SELECT 1; -- SELECT 2"),
    "not_in_null": (
        "mysql",
        Ask("7"),
        "SELECT city FROM customers WHERE tenant_id = 7 AND customer_id NOT IN (SELECT customer_id FROM bills)",
        "SELECT city FROM customers WHERE tenant_id = 7 AND customer_id IN (SELECT customer_id FROM bills)",
    ),
    "period_filter": (
        "postgres",
        Ask("7", JUNE),
        "SELECT SUM(net_amount) FROM bills WHERE tenant_id = 7 AND bill_ts BETWEEN '2025-06-01' AND '2025-06-30'",
        "SELECT SUM(net_amount) FROM bills WHERE tenant_id = 7 AND bill_date BETWEEN '2025-06-01' AND '2025-06-30'",
    ),
    "read_only": (
        "postgres",
        Ask(),
        "WITH x AS (DELETE FROM stock RETURNING sku_id) SELECT COUNT(*) FROM x",
        "WITH x AS (SELECT 'DELETE FROM stock' AS drop_note) SELECT COUNT(*) FROM x",
    ),
    "tenant_filter": (
        "bigquery",
        Ask("7"),
        "SELECT COUNT(*) FROM stores WHERE tenant_id = 7 OR city = 'Pune'",
        "SELECT COUNT(*) FROM stores WHERE tenant_id = 7 AND city = 'Pune'",
    ),
    "today_zone": (
        "snowflake",
        Ask("7"),
        "SELECT COUNT(*) FROM bills WHERE tenant_id = 7 AND bill_date = CURRENT_DATE",
        "SELECT COUNT(*) FROM bills WHERE tenant_id = 7 AND "
        "bill_date = CONVERT_TIMEZONE('Asia/Kolkata', CURRENT_TIMESTAMP())::date",
    ),
    "unknown_column": (
        "sqlite",
        Ask("7"),
        "SELECT s.town FROM stores s WHERE s.tenant_id = 7",
        "SELECT s.city AS town FROM stores s WHERE s.tenant_id = 7 ORDER BY town",
    ),
    "unknown_join": (
        "sqlite",
        Ask("7"),
        "SELECT COUNT(*) FROM returns r JOIN bills b ON b.bill_id = r.return_id WHERE r.tenant_id = 7",
        "SELECT COUNT(*) FROM returns r JOIN bills b ON b.bill_id = r.bill_id WHERE r.tenant_id = 7",
    ),
    "unknown_table": (
        "sqlite",
        Ask("7"),
        "SELECT COUNT(*) FROM june",
        "WITH june AS (SELECT 1 AS n) SELECT COUNT(*) FROM june",
    ),
    "year_convention": (
        "mysql",
        Ask("7", FY26),
        "SELECT SUM(net_amount) FROM bills WHERE tenant_id = 7 AND YEAR(bill_date) = 2025",
        "SELECT SUM(net_amount) FROM bills WHERE tenant_id = 7 AND bill_date >= '2025-04-01' AND bill_date < '2026-04-01'",
    ),
}


def test_every_module_is_a_rule_of_its_name() -> None:
    assert [module.name for module in pkgutil.iter_modules(package.__path__)] == list(known_rules())


def test_every_rule_has_a_pair() -> None:
    assert set(PAIRS) == set(known_rules())


@pytest.mark.parametrize("name", PAIRS)
def test_one_triggers_and_its_twin_does_not(name: str) -> None:
    dialect, ask, bad, good = PAIRS[name]
    found = audit(bad, dialect, GRAPH, ask)
    assert name in found.rules
    assert all(finding.message for finding in found.findings)
    twin = audit(good, dialect, GRAPH, ask)
    assert (twin.verdict, twin.findings) == (Verdict.PASSED, ())
