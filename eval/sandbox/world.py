"""The companies of a seed: stores, styles, SKUs, members and promotions, before anything is sold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

import numpy as np
import yaml

from eval.sandbox.graph import FOLDER, Graph

Rows = dict[str, list[tuple[Any, ...]]]
"""Rows by table, in the order of the table's columns."""
Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

FIRST_DAY: Final = date(2024, 4, 1)
AS_OF: Final = date(2026, 1, 31)
"""Last day of data: what the assistant takes for today."""
CALENDAR_END: Final = date(2026, 3, 31)
DAYS: Final = (AS_OF - FIRST_DAY).days + 1
MONTHS: Final = 22
TENANTS: Final = 2
STORES: Final = 22
"""Stores of a company."""
BRANDS: Final = 5
CORE_STYLES: Final = 36
FASHION_STYLES: Final = 16
"""Of each season."""
MEMBERS: Final = 3000
_ISO = [(FIRST_DAY + timedelta(days=n)).isoformat() for n in range((CALENDAR_END - FIRST_DAY).days + 1)]


@dataclass(frozen=True, slots=True)
class Company:
    """What the later stages need of a company; arrays are indexed by its own stores and SKUs, from 0."""

    tenant_id: int
    first_store_id: int
    first_sku_id: int
    store_codes: Sequence[str]
    opened_day: Ints
    closed_day: Ints
    store_weight: Floats
    sku_style: Ints
    """Index of the SKU's style."""
    sku_size: Ints
    sku_appeal: Floats
    style_category: Ints
    style_season: Ints
    style_core: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    style_mrp: Ints
    style_cost: Ints
    carried: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    """Store by style: whether the store carries it."""
    vendor_of_category: Mapping[int, int]
    lead_days: Mapping[int, int]
    promotions: Sequence[tuple[int, int, int, int, frozenset[int]]]
    """Id, percent, first and last day, categories."""

    @property
    def skus(self) -> int:
        """Number of SKUs."""
        return len(self.sku_style)


def iso(days: Ints) -> list[str]:
    """Dates of day numbers, 0 being the first day of data."""
    return [_ISO[day] for day in days.tolist()]


def day_of(when: date) -> int:
    """Number of a day, 0 being the first day of data."""
    return (when - FIRST_DAY).days


def calendar(graph: Graph) -> list[tuple[Any, ...]]:
    """Rows of `sales.calendar_day`."""
    rows: list[tuple[Any, ...]] = []
    seasons = graph.tables["sales.season"].rows
    festivals = graph.tables["sales.festival"].rows
    for text in _ISO:
        day = date.fromisoformat(text)
        end_year = day.year + (day.month >= 4)
        month_no = (day.month - 4) % 12 + 1
        monday = (day - timedelta(days=day.weekday())).isoformat()
        week_no = (day - date(end_year - 1, 4, 1)).days // 7 + 1
        season = next(row[0] for row in seasons if row[2] <= text <= row[3])
        festival = next((row[0] for row in festivals if row[2] <= text <= row[3]), None)
        fiscal = (f"FY{end_year % 100}", f"Q{(month_no + 2) // 3}", month_no, week_no)
        rows.append((text, text[:7], monday, f"{day:%A}", int(day.weekday() >= 5), *fiscal, season, festival))
    return rows


def read_names() -> dict[str, Any]:
    """The invented names of `data/retail/names.yaml`."""
    names: dict[str, Any] = yaml.safe_load((FOLDER / "names.yaml").read_text(encoding="utf-8"))
    return names


def found(seed: int, graph: Graph) -> tuple[Rows, list[Company]]:
    """The companies of `seed` with the rows of their masters.

    Args:
        seed: Another seed gives other companies.
        graph: Where sizes, categories and price bands stand.
    """
    names = read_names()
    rng = np.random.default_rng([seed, 1])
    shuffled: dict[str, list[str]] = {
        key: [words[i] for i in rng.permutation(len(words))] for key, words in names.items() if key in _DRAWN
    }
    rows: Rows = {"sales.calendar_day": calendar(graph)}
    maker = _Maker(rng, graph, shuffled, names, rows)
    return rows, [maker.company(tenant) for tenant in range(TENANTS)]


_DRAWN = ("companies", "brands", "places", "vendors", "style_words")
"""Lists of names.yaml from which a seed draws."""


