"""Verdicts, names by scope, spans; the field's problems and their twins; nothing that is typed makes it raise."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eval.sql as package
from eval.sql.audit import audit
from eval.sql.graph import Column, JoinEdge, Kind, SchemaGraph, Table, load_graph
from eval.sql.labelled import load_labelled
from eval.sql.records import DIALECTS, Ask, Audit, Dialect, Verdict

CASES = Path(package.__file__).parent / "cases"
GRAPH = load_graph(CASES / "graph.json")


def a_table(schema: str, columns: str, *keys: tuple[str, ...]) -> Table:
    kinds: dict[str, Kind] = {
        "qty": "integer",
        "on_hand": "integer",
        "bill_ts": "timestamp",
        "net_value": "decimal",
    }
    built = {
        name: Column(kinds.get(name, "text"), role="period" if name == "bill_ts" else None)
        for name in columns.split()
    }
    return Table(built, keys, schema)


FIELD = SchemaGraph(
    {
        "fact_sales": a_table("sales", "bill_id store_id sku bill_ts net_value qty", ("bill_id",)),
        "dim_store": a_table("sales", "store_id city brand", ("store_id",)),
        "stock": a_table("inv", "store_id sku on_hand", ("store_id", "sku")),
        "inv_stock": a_table("", "store_id sku on_hand", ("store_id", "sku")),
        "bill_lines": a_table("sales", "bill_id line_no sku line_value", ("bill_id", "line_no")),
        "cases": a_table("crm", "case_id created_at updated_at is_deleted update", ("case_id",)),
    },
    (
        JoinEdge("bill_lines.bill_id", "fact_sales.bill_id"),
        JoinEdge("fact_sales.store_id", "dim_store.store_id"),
        JoinEdge("stock.store_id", "dim_store.store_id"),
    ),
    business_zone="Asia/Kolkata",
)


def field(sql: str, dialect: Dialect = "postgres", ask: Ask | None = None) -> Audit:
    return audit(sql, dialect, FIELD, ask)


def test_names_of_with_queries_are_no_tables() -> None:
    found = field(
        "WITH june AS (SELECT store_id, SUM(net_value) v FROM sales.fact_sales WHERE bill_ts >= '2025-06-01' AND "
        "bill_ts < '2025-07-01' GROUP BY store_id) "
        "SELECT d.city, j.v FROM june j JOIN sales.dim_store d ON d.store_id=j.store_id"
    )
    assert found.verdict is Verdict.PASSED
    assert found.tables == ("dim_store", "fact_sales")
    assert "fact_sales.net_value" in found.columns
    assert field("SELECT v FROM june").rules == {"unknown_table"}


def test_a_recursive_query_may_read_itself() -> None:
    found = field(
        "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM d WHERE n<7) SELECT d.n, COUNT(f.bill_id) FROM d "
        "LEFT JOIN sales.fact_sales f ON EXTRACT(ISODOW FROM f.bill_ts)=d.n GROUP BY d.n"
    )
    assert (found.verdict, found.tables) == (Verdict.PASSED, ("fact_sales",))


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        (
            "WITH gone AS (DELETE FROM inv.stock WHERE on_hand=0 RETURNING sku) SELECT COUNT(*) FROM gone",
            "DELETE",
        ),
        ("WITH a AS (SELECT 1) UPDATE sales.fact_sales SET net_value=0", "UPDATE"),
        ("WITH a AS (SELECT 1) INSERT INTO inv.stock SELECT 1,'x',2", "INSERT"),
    ],
)
def test_writes_inside_with_are_named(sql: str, kind: str) -> None:
    found = field(sql)
    assert found.verdict is Verdict.FAILED
    assert found.rules == {"read_only"}
    assert kind in found.findings[0].message


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sku FROM inv_stock /*!50000 UNION SELECT pay FROM payroll */",
        "SELECT sku INTO/*a*/DUMPFILE 'x' FROM inv_stock",
    ],
)
def test_what_the_server_reads_otherwise_than_the_parser_is_refused(sql: str) -> None:
    found = field(sql, "mysql")
    assert (found.verdict, found.tables) == (Verdict.FAILED, ())


def test_an_ordinary_comment_is_no_fault() -> None:
    assert (
        field("SELECT sku FROM inv_stock /* 50000 UNION SELECT pay FROM payroll */", "mysql").verdict
        == "passed"
    )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT pg_sleep(600)",
        "SELECT pg_read_file('pg_hba.conf')",
        'SELECT U&"pg\\005fsleep"(9)',
        "SELECT set_config('role','admin',false)",
    ],
)
def test_functions_with_effects_are_refused(sql: str) -> None:
    assert field(sql).rules == {"function"}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT created_at, updated_at FROM crm.cases WHERE is_deleted = 0",
        "SELECT COUNT(*) FROM crm.cases WHERE 'drop in footfall' LIKE '%drop%'",
        'SELECT "update" FROM crm.cases',
        "SELECT REPLACE(sku,'-','') FROM inv.stock",
        "(SELECT sku FROM inv.stock) UNION ALL (SELECT sku FROM sales.fact_sales) ORDER BY 1",
        "WITH v(x) AS (VALUES (1),(2)) SELECT x FROM v",
        "SELECT 1 FROM sales.fact_sales WHERE bill_ts >= current_date - interval '1 day 6 hours' AND qty > 0",
        "SELECT sum(qty) OVER (ORDER BY bill_ts RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW) "
        "FROM sales.fact_sales",
        "SELECT SUM(net_value) FROM sales.fact_sales WHERE bill_ts >= now() + interval '-2 month'",
        "SELECT COUNT(l.line_no) FROM sales.fact_sales f JOIN sales.bill_lines l ON l.bill_id=f.bill_id",
        "SELECT 1 -- a closing note\r\n ;",
    ],
)
def test_harmless_reads_are_let_through(sql: str) -> None:
    found = field(sql)
    assert found.verdict in (Verdict.PASSED, Verdict.WARNED)
    assert found.rules <= {"today_zone"}
    assert found.sql == sql


def test_a_sum_over_repeated_bills_names_the_lines() -> None:
    found = field(
        "SELECT SUM(f.net_value) FROM sales.fact_sales f JOIN sales.bill_lines l ON l.bill_id=f.bill_id "
        "JOIN sales.dim_store d ON d.store_id=f.store_id WHERE d.city='Pune'",
        ask=Ask(period="any"),
    )
    assert found.rules == {"fan_out", "period_filter"}
    assert any("each row of l" in finding.message for finding in found.findings)


def test_today_in_another_zone_is_a_warning_that_says_which() -> None:
    sql = "SELECT SUM(net_value) FROM sales.fact_sales WHERE CAST(bill_ts AS date)=CURRENT_DATE"
    found = field(sql, ask=Ask(session_zone="UTC"))
    assert found.verdict is Verdict.WARNED
    assert "UTC" in found.findings[0].message
    assert field(sql, ask=Ask(session_zone="Asia/Kolkata")).verdict is Verdict.PASSED


@pytest.mark.parametrize("depth", [3, 800])
def test_deep_brackets_are_answered_at_once(depth: int) -> None:
    start = time.perf_counter()
    found = field("(" * depth + "SELECT 1" + ")" * depth)
    assert time.perf_counter() - start < 30  # an answer at all, not a speed
    assert found.verdict is (Verdict.PASSED if depth < 40 else Verdict.UNKNOWN)


@pytest.mark.parametrize("sql", ["", ";", "-- nothing", "SELECT FROM WHERE", "SELECT 'open", "नमस्ते"])
def test_what_cannot_be_read_is_unknown(sql: str) -> None:
    found = field(sql)
    assert (found.verdict, found.findings) == (Verdict.UNKNOWN, ())
    assert found.reason
    assert found.parser.startswith("sqlglot ")


def test_a_chain_of_with_queries_that_doubles_is_not_followed_for_ever() -> None:
    steps = ["s0 AS (SELECT store_id FROM stores)"]
    steps += [
        f"s{n} AS (SELECT a.store_id FROM s{n - 1} a JOIN s{n - 1} b ON a.store_id = b.store_id)"
        for n in range(1, 20)
    ]
    found = audit(f"WITH {', '.join(steps)} SELECT COUNT(*) FROM s19", "postgres", GRAPH)
    assert found.verdict is Verdict.UNKNOWN
    assert "row sources" in found.reason


def test_a_finding_says_where() -> None:
    sql = "SELECT s.town FROM stores s"
    (finding,) = audit(sql, "postgres", GRAPH).findings
    assert finding.span is not None
    assert sql[finding.span.start : finding.span.end] == "s.town"


STATEMENTS = [each for name in ("dev", "test") for each in load_labelled(CASES / f"{name}.jsonl")]


@given(st.sampled_from(STATEMENTS), st.sampled_from(DIALECTS), st.data())
def test_no_text_makes_it_raise(statement: object, dialect: Dialect, data: st.DataObject) -> None:
    sql = getattr(statement, "sql")  # noqa: B009
    start = data.draw(st.integers(0, len(sql)))
    end = data.draw(st.integers(start, len(sql)))
    insert = data.draw(
        st.sampled_from(["", " ", "(", ")", ";", "'", " AND ", " SELECT ", "/*", "*/", ".", "::"])
    )
    audit(sql[:start] + insert + sql[end:], dialect, GRAPH, Ask("7", "any"))


@given(st.sampled_from(STATEMENTS))
def test_spacing_comments_and_a_semicolon_change_nothing(statement: object) -> None:
    sql, dialect, ask = (getattr(statement, name) for name in ("sql", "dialect", "ask"))
    before = audit(sql, dialect, GRAPH, ask)
    after = audit(f"\n /* note */ {sql.rstrip('; ')} \r\n;", dialect, GRAPH, ask)
    if before.verdict is not Verdict.UNKNOWN:
        assert after.rules == before.rules
