"""The generated data hold together: keys, sums, the ledger, tenants, seasons."""

import sqlite3
from collections import Counter

import pytest

from eval.sandbox.build import DEFAULT_SEED, generate
from eval.sandbox.engine import connect
from eval.sandbox.graph import load_graph
from eval.sandbox.world import found

GRAPH = load_graph()


def test_every_table_has_rows_and_sales_are_many(data) -> None:
    empty = [name for name in GRAPH.tables if not data(f"SELECT 1 FROM {name} LIMIT 1")]
    assert empty == []
    assert data("SELECT COUNT(*) FROM sales.bill_line")[0][0] >= 200_000


def test_every_key_leads_to_a_row(data) -> None:
    orphans = []
    for edge in GRAPH.edges:
        (left, right), *more = edge.pairs
        if more or GRAPH.tables[edge.left].columns[left].ref != f"{edge.right}.{right}":
            continue  # an edge on a shared grain promises no partner
        query = (
            f"SELECT COUNT(*) FROM {edge.left} WHERE {left} IS NOT NULL "
            f"AND {left} NOT IN (SELECT {right} FROM {edge.right})"
        )
        if data(query)[0][0]:
            orphans.append(query)
    assert orphans == []


def test_no_key_leads_into_another_company(data) -> None:
    for edge in GRAPH.edges:
        both = all("tenant_id" in GRAPH.tables[side].columns for side in (edge.left, edge.right))
        if both and edge.pairs[0][0] != "tenant_id" and len(edge.pairs) == 1:
            left, right = edge.pairs[0]
            crossed = (
                f"SELECT 1 FROM {edge.left} a JOIN {edge.right} b ON b.{right} = a.{left} "
                "WHERE a.tenant_id <> b.tenant_id LIMIT 1"
            )
            assert data(crossed) == [], edge


@pytest.mark.parametrize("column", ["mrp_value", "discount_value", "tax_value", "net_value"])
def test_lines_add_up_to_bills(data, column) -> None:
    assert (
        data(
            f"SELECT b.bill_id FROM sales.bill b JOIN (SELECT bill_id, SUM({column}) AS v FROM sales.bill_line "
            f"GROUP BY bill_id) l ON l.bill_id = b.bill_id WHERE l.v <> b.{column} LIMIT 1"
        )
        == []
    )


def test_values_of_a_line_belong_together(data) -> None:
    wrong = "mrp_value - discount_value <> net_value + tax_value OR quantity < 1 OR discount_value < 0 OR net_value < 1"
    assert data(f"SELECT 1 FROM sales.bill_line WHERE {wrong} LIMIT 1") == []


def test_payments_settle_bills(data) -> None:
    unpaid = (
        "SELECT b.bill_id FROM sales.bill b JOIN (SELECT bill_id, SUM(paid_value) AS v FROM sales.bill_payment "
        "GROUP BY bill_id) p ON p.bill_id = b.bill_id WHERE p.v <> b.net_value + b.tax_value LIMIT 1"
    )
    assert data(unpaid) == []


def test_returns_follow_their_sale_in_the_same_store(data) -> None:
    wrong = (
        "SELECT 1 FROM sales.return_line r JOIN sales.bill_line l ON l.bill_line_id = r.bill_line_id WHERE "
        "r.sku_id <> l.sku_id OR r.store_id <> l.store_id OR r.business_date <= l.business_date "
        "OR r.return_quantity > l.quantity LIMIT 1"
    )
    assert data(wrong) == []


