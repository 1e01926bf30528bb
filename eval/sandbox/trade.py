"""Bills, lines, payments and returns of a company, day by day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

import numpy as np

from eval.sandbox.graph import Graph
from eval.sandbox.world import DAYS, MEMBERS, STORES, Company, Floats, Ints, Rows, day_of, iso

BILLS_A_DAY: Final = 4.1
"""Of an average store on an average day."""
_WEEKDAY: Final = np.array([0.8, 0.8, 0.85, 0.9, 1.05, 1.4, 1.45])
_MONTH: Final = np.array([1.0, 1.05, 0.95, 1.1, 0.95, 0.95, 1.25, 1.2, 1.0, 1.05, 0.85, 0.95])
"""April first."""
_CHANNELS: Final = [0.88, 0.09, 0.03]
_PAYMENTS: Final = [0.22, 0.30, 0.45, 0.03]
_REASONS: Final = [0.5, 0.15, 0.1, 0.25]
_RETURNED: Final = 0.04


@dataclass(slots=True)
class Trade:
    """What moved stock: store, SKU (indexes from 0), day, pieces and document, line by line."""

    store: Ints
    sku: Ints
    day: Ints
    quantity: Ints
    bill_no: list[str]
    returned_store: Ints
    returned_sku: Ints
    returned_day: Ints
    returned_quantity: Ints
    return_no: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Ids:
    """Where the next company's numbers go on."""

    bill: int = 1
    line: int = 1
    note: int = 1


