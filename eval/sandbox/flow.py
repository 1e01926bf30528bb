"""Stock of a company: what is ordered, received, sent to stores, lost and corrected, so that nothing goes below zero.

Every store is served once in three months, a third of the stores each month. What it gets is what it will sell until
the next time and some more; what a warehouse orders is what it will send and some more. The ledger is all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np

from eval.sandbox.trade import Trade
from eval.sandbox.world import DAYS, MONTHS, STORES, Company, Ints, Rows, day_of, iso, read_names

WAREHOUSES: Final = 2
PERIODS: Final = (MONTHS + 2) // 3 + 1
OPENING, RECEIPT, SALE, RETURN, SENT, TAKEN, ADJUSTED, DAMAGED = range(1, 9)
"""Movement types, as in data/retail/inventory.yaml."""
_OPEN, _PART, _CLOSED = 1, 2, 3
MONTH_STARTS: Final = np.array(
    [day_of(date(2024 + (3 + m) // 12, (3 + m) % 12 + 1, 1)) for m in range(MONTHS + 2)]
)


@dataclass(frozen=True, slots=True)
class Ledger:
    """All movements of a company in order of days; `location` counts stores first, then warehouses."""

    location: Ints
    sku: Ints
    day: Ints
    kind: Ints
    quantity: Ints


def period_start(store: int, period: int) -> int:
    """Month (0 is the first) in which the store's supply for `period` arrives."""
    return max(0, 3 * period - store % 3)


