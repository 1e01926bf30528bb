"""The five replenishment systems of a company over the last thirteen weeks, worked out from the stock ledger."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

import numpy as np

from eval.sandbox.flow import SALE, WAREHOUSES, Ledger
from eval.sandbox.graph import Graph
from eval.sandbox.world import DAYS, FIRST_DAY, STORES, Company, Ints, Rows, iso

WEEKS: Final = 13
UNSOLD_DAYS: Final = 90
_FAILED: Final = 3
_MOST_MOVES: Final = 150
"""Consolidation moves of a run."""


class Runs:
    """Goes through the days with the stock of each day in hand and writes what each system finds."""

    def __init__(
        self, company: Company, ledger: Ledger, rows: Rows, graph: Graph, rng: np.random.Generator
    ) -> None:
        self._company, self._ledger, self._rows, self._rng = company, ledger, rows, rng
        self._schedule = graph.tables["replenishment.run_schedule"].rows
        shape = (STORES + WAREHOUSES, company.skus)
        self._stock, self._first, self._last = (np.full(shape, start, np.int64) for start in (0, DAYS, -1))
        self._done = 0
        self._lines = company.tenant_id * 1_000_000
        self._core = company.style_core[company.sku_style]

    def run(self) -> None:
        """All runs, oldest first."""
        self._demand()
        systems = (
            self._core_repl,
            self._core_reorder,
            self._fashion_repl,
            self._consolidation,
            self._zero_sale,
        )
        number = self._company.tenant_id * 1000
        for day in range(DAYS - 7 * WEEKS, DAYS):
            weekday = f"{FIRST_DAY + timedelta(days=day):%A}"
            for system in (row[0] for row in self._schedule if row[1] == weekday):
                status = 1 + int(np.searchsorted([0.86, 0.96], self._rng.random()))
                self._head(number, system, day, status)
                if status != _FAILED:
                    self._catch_up(day)
                    systems[system - 1](number, day)
                number += 1

    def _head(self, number: int, system: int, day: int, status: int) -> None:
        date, minutes = iso(np.array([day]))[0], int(self._rng.integers(4, 50))
        times = (f"{date} 05:00:00", f"{date} 05:{minutes:02d}:00")
        row = (number, self._company.tenant_id, system, date, *times, status)
        self._rows.setdefault("replenishment.replenishment_run", []).append(row)

    def _catch_up(self, day: int) -> None:
        """Book all movements before `day`: a run reads the stock of the evening before."""
        until = int(np.searchsorted(self._ledger.day, day))
        part = slice(self._done, until)
        at = (self._ledger.location[part], self._ledger.sku[part])
        np.add.at(self._stock, at, self._ledger.quantity[part])
        np.minimum.at(self._first, at, self._ledger.day[part])
        sold = self._ledger.kind[part] == SALE
        np.maximum.at(self._last, (at[0][sold], at[1][sold]), self._ledger.day[part][sold])
        self._done = until

    def _open(self, day: int) -> Ints:
        company = self._company
        return np.flatnonzero((company.opened_day < day) & (company.closed_day > day))

    def _sold(self, day: int, days: int) -> Ints:
        """Pieces sold in the `days` before `day`, by store and SKU."""
        ledger = self._ledger
        part = slice(int(np.searchsorted(ledger.day, day - days)), int(np.searchsorted(ledger.day, day)))
        sold = ledger.kind[part] == SALE
        flat = ledger.location[part][sold] * self._company.skus + ledger.sku[part][sold]
        count = np.bincount(flat, -ledger.quantity[part][sold], STORES * self._company.skus)
        return count.astype(np.int64).reshape(STORES, -1)

    def _demand(self) -> None:
        """Norms of the stores and reorder policies of the warehouses."""
        company = self._company
        sold = self._sold(DAYS - 7 * WEEKS, 364)
        self._norm = np.where(self._core & (sold >= 4), np.maximum(1, -(-sold * 21 // 364)), 0)
        norms = self._rows.setdefault("replenishment.core_repl_norm", [])
        for store, sku in zip(*np.nonzero(self._norm), strict=True):
            least = int(self._norm[store, sku])
            ids = (int(store) + company.first_store_id, company.tenant_id, int(sku) + company.first_sku_id)
            norms.append((*ids, least, 2 * least))
        daily = self._sold(DAYS - 7 * WEEKS, 56).sum(axis=0) / 56
        category = company.style_category[company.sku_style]
        self._vendor = np.array([company.vendor_of_category[c] for c in category.tolist()])
        lead = np.array([company.lead_days[v] for v in self._vendor.tolist()])
        self._point = np.ceil(daily * (lead + 7) / WAREHOUSES).astype(np.int64)
        self._reorder = np.maximum(5, np.ceil(daily * 30 / WAREHOUSES)).astype(np.int64)
        policies = self._rows.setdefault("replenishment.core_reorder_policy", [])
        for sku in np.flatnonzero(self._core & (self._point > 0)).tolist():
            numbers = (int(self._vendor[sku]), int(self._point[sku]), int(self._reorder[sku]), int(lead[sku]))
            item = sku + company.first_sku_id
            policies.append((item, company.tenant_id, *numbers, round(float(daily[sku]), 3)))

    def _write(self, table: str, run: int, day: int, columns: Iterable[Ints]) -> None:
        date, tenant = iso(np.array([day]))[0], self._company.tenant_id
        kept = self._rows.setdefault(f"replenishment.{table}", [])
        for values in zip(*(column.tolist() for column in columns), strict=True):
            kept.append((self._lines, tenant, run, date, *values))
            self._lines += 1

    def _store_ids(self, store: Ints) -> Ints:
        return store + self._company.first_store_id

    def _sku_ids(self, sku: Ints) -> Ints:
        return sku + self._company.first_sku_id

    def _allot(self, store: Ints, sku: Ints, needed: Ints) -> Ints:
        """Serve the stores in turn from the warehouse of each, while its stock lasts."""
        left = np.maximum(self._stock[STORES:], 0).copy()
        given = np.zeros_like(needed)
        for n, (at, item, need) in enumerate(zip(store.tolist(), sku.tolist(), needed.tolist(), strict=True)):
            given[n] = min(need, int(left[at % WAREHOUSES, item]))
            left[at % WAREHOUSES, item] -= given[n]
        return given

    def _core_repl(self, run: int, day: int) -> None:
        open_stores, stock = self._open(day), self._stock[:STORES]
        short = np.zeros_like(stock, dtype=bool)
        short[open_stores] = (stock < self._norm)[open_stores]
        store, sku = np.nonzero(short)
        norm, held = self._norm[store, sku], stock[store, sku]
        given = self._allot(store, sku, norm - held)
        ids = (self._store_ids(store), self._sku_ids(sku))
        self._write("core_repl_line", run, day, (*ids, held, norm, norm - held, given))

    def _core_reorder(self, run: int, day: int) -> None:
        low = (self._stock[STORES:] <= self._point) & self._core & (self._point > 0)
        place, sku = np.nonzero(low)
        warehouse = self._company.tenant_id * 10 + 1 + place
        pieces = self._reorder[sku]
        value = pieces * self._company.style_cost[self._company.sku_style[sku]]
        held = self._stock[STORES:][place, sku]
        columns = (warehouse, self._sku_ids(sku), self._vendor[sku], held, self._point[sku], pieces, value)
        self._write("core_reorder_line", run, day, columns)

    def _fashion_repl(self, run: int, day: int) -> None:
        sold, stock = self._sold(day, 28), self._stock[:STORES]
        wanted = np.zeros_like(stock, dtype=bool)
        open_stores = self._open(day)
        wanted[open_stores] = ((sold > 0) & (stock == 0) & ~self._core)[open_stores]
        store, sku = np.nonzero(wanted)
        count = sold[store, sku]
        given = self._allot(store, sku, count)
        ids = (self._store_ids(store), self._sku_ids(sku))
        self._write("fashion_repl_line", run, day, (*ids, stock[store, sku], count, count, given))

    def _by_style(self, values: Ints) -> Ints:
        """Sums over the SKUs of each style, by store."""
        styles = len(self._company.style_core)
        out = np.zeros((len(values), styles), np.int64)
        np.add.at(out.T, self._company.sku_style, values.T)
        return out

    def _consolidation(self, run: int, day: int) -> None:
        """Take a fashion style with one size left in a store to where it sells best."""
        stock, open_stores = np.maximum(self._stock[:STORES], 0), self._open(day)
        held = self._by_style((stock > 0).astype(np.int64))
        ranged = self._by_style((self._first[:STORES] < DAYS).astype(np.int64))
        sold = self._by_style(self._sold(day, 56))
        best = open_stores[np.argmax(sold[open_stores], axis=0)]
        broken = (held == 1) & (ranged >= 3) & ~self._company.style_core
        moves = broken[:, self._company.sku_style] & (stock > 0)
        store, sku = np.nonzero(moves)
        target = best[self._company.sku_style[sku]]
        keep = np.flatnonzero((target != store) & np.isin(store, open_stores))[:_MOST_MOVES]
        store, sku, target = store[keep], sku[keep], target[keep]
        columns = (self._store_ids(store), self._store_ids(target), self._sku_ids(sku), stock[store, sku])
        self._write("fashion_cons_line", run, day, columns)

    def _zero_sale(self, run: int, day: int) -> None:
        """SKUs with stock whose last sale in the store, or first arrival if there was none, is long ago."""
        stock = self._stock[:STORES]
        since = day - np.where(self._last >= 0, self._last, self._first)[:STORES]
        unsold = np.zeros_like(stock, dtype=bool)
        open_stores = self._open(day)
        unsold[open_stores] = ((stock > 0) & (since >= UNSOLD_DAYS))[open_stores]
        store, sku = np.nonzero(unsold)
        held = stock[store, sku]
        value = held * self._company.style_mrp[self._company.sku_style[sku]]
        ids = (self._store_ids(store), self._sku_ids(sku))
        self._write("zero_sale_line", run, day, (*ids, held, since[store, sku], value))
