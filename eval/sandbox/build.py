"""Builds the three databases of a seed: DDL and derived tables from the graph, the rest from the generator."""

from __future__ import annotations

import fcntl
import hashlib
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np

from eval.errors import DatasetError
from eval.sandbox.flow import Flow
from eval.sandbox.graph import DATABASES, FOLDER, Graph, Table, ddl, load_graph
from eval.sandbox.runs import Runs
from eval.sandbox.trade import Ids, trade
from eval.sandbox.world import AS_OF, Rows, found
from eval.store import ROOT

DEFAULT_SEED = 7
STORE = ROOT / "store" / "sandbox"
_DONE = "complete"
"""Marks a finished build; holds what it was built from."""
_SPAN = float(2**32)


def folder_of(seed: int, store: Path = STORE) -> Path:
    """Where the databases of `seed` are."""
    return store / f"seed-{seed}"


def fingerprint() -> str:
    """Changes when the graph or the generator does."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    names = ("graph", "world", "trade", "flow", "runs", "build")
    data = [FOLDER / f"{name}.yaml" for name in ("columns", *DATABASES, "names")]
    for path in [*(package / f"{name}.py" for name in names), *data]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def ensure(seed: int, store: Path = STORE) -> Path:
    """The databases of `seed`, built now when missing or older than the code and the graph."""
    folder = folder_of(seed, store)
    mark = folder / _DONE
    store.mkdir(parents=True, exist_ok=True)
    with (store / f"seed-{seed}.lock").open("w", encoding="utf-8") as lock:
        # Test workers start together: one builds, the others wait.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not mark.exists() or mark.read_text(encoding="utf-8") != fingerprint():
            build(seed, store)
    return folder


def build(seed: int, store: Path = STORE) -> Path:
    """Build anew; the same seed gives the same rows.

    Returns:
        The folder with `sales.db`, `inventory.db` and `replenishment.db`.
    """
    folder = folder_of(seed, store)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    graph = load_graph()
    rows = generate(seed, graph)
    connection = sqlite3.connect(":memory:")
    connection.create_function("u", -1, _uniform(seed), deterministic=True)
    for name in DATABASES:
        connection.execute(f"ATTACH ? AS {name}", (str(folder / f"{name}.db"),))
        for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-200000"):
            connection.execute(f"PRAGMA {name}.{pragma}")
    with connection:
        for table in graph.tables.values():
            connection.execute(ddl(table))
        for table in graph.tables.values():
            _insert(connection, table, rows)
        for statement in _INDEXES:
            connection.execute(statement)
        for table in _in_order(graph):
            connection.execute(f"INSERT INTO {table.name} {table.sql}", {"as_of": AS_OF.isoformat()})
        for name in DATABASES:
            connection.execute(f"ANALYZE {name}")
    connection.close()
    (folder / _DONE).write_text(fingerprint(), encoding="utf-8")
    return folder


def generate(seed: int, graph: Graph) -> Rows:
    """The rows of all tables that neither `rows` nor `sql` of the graph fills."""
    rows, companies = found(seed, graph)
    ids = Ids()
    for company in companies:
        rng = np.random.default_rng
        done = trade(company, rows, graph, ids, rng([seed, 2, company.tenant_id]))
        ledger = Flow(company, done, rows, rng([seed, 3, company.tenant_id])).run()
        Runs(company, ledger, rows, graph, rng([seed, 4, company.tenant_id])).run()
    return rows


def _insert(connection: sqlite3.Connection, table: Table, rows: Rows) -> None:
    if table.sql is None:
        marks = ", ".join("?" * len(table.columns))
        values = table.rows or rows[table.name]
        connection.executemany(f"INSERT INTO {table.name} VALUES ({marks})", values)  # noqa: S608 - from the graph


def _in_order(graph: Graph) -> list[Table]:
    """Derived tables, each after those it reads."""
    waiting = [table for table in graph.tables.values() if table.sql]
    done: list[Table] = []
    while waiting:
        names = {table.name for table in waiting}
        ready = [t for t in waiting if not any(_reads(t, name) for name in names - {t.name})]
        if not ready:
            raise DatasetError(f"derived tables read each other: {', '.join(sorted(names))}")
        done += ready
        waiting = [table for table in waiting if table not in ready]
    return done


def _reads(table: Table, name: str) -> bool:
    words = (table.sql or "").replace(",", " ").replace(")", " ").split()
    return name in words


def _uniform(seed: int) -> Callable[..., float]:
    """`u(…)` of the derived tables: a number from 0 to 1 that depends on the seed and the arguments alone."""

    def uniform(*args: object) -> float:
        digest = hashlib.blake2b(repr((seed, args)).encode(), digest_size=4).digest()
        return float(struct.unpack("<I", digest)[0]) / _SPAN

    return uniform


_INDEXES = (
    "CREATE INDEX sales.bill_line_day ON bill_line (tenant_id, business_date)",
    "CREATE INDEX sales.bill_line_bill ON bill_line (bill_id)",
    "CREATE INDEX sales.bill_day ON bill (tenant_id, business_date)",
    "CREATE INDEX inventory.ledger_position ON stock_ledger (location_id, sku_id)",
)