class Flow:
    """Moves the stock of one company and writes the rows of it."""

    def __init__(self, company: Company, done: Trade, rows: Rows, rng: np.random.Generator) -> None:
        self._company, self._done, self._rows, self._rng = company, done, rows, rng
        self._notes: list[str] = read_names()["staff_notes"]
        self._moves: list[tuple[Ints, Ints, Ints, int, Ints, list[str]]] = []
        self._base = company.tenant_id * 100_000

    def run(self) -> Ledger:
        """Write transfers, orders, receipts, damage, adjustments and the ledger."""
        done = self._done
        supply = self._supply()
        sent = self._transfers(supply)
        self._orders(sent)
        self._move(done.store, done.sku, done.day, SALE, -done.quantity, done.bill_no)
        back = (done.returned_store, done.returned_sku, done.returned_day)
        self._move(*back, RETURN, done.returned_quantity, done.return_no)
        return self._ledger()

    def _id(self, table: str) -> int:
        return self._base + len(self._rows.get(table, ()))

    def _add(self, table: str, *row: object) -> int:
        """Adds a row whose first column is a fresh number, and gives the number."""
        number = self._id(table)
        self._rows.setdefault(table, []).append((number, self._company.tenant_id, *row))
        return number

    def _move(
        self, location: Ints, sku: Ints, day: Ints, kind: int, quantity: Ints, reference: list[str]
    ) -> None:
        self._moves.append((location, sku, day, kind, quantity, reference))

    def _location_id(self, location: Ints) -> Ints:
        company = self._company
        store = location + company.first_store_id
        return np.where(location < STORES, store, company.tenant_id * 10 + 1 + location - STORES)

    def _per_period(self, store: Ints, sku: Ints, day: Ints, quantity: Ints) -> Ints:
        month = np.searchsorted(MONTH_STARTS, day, side="right") - 1
        period = (month + store % 3) // 3
        shape = (STORES, self._company.skus, PERIODS)
        flat = np.ravel_multi_index((store, sku, period), shape)
        return np.bincount(flat, quantity, int(np.prod(shape))).astype(np.int64).reshape(shape)

    def _supply(self) -> Ints:
        """Pieces that arrive at each store, of each SKU, for each of its periods."""
        company, done, rng = self._company, self._done, self._rng
        sold = self._per_period(done.store, done.sku, done.day, done.quantity)
        back = self._per_period(
            done.returned_store, done.returned_sku, done.returned_day, done.returned_quantity
        )
        stock = np.zeros(sold.shape[:2], np.int64)
        supply = np.zeros_like(sold)
        seasons = np.array([0, 6, 12, 18])[company.style_season - 1]
        for period in range(PERIODS):
            months = np.array([period_start(store, period) for store in range(STORES)])
            starts = MONTH_STARTS[np.minimum(months, MONTHS)]
            running = (starts < DAYS) & (starts < company.closed_day) & (starts + 60 > company.opened_day)
            fresh = (months[:, None] >= seasons) & (months[:, None] < seasons + 4)
            wanted = company.carried & (company.style_core | fresh) & running[:, None]
            extra = np.where(company.style_core, 0.3, 0.06)[company.sku_style]
            spare = rng.poisson(extra * sold[:, :, period] + 0.02 * wanted[:, company.sku_style])
            supply[:, :, period] = np.maximum(0, sold[:, :, period] + spare - stock)
            stock = stock + supply[:, :, period] - sold[:, :, period]
            stock += self._losses(stock, starts) + back[:, :, period]
        return supply

    def _losses(self, stock: Ints, starts: Ints) -> Ints:
        """Pieces damaged or corrected in a period, where at least two stay unsold all through it."""
        rng, change = self._rng, np.zeros_like(stock)
        drawn = rng.random(stock.shape)
        for store, sku in zip(*np.nonzero((stock >= 2) & (drawn < 0.02)), strict=True):
            last = min(int(starts[store]) + 60, DAYS, int(self._company.closed_day[store]))
            first = max(int(starts[store]), int(self._company.opened_day[store])) + 1
            if first >= last:
                continue
            day = int(rng.integers(first, last))
            change[store, sku] = self._loss(store, sku, day, damaged=drawn[store, sku] < 0.012)
        return change

    def _loss(self, store: int, sku: int, day: int, *, damaged: bool) -> int:
        where, when = int(store + self._company.first_store_id), iso(np.array([day]))[0]
        item = int(sku + self._company.first_sku_id)
        if damaged:
            note = self._notes[int(self._rng.integers(len(self._notes)))]
            number = self._add("inventory.damage_note", where, when, note)
            self._add("inventory.damage_line", number, when, item, 1)
            quantity, kind, reference = -1, DAMAGED, f"D{number}"
        else:
            quantity = 1 if self._rng.random() < 0.3 else -1
            reason = 3 if quantity > 0 else 1 + int(self._rng.integers(2))
            number = self._add("inventory.stock_adjustment", where, when, reason)
            self._add("inventory.stock_adjustment_line", number, when, item, quantity)
            kind, reference = ADJUSTED, f"A{number}"
        at = (np.array([store]), np.array([sku]), np.array([day]))
        self._move(*at, kind, np.array([quantity]), [reference])
        return quantity

    def _transfers(self, supply: Ints) -> Ints:
        """Send what was supplied; gives pieces sent by warehouse, SKU and month (the last is on the way)."""
        sent = np.zeros((WAREHOUSES, self._company.skus, MONTHS + 1), np.int64)
        for store in range(STORES):
            for period in range(PERIODS):
                month = period_start(store, period)
                pieces = supply[store, :, period]
                if month == 0:
                    skus = np.flatnonzero(pieces)
                    first = np.zeros(len(skus), np.int64)
                    self._move(first + store, skus, first, OPENING, pieces[skus], ["OPENING"] * len(skus))
                elif month <= MONTHS:
                    if month == MONTHS:
                        core = self._company.style_core[self._company.sku_style]
                        pieces = self._rng.poisson(0.2 * core * (self._company.closed_day[store] >= DAYS))
                    sent[store % WAREHOUSES, :, month] += pieces
                    self._transfer(store, month, pieces)
        return sent

    def _transfer(self, store: int, month: int, pieces: Ints) -> None:
        skus = np.flatnonzero(pieces)
        if not len(skus):
            return
        source, gone = STORES + store % WAREHOUSES, int(MONTH_STARTS[month]) - 4 + store % 2
        arrived = gone + 2 if month < MONTHS else None
        places = self._location_id(np.array([store, source])).tolist()
        dates = iso(np.array([gone, arrived or gone]))
        number = self._id("inventory.transfer")
        carrier, reason = 1 + int(self._rng.integers(3)), 1 + month % 2
        self._add(
            "inventory.transfer",
            *(*places, f"T{number}", dates[0], dates[1] if arrived else None),
            *(2 if arrived else 1, reason, carrier),
        )
        for sku, quantity in zip(skus.tolist(), pieces[skus].tolist(), strict=True):
            item = sku + self._company.first_sku_id
            self._add("inventory.transfer_line", number, dates[0], item, quantity)
        same = np.zeros(len(skus), np.int64)
        reference = [f"T{number}"] * len(skus)
        self._move(same + source, skus, same + gone, SENT, -pieces[skus], reference)
        if arrived:
            self._move(same + store, skus, same + arrived, TAKEN, pieces[skus], reference)

    def _orders(self, sent: Ints) -> None:
        """Order and receive what is sent; the last orders are still open."""
        company, rng = self._company, self._rng
        category = company.style_category[company.sku_style]
        vendor = np.array([company.vendor_of_category[c] for c in category.tolist()])
        core = company.style_core[company.sku_style]
        for warehouse in range(WAREHOUSES):
            stock = rng.poisson(4.0 * core)
            skus = np.flatnonzero(stock)
            first = np.zeros(len(skus), np.int64)
            self._move(first + STORES + warehouse, skus, first, OPENING, stock[skus], ["OPENING"] * len(skus))
            for month in range(1, MONTHS + 1):
                out = sent[warehouse, :, month]
                bought = np.maximum(0, out + rng.poisson(0.15 * out + 0.2 * core) - stock)
                stock = stock + bought - out
                for who in sorted(company.lead_days):
                    self._order(warehouse, who, month, np.where(vendor == who, bought, 0), 1.0)
            coming = rng.poisson(1.2 * core)
            for n, who in enumerate(sorted(company.lead_days)):
                share = 0.4 if n % 3 == 0 else 0.0
                self._order(warehouse, who, MONTHS + 1, np.where(vendor == who, coming, 0), share)

    def _order(self, warehouse: int, vendor: int, month: int, pieces: Ints, share: float) -> None:
        """One purchase order and, as far as `share` of it has come, its receipt."""
        company = self._company
        skus = np.flatnonzero(pieces)
        if not len(skus):
            return
        came = int(MONTH_STARTS[month]) - 11 + int(self._rng.integers(-3, 5))
        if month > MONTHS:
            came = DAYS - 8
        due = came - int(self._rng.integers(-3, 6)) if share == 1.0 else int(MONTH_STARTS[month]) - 10
        placed = max(0, min(came, DAYS - 1) - company.lead_days[vendor])
        ordered = pieces[skus]
        taken = np.floor(ordered * share).astype(np.int64)
        cost = company.style_cost[company.sku_style[skus]]
        status = _CLOSED if share == 1.0 else _PART if taken.sum() else _OPEN
        place = company.tenant_id * 10 + 1 + warehouse
        when, until, arrived = iso(np.array([placed, due, came]))
        order = self._id("inventory.purchase_order")
        totals = (int(ordered.sum()), int((ordered * cost).sum()))
        self._add("inventory.purchase_order", vendor, place, f"PO{order}", when, until, status, *totals)
        receipt = self._id("inventory.goods_receipt")
        for sku, want, got, price in zip(
            *(c.tolist() for c in (skus + company.first_sku_id, ordered, taken, cost)), strict=True
        ):
            line = self._add("inventory.purchase_order_line", order, when, sku, want, got, want * price)
            if got:
                self._add("inventory.goods_receipt_line", receipt, line, arrived, sku, got)
        if taken.sum():
            self._add("inventory.goods_receipt", order, place, f"G{receipt}", arrived, int(taken.sum()))
            some = taken > 0
            at = np.zeros(int(some.sum()), np.int64)
            reference = [f"G{receipt}"] * len(at)
            self._move(at + STORES + warehouse, skus[some], at + came, RECEIPT, taken[some], reference)

    def _ledger(self) -> Ledger:
        company = self._company
        location, sku, day, quantity = (np.concatenate([m[i] for m in self._moves]) for i in (0, 1, 2, 4))
        kind = np.concatenate([np.full(len(m[0]), m[3]) for m in self._moves])
        reference = [text for m in self._moves for text in m[5]]
        # What comes in is booked before what goes out on the same day.
        order = np.lexsort((sku, location, quantity < 0, day))
        location, sku, day, kind, quantity = (c[order] for c in (location, sku, day, kind, quantity))
        kept = self._rows.setdefault("inventory.stock_ledger", [])
        kept.extend(
            zip(
                range(len(kept) + 1, len(kept) + 1 + len(order)),
                [company.tenant_id] * len(order),
                self._location_id(location).tolist(),
                (sku + company.first_sku_id).tolist(),
                iso(day),
                kind.tolist(),
                quantity.tolist(),
                [reference[n] for n in order.tolist()],
                strict=True,
            )
        )
        return Ledger(location, sku, day, kind, quantity)