def trade(company: Company, rows: Rows, graph: Graph, ids: Ids, rng: np.random.Generator) -> Trade:
    """Sell for all days; adds the rows of bills, lines, payments and returns to `rows`."""
    bill_store, bill_day = _bills(company, graph, rng)
    lines_of_bill = 1 + rng.poisson(1.0, len(bill_store))
    bill_of_line = np.repeat(np.arange(len(bill_store)), lines_of_bill)
    store, day = bill_store[bill_of_line], bill_day[bill_of_line]
    sku = _skus(company, store, day, rng)
    quantity = 1 + np.searchsorted([0.9, 0.98], rng.random(len(sku)))
    style = company.sku_style[sku]
    promotion, percent = _promotions(company, day, company.style_category[style], rng)
    mrp = quantity * company.style_mrp[style]
    discount = mrp * percent // 100
    rate = np.where(company.style_mrp[style] < 1500, 5, 12)
    net = ((mrp - discount) * 100 + (100 + rate) // 2) // (100 + rate)
    tax = mrp - discount - net
    bill_ids = np.arange(ids.bill, ids.bill + len(bill_store))
    line_ids = np.arange(ids.line, ids.line + len(sku))
    money = (mrp, discount, tax, net)
    numbers = _bill_rows(company, rows, bill_ids, bill_of_line, bill_store, bill_day, quantity, money, rng)
    rows.setdefault("sales.bill_line", []).extend(
        zip(
            line_ids.tolist(),
            [company.tenant_id] * len(sku),
            bill_ids[bill_of_line].tolist(),
            (store + company.first_store_id).tolist(),
            iso(day),
            (sku + company.first_sku_id).tolist(),
            [p or None for p in promotion.tolist()],
            *(column.tolist() for column in (quantity, *money, quantity * company.style_cost[style])),
            strict=True,
        )
    )
    done = Trade(
        store, sku, day, quantity, [numbers[n] for n in bill_of_line.tolist()], *_empty(), return_no=[]
    )
    _returns(company, rows, done, line_ids, net, ids, rng)
    ids.bill += len(bill_store)
    ids.line += len(sku)
    return done


def _empty() -> tuple[Ints, Ints, Ints, Ints]:
    none = np.zeros(0, np.int64)
    return none, none, none, none


def _bills(company: Company, graph: Graph, rng: np.random.Generator) -> tuple[Ints, Ints]:
    days = np.arange(DAYS)
    months = np.array([(int(text[5:7]) - 4) % 12 for text in iso(days)])
    level = _WEEKDAY[days % 7] * _MONTH[months] * 1.09 ** (days / 365)
    for row in graph.tables["sales.festival"].rows:
        start, end = day_of(date.fromisoformat(row[2])), day_of(date.fromisoformat(row[3]))
        level[max(start, 0) : end + 1] *= 1.7
    mean = BILLS_A_DAY * company.store_weight[:, None] * level[None, :] / level.mean()
    open_days = (days >= company.opened_day[:, None]) & (days < company.closed_day[:, None])
    counts = rng.poisson(mean * open_days)
    by_day = counts.T.ravel()
    store = np.repeat(np.tile(np.arange(STORES), DAYS), by_day)
    return store, np.repeat(np.repeat(days, STORES), by_day)


def _skus(company: Company, store: Ints, day: Ints, rng: np.random.Generator) -> Ints:
    """A SKU for every line: by its appeal among those that sell then, core where the store has not the style."""
    season_starts = np.array(
        [day_of(date(*d)) for d in ((2024, 4, 1), (2024, 10, 1), (2025, 4, 1), (2025, 10, 1))]
    )
    style_core, style_start = company.style_core, season_starts[company.style_season - 1]
    sku = np.zeros(len(day), np.int64)
    core_share = company.sku_appeal * style_core[company.sku_style]
    for first in range(0, DAYS, 14):
        lines = np.flatnonzero((day >= first) & (day < first + 14))
        age = first - style_start
        running = np.where((age >= 0) & (age < 183), 1.6, np.where((age >= 183) & (age < 240), 0.4, 0.0))
        share = company.sku_appeal * np.where(style_core, 1.0, running)[company.sku_style]
        picked = _pick(share, len(lines), rng)
        absent = ~company.carried[store[lines], company.sku_style[picked]]
        picked[absent] = _pick(core_share, int(absent.sum()), rng)
        sku[lines] = picked
    return sku


def _pick(share: Floats, count: int, rng: np.random.Generator) -> Ints:
    edges = np.cumsum(share)
    return np.asarray(np.searchsorted(edges, rng.random(count) * edges[-1], side="right"), np.int64)


def _promotions(company: Company, day: Ints, category: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    chosen, percent = np.zeros(len(day), np.int64), np.zeros(len(day), np.int64)
    takes = rng.random(len(day)) < 0.75
    for number, depth, start, end, scope in company.promotions:
        hit = takes & (day >= start) & (day <= end) & np.isin(category, sorted(scope))
        chosen[hit], percent[hit] = number, depth
    return chosen, percent


def _bill_rows(
    company: Company,
    rows: Rows,
    bill_ids: Ints,
    bill_of_line: Ints,
    store: Ints,
    day: Ints,
    quantity: Ints,
    money: Sequence[Ints],
    rng: np.random.Generator,
) -> list[str]:
    """Adds the bills and their payments; gives the bills' numbers."""
    count = len(store)
    total = [np.bincount(bill_of_line, column, count).astype(np.int64) for column in (quantity, *money)]
    seconds = rng.integers(11 * 3600, 21 * 3600 + 1800, count).tolist()
    dates = iso(day)
    at = [
        f"{d} {s // 3600:02d}:{s % 3600 // 60:02d}:{s % 60:02d}" for d, s in zip(dates, seconds, strict=True)
    ]
    store_ids = (store + company.first_store_id).tolist()
    numbers = [
        f"{company.store_codes[s]}-{b:06d}" for s, b in zip(store.tolist(), bill_ids.tolist(), strict=True)
    ]
    tills = (store + company.first_store_id) * 10 + rng.integers(1, 3, count)
    member = np.where(
        rng.random(count) < 0.45, 1 + (company.tenant_id - 1) * MEMBERS + rng.integers(0, MEMBERS, count), 0
    )
    channel = 1 + _pick(np.array(_CHANNELS), count, rng)
    tenant = [company.tenant_id] * count
    members: list[Any] = [m or None for m in member.tolist()]
    columns = (
        bill_ids.tolist(),
        tenant,
        store_ids,
        tills.tolist(),
        numbers,
        dates,
        at,
        channel.tolist(),
        members,
    )
    rows.setdefault("sales.bill", []).extend(zip(*columns, *(c.tolist() for c in total), strict=True))
    mode = 1 + _pick(np.array(_PAYMENTS), count, rng)
    paid = total[3] + total[4]
    split = np.where((rng.random(count) < 0.05) & (mode != 1), paid // 2, 0)
    payments = rows.setdefault("sales.bill_payment", [])
    payments.extend(
        zip(bill_ids.tolist(), tenant, mode.tolist(), dates, (paid - split).tolist(), strict=True)
    )
    cash = [
        (b, company.tenant_id, 1, d, s)
        for b, d, s in zip(bill_ids.tolist(), dates, split.tolist(), strict=True)
        if s
    ]
    payments.extend(cash)
    return numbers


def _returns(
    company: Company, rows: Rows, done: Trade, line_ids: Ints, net: Ints, ids: Ids, rng: np.random.Generator
) -> None:
    """Some lines come back whole, in the store where they were sold and within three weeks."""
    back_day = done.day + rng.integers(1, 21, len(done.day))
    limit = np.minimum(company.closed_day[done.store], DAYS)
    lines = np.flatnonzero((rng.random(len(done.day)) < _RETURNED) & (back_day < limit))
    lines = lines[np.lexsort((lines, done.store[lines], back_day[lines]))]
    store, day, quantity = done.store[lines], back_day[lines], done.quantity[lines]
    _, note = np.unique(day * STORES + store, return_inverse=True)
    note_ids = note + ids.note
    reason = 1 + _pick(np.array(_REASONS), len(lines), rng)
    store_ids, dates = (store + company.first_store_id).tolist(), iso(day)
    tenant = [company.tenant_id] * len(lines)
    kept = rows.setdefault("sales.return_line", [])
    first = len(kept) + 1
    kept.extend(
        zip(
            range(first, first + len(lines)),
            tenant,
            note_ids.tolist(),
            line_ids[lines].tolist(),
            store_ids,
            dates,
            (done.sku[lines] + company.first_sku_id).tolist(),
            reason.tolist(),
            quantity.tolist(),
            net[lines].tolist(),
            strict=True,
        )
    )
    starts = np.unique(note, return_index=True)[1].tolist()
    value, pieces = np.bincount(note, net[lines]), np.bincount(note, quantity)
    notes = rows.setdefault("sales.return_note", [])
    for n, start in enumerate(starts):
        number = ids.note + n
        store_id = store_ids[start]
        notes.append(
            (
                number,
                company.tenant_id,
                store_id,
                f"R{number:06d}",
                dates[start],
                int(value[n]),
                int(pieces[n]),
            )
        )
    done.returned_store, done.returned_sku, done.returned_day = store, done.sku[lines], day
    done.returned_quantity = quantity
    done.return_no = [f"R{number:06d}" for number in note_ids.tolist()]
    ids.note += len(starts)