def test_the_ledger_is_every_movement_and_never_below_zero(data) -> None:
    sums = dict(
        data(
            "SELECT movement_type_id, SUM(moved_quantity) FROM inventory.stock_ledger GROUP BY movement_type_id"
        )
    )
    documents = {
        2: "SELECT SUM(received_quantity) FROM inventory.goods_receipt_line",
        3: "SELECT -SUM(quantity) FROM sales.bill_line",
        4: "SELECT SUM(return_quantity) FROM sales.return_line",
        5: "SELECT -SUM(quantity) FROM inventory.transfer_line",
        6: "SELECT SUM(quantity) FROM inventory.transfer_line l JOIN inventory.transfer t USING (transfer_id) "
        "WHERE t.received_on IS NOT NULL",
        7: "SELECT SUM(adjusted_quantity) FROM inventory.stock_adjustment_line",
        8: "SELECT -SUM(damaged_quantity) FROM inventory.damage_line",
    }
    for kind, query in documents.items():
        assert sums[kind] == data(query)[0][0], kind
    running = (
        "SELECT MIN(s) FROM (SELECT SUM(moved_quantity) OVER (PARTITION BY location_id, sku_id "
        "ORDER BY business_date, ledger_id) AS s FROM inventory.stock_ledger)"
    )
    assert data(running)[0][0] == 0
    assert data("SELECT SUM(on_hand) FROM inventory.stock_on_hand") == [(sum(sums.values()),)]


def test_zero_sale_lines_did_not_sell_for_ninety_days(data) -> None:
    sold = (
        "SELECT 1 FROM replenishment.zero_sale_line z JOIN sales.bill_line l ON l.store_id = z.store_id "
        "AND l.sku_id = z.sku_id WHERE z.run_date = '2026-01-31' AND l.business_date BETWEEN "
        "date(z.run_date, '-89 days') AND date(z.run_date, '-1 day') LIMIT 1"
    )
    assert data(sold) == []
    assert data("SELECT MIN(days_since_sale) FROM replenishment.zero_sale_line")[0][0] >= 90


def test_no_run_allots_more_than_was_needed(data) -> None:
    for table in ("core_repl_line", "fashion_repl_line"):
        query = f"SELECT 1 FROM replenishment.{table} WHERE allotted_quantity > needed_quantity LIMIT 1"
        assert data(query) == []


def test_the_year_runs_from_april_to_march(data) -> None:
    days = dict(data("SELECT business_date, fiscal_year || fiscal_quarter FROM sales.calendar_day"))
    assert days["2025-03-31"] == "FY25Q4"
    assert days["2025-04-01"] == "FY26Q1"
    assert days["2026-01-15"] == "FY26Q4"


def test_festivals_sell_more_and_fashion_sells_in_its_time(data) -> None:
    mean = dict(
        data(
            "SELECT c.festival_id IS NOT NULL, AVG(s.v) FROM (SELECT business_date, SUM(net_value) AS v "
            "FROM sales.sales_day_store GROUP BY 1) s JOIN sales.calendar_day c USING (business_date) GROUP BY 1"
        )
    )
    assert mean[1] > 1.2 * mean[0]
    early = (
        "SELECT 1 FROM sales.bill_line l JOIN sales.sku k USING (sku_id) JOIN sales.style y USING (style_id) "
        "WHERE l.business_date < y.launched_on LIMIT 1"
    )
    assert data(early) == []


def test_closed_and_unopened_stores_sell_nothing(data) -> None:
    wrong = "SELECT 1 FROM sales.bill b JOIN sales.store s USING (store_id) WHERE b.business_date < s.opened_on LIMIT 1"
    assert data(wrong) == []
    closed = "SELECT COUNT(*) FROM sales.store WHERE store_status = 'Closed'"
    assert data(closed)[0][0] == 2


def test_the_same_seed_gives_the_same_rows(data) -> None:
    rows = generate(DEFAULT_SEED, GRAPH)
    for table in ("sales.bill_line", "inventory.stock_ledger", "replenishment.core_repl_line", "sales.store"):
        key = ", ".join(GRAPH.tables[table].key)
        assert sorted(rows[table]) == data(f"SELECT * FROM {table} ORDER BY {key}"), table


def test_another_seed_gives_other_companies() -> None:
    here, there = (found(seed, GRAPH)[0] for seed in (DEFAULT_SEED, DEFAULT_SEED + 1))
    for table in ("sales.company", "sales.brand", "sales.store"):
        assert here[table] != there[table]
    assert Counter(map(len, here.values())).total() == Counter(map(len, there.values())).total()


def test_the_connection_cannot_write(folder) -> None:
    connection = connect(folder)
    for statement in (
        "DELETE FROM sales.bill",
        "UPDATE sales.store SET area_sqft = 1",
        "DROP TABLE sales.bill",
    ):
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute(statement)
    connection.close()