class _Maker:
    """Makes one company after the other from one stream of random numbers."""

    def __init__(
        self,
        rng: np.random.Generator,
        graph: Graph,
        drawn: Mapping[str, list[str]],
        names: Mapping[str, Any],
        rows: Rows,
    ) -> None:
        self._rng, self._graph, self._drawn, self._names, self._rows = rng, graph, drawn, names, rows

    def _add(self, table: str, *row: object) -> None:
        self._rows.setdefault(table, []).append(row)

    def company(self, n: int) -> Company:
        """Company number `n`, from 0."""
        tenant = n + 1
        name = self._drawn["companies"][n]
        code = "".join(word[0] for word in name.split()) + str(tenant)
        self._add("sales.company", tenant, code, name, int(self._rng.integers(1, 21)))
        brands = self._brands(tenant)
        codes, opened, closed, weight = self._stores(tenant)
        vendors, lead = self._vendors(tenant)
        styles, skus = self._styles(tenant, brands)
        for member in range(MEMBERS):
            number = n * MEMBERS + member + 1
            tier = int(np.searchsorted([0.6, 0.9], self._rng.random())) + 1
            joined = (FIRST_DAY - timedelta(days=int(self._rng.integers(1, 900)))).isoformat()
            city = int(self._rng.integers(1, 21))
            self._add("sales.customer", number, tenant, f"M{number:06d}", tier, city, joined)
        core = styles[:, 3] == 1
        carried = (self._rng.random((STORES, len(styles))) < 0.6) | core[None, :]
        return Company(
            tenant_id=tenant,
            first_store_id=1001 + n * 1000,
            first_sku_id=1 + n * 10_000,
            store_codes=codes,
            opened_day=opened,
            closed_day=closed,
            store_weight=weight,
            sku_style=skus[:, 0],
            sku_size=skus[:, 1],
            sku_appeal=self._rng.gamma(1.2, 1.0, len(skus)) + 0.05,
            style_category=styles[:, 0],
            style_season=styles[:, 1],
            style_core=core,
            style_mrp=styles[:, 2],
            style_cost=styles[:, 4],
            carried=carried,
            vendor_of_category=vendors,
            lead_days=lead,
            promotions=self._promotions(tenant),
        )

    def _brands(self, tenant: int) -> list[tuple[int, str]]:
        brands = []
        for n, name in enumerate(self._drawn["brands"][(tenant - 1) * BRANDS :][:BRANDS]):
            number, code = tenant * 10 + n, name.replace(" ", "")[:3].upper() + str(n)
            self._add("sales.brand", number, tenant, code, name, ("value", "mid", "premium")[n % 3])
            brands.append((number, code))
        return brands

    def _stores(self, tenant: int) -> tuple[list[str], Ints, Ints, Floats]:
        for n, name in enumerate(self._names["clusters"]):
            self._add("sales.store_cluster", tenant * 10 + n, tenant, name)
        places = self._drawn["places"]
        cities = self._graph.tables["sales.city"].rows
        codes: list[str] = []
        opened, closed = np.zeros(STORES, np.int64), np.full(STORES, DAYS, np.int64)
        opened[-2:] = [day_of(date(2024, 10, 1)), day_of(date(2025, 7, 1))]
        closed[-3] = day_of(date(2025, 6, 1))
        order = self._rng.permutation(len(cities))
        for n in range(STORES):
            city = cities[order[n % len(order)]]
            store, code = 1001 + (tenant - 1) * 1000 + n, f"{'PQ'[tenant - 1]}{1001 + n}"
            place = places[(n * TENANTS + tenant) % len(places)]
            cluster = tenant * 10 + (n % 2 if city[3] == "metro" else 2 + n % 2)
            since = FIRST_DAY + timedelta(days=int(opened[n]) or -int(self._rng.integers(200, 2500)))
            area = int(self._rng.integers(12, 60)) * 100
            state = "Open" if closed[n] == DAYS else "Closed"
            shape = ("Mall", "High Street", "Outlet")[n % 3]
            self._add(
                "sales.store",
                *(store, tenant, code, f"{place} {city[1]}", city[0], cluster, shape, area),
                *(since.isoformat(), state),
            )
            self._add("inventory.location", store, tenant, 1, store, None, f"{place} {city[1]}")
            for till in (1, 2):
                self._add("sales.till", store * 10 + till, tenant, store, f"T{till}")
            codes.append(code)
        for n, side in enumerate(("North", "South")):
            warehouse, city = tenant * 10 + n + 1, cities[(0, 5)[n]]
            name = f"{side} Warehouse {city[1]}"
            self._add("inventory.warehouse", warehouse, tenant, f"W{warehouse}", name, city[0])
            self._add("inventory.location", warehouse, tenant, 2, None, warehouse, name)
        return codes, opened, closed, self._rng.gamma(6.0, 1 / 6.0, STORES) + 0.15

    def _vendors(self, tenant: int) -> tuple[dict[int, int], dict[int, int]]:
        lead: dict[int, int] = {}
        for n, name in enumerate(self._drawn["vendors"][(tenant - 1) * 6 :][:6]):
            vendor, days = tenant * 10 + n, int(self._rng.integers(10, 31))
            lead[vendor] = days
            self._add(
                "inventory.vendor", vendor, tenant, f"V{vendor}", name, int(self._rng.integers(1, 21)), days
            )
        of_category = {row[0]: tenant * 10 + row[0] % 6 for row in self._graph.tables["sales.category"].rows}
        for category, vendor in of_category.items():
            self._add("inventory.vendor_category", vendor, tenant, category)
        return of_category, lead

    def _styles(self, tenant: int, brands: Sequence[tuple[int, str]]) -> tuple[Ints, Ints]:
        categories = self._graph.tables["sales.category"].rows
        sizes = self._graph.tables["sales.size"].rows
        bands = self._graph.tables["sales.price_band"].rows
        seasons = self._graph.tables["sales.season"].rows
        styles: list[tuple[int, ...]] = []
        skus: list[tuple[int, int]] = []
        for n in range(CORE_STYLES + FASHION_STYLES * len(seasons)):
            core = n < CORE_STYLES
            brand, brand_code = brands[int(self._rng.integers(len(brands)))]
            category = categories[int(self._rng.integers(len(categories)))]
            season = seasons[0 if core else (n - CORE_STYLES) // FASHION_STYLES]
            mrp = int(self._rng.integers(4, 32 if category[0] in {5, 11} else 22)) * 100 + 99
            cost = int(mrp * self._rng.uniform(0.28, 0.42))
            band = next(row[0] for row in bands if row[2] <= mrp <= row[3])
            style, code = tenant * 1000 + n, f"{brand_code}-{'C' if core else 'F'}{1000 + n}"
            word = self._drawn["style_words"][n % 20]
            launched = "2023-04-01" if core else season[2]
            self._add(
                "sales.style",
                *(style, tenant, brand, category[0], season[0], int(self._rng.integers(1, 9)), band, code),
                *(f"{word} {category[1]}", "core" if core else "fashion", mrp, cost, launched),
            )
            styles.append((category[0], season[0], mrp, int(core), cost))
            for colour in self._rng.permutation(10)[:2].tolist():
                for size in (row for row in sizes if row[2] == category[3]):
                    sku = 1 + (tenant - 1) * 10_000 + len(skus)
                    self._add(
                        "sales.sku",
                        sku,
                        tenant,
                        style,
                        colour + 1,
                        size[0],
                        f"{code}-{colour + 1:02d}-{size[1]}",
                        mrp,
                    )
                    skus.append((n, size[0]))
        return np.array(styles, np.int64), np.array(skus, np.int64)

    def _promotions(self, tenant: int) -> list[tuple[int, int, int, int, frozenset[int]]]:
        festive, season = self._names["festive_promotion"], self._names["season_promotion"]
        plan = [
            (f"{festive} 2024", 15, date(2024, 10, 3), date(2024, 11, 2)),
            (f"{festive} 2025", 15, date(2025, 9, 22), date(2025, 10, 23)),
            (f"{season} Summer 2024", 30, date(2024, 7, 1), date(2024, 8, 4)),
            (f"{season} Winter 2025", 30, date(2025, 1, 4), date(2025, 2, 9)),
            (f"{season} Summer 2025", 35, date(2025, 7, 5), date(2025, 8, 3)),
            (f"{season} Winter 2026", 30, date(2026, 1, 10), date(2026, 2, 15)),
        ]
        made = []
        for n, (name, percent, start, end) in enumerate(plan):
            number = tenant * 100 + n
            percent += 5 * int(self._rng.integers(0, 3))
            note = self._names["staff_notes"][n % len(self._names["staff_notes"])]
            row = (number, tenant, name, percent, start.isoformat(), end.isoformat(), note)
            self._add("sales.promotion", *row)
            scope = frozenset(c for c in range(1, 15) if self._rng.random() < 0.6)
            for category in sorted(scope):
                self._add("sales.promotion_category", number, tenant, category)
            made.append((number, percent, day_of(start), day_of(end), scope))
        return made
