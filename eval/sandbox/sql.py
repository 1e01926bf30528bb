"""Writes SQL for what was asked, from the graph alone: facts, many-to-one paths to dimensions, filters, periods.

Every statement reads one company: its fact is bound to `tenant_id`. A ratio of two facts and a comparison of two
periods aggregate each side on its own grain before the sides meet, so no join can count a row twice.
"""

# ruff: noqa: S608 - every part is from the graph or a quoted literal
from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from eval.sandbox.ask import Ask, Filter
from eval.sandbox.graph import Dimension, Edge, Graph, Metric
from eval.sandbox.periods import Period

LISTED = 25
"""Rows of a breakdown when no number was asked for."""
_SYSTEM_IDS = {"CR": 1, "CO": 2, "FR": 3, "FC": 4, "ZS": 5}

_HOMES = (
    "sales.store",
    "sales.style",
    "sales.sku",
    "inventory.vendor_category",
    "replenishment.replenishment_run",
)
"""Where things without a company of their own belong to one."""


class NotRecordedError(Exception):
    """The fact has no way to a dimension, or no dates: the figure cannot be had."""

    def __init__(self, metric: str, wanted: str) -> None:
        super().__init__(f"{metric} is not recorded by {wanted}")
        self.metric, self.wanted = metric, wanted


def quoted(text: str) -> str:
    """A string literal."""
    return "'" + text.replace("'", "''") + "'"


def path(graph: Graph, table: str, dimension: Dimension, date: str | None) -> tuple[Edge, ...] | None:
    """The shortest way of many-to-one edges from `table` to where the dimension stands; None when there is none.

    Args:
        graph: Where the edges stand.
        table: The fact.
        dimension: Where to go.
        date: Date column of the fact; of several it is the one that leads to the calendar.
    """
    if table == dimension.table:
        return ()
    queue: deque[tuple[str, tuple[Edge, ...]]] = deque([(table, ())])
    seen = {table}
    while queue:
        here, way = queue.popleft()
        for edge in graph.edges:
            if edge.left != here or edge.right in seen or not _usable(edge, table, date):
                continue
            if edge.right == dimension.table and dimension.origin not in {None, here}:
                continue
            if edge.right == dimension.table:
                return (*way, edge)
            seen.add(edge.right)
            queue.append((edge.right, (*way, edge)))
    return None


def _usable(edge: Edge, fact: str, date: str | None) -> bool:
    if len(edge.pairs) > 1 or edge.pairs[0][0] == "tenant_id":
        return False
    if edge.right == "sales.calendar_day":
        return edge.left == fact and edge.pairs[0][0] == date
    return True


@dataclass(slots=True)
class Select:
    """A grouped SELECT over one fact, put together piece by piece."""

    graph: Graph
    metric: Metric
    tenant_id: int
    joins: list[str] = field(default_factory=list)
    where: list[str] = field(default_factory=list)
    _aliases: dict[str, str] = field(default_factory=dict)

    def column(self, dimension: Dimension) -> str:
        """`alias.column` of the dimension, joined when it is not yet.

        Raises:
            NotRecordedError: the fact has no way there.
        """
        way = path(self.graph, self.metric.table, dimension, self.metric.date)
        if way is None or dimension.name in self.metric.not_by:
            raise NotRecordedError(self.metric.name, dimension.name)
        alias = "f"
        for edge in way:
            alias = self._join(edge, alias)
        return f"{alias}.{dimension.column}"

    def _join(self, edge: Edge, left: str) -> str:
        alias = edge.right.split(".")[1]
        if edge.right not in self._aliases:
            self._aliases[edge.right] = alias
            on = " AND ".join(f"{alias}.{b} = {left}.{a}" for a, b in edge.pairs)
            self.joins.append(f"JOIN {edge.right} AS {alias} ON {on}")
        return alias

    def scope(self, filters: Sequence[Filter], period: Period | None) -> None:
        """Bind the fact to the company, the filters and the days.

        Raises:
            NotRecordedError: a filter cannot be reached, or there are no dates.
        """
        self.where.append(f"f.tenant_id = {self.tenant_id}")
        if self.metric.where:
            self.where.append(self.metric.where)
        if period is not None:
            if self.metric.date is None:
                raise NotRecordedError(self.metric.name, "period")
            days = f"{quoted(period.start.isoformat())} AND {quoted(period.end.isoformat())}"
            self.where.append(f"f.{self.metric.date} BETWEEN {days}")
        elif self.metric.system:
            latest = (
                "SELECT MAX(r.run_id) FROM replenishment.replenishment_run AS r WHERE "
                f"r.tenant_id = {self.tenant_id} AND r.system_id = {_SYSTEM_IDS[self.metric.system]} "
                "AND r.run_status_id < 3"
            )
            self.where.append(f"f.run_id = ({latest})")
        values: dict[str, list[str]] = {}
        for one in filters:
            values.setdefault(self.column(one.dimension), []).append(quoted(one.value))
        for column, literals in values.items():
            test = f"= {literals[0]}" if len(literals) == 1 else f"IN ({', '.join(literals)})"
            self.where.append(f"{column} {test}")

    def text(self, dimension: Dimension | None) -> str:
        """The SELECT: the dimension's value, if any, then the figure called `value`."""
        column = self.column(dimension) if dimension else None
        head = f"{column} AS name, " if column else ""
        tail = f" GROUP BY {column}" if column else ""
        joins = "".join(f" {join}" for join in self.joins)
        where = " AND ".join(self.where)
        return (
            f"SELECT {head}{self.metric.formula} AS value FROM {self.metric.table} AS f{joins} WHERE {where}"
            f"{tail}"
        )


class Writer:
    """Writes the statements of one company."""

    def __init__(self, graph: Graph, tenant_id: int) -> None:
        self._graph, self._tenant_id = graph, tenant_id

    def write(self, ask: Ask) -> str:
        """One SELECT that answers `ask`.

        Raises:
            NotRecordedError: the figure cannot be had by what was asked.
        """
        if ask.metric is None:
            return self._of_entity(ask)
        shapes = {
            "total": self._total,
            "breakdown": self._breakdown,
            "ranking": self._breakdown,
            "compare": self._compare,
            "share": self._share,
            "threshold": self._threshold,
            "rank": self._rank,
        }
        return shapes[ask.shape](ask)

    def figure(self, metric: Metric, ask: Ask, dimension: Dimension | None) -> str:
        """The metric in the scope of `ask`, by `dimension` if given."""
        if metric.ratio:
            over, under = (self.figure(self._graph.metrics[name], ask, dimension) for name in metric.ratio)
            scale = f"{metric.scale:.1f}"
            if dimension is None:
                return f"SELECT {scale} * ({over}) / NULLIF(({under}), 0) AS value"
            return (
                f"SELECT o.name AS name, {scale} * o.value / NULLIF(u.value, 0) AS value FROM ({over}) AS o "
                f"JOIN ({under}) AS u ON u.name = o.name"
            )
        select = Select(self._graph, metric, self._tenant_id)
        select.scope(ask.filters, ask.period)
        return select.text(dimension)

    def _total(self, ask: Ask) -> str:
        assert ask.metric
        return self.figure(ask.metric, ask, None)

    def _breakdown(self, ask: Ask) -> str:
        assert ask.metric
        assert ask.dimension
        text = self.figure(ask.metric, ask, ask.dimension)
        if ask.shape == "breakdown" and ask.dimension.table == "sales.calendar_day":
            return f"{text} ORDER BY name"
        order = "DESC" if ask.direction == "most" else "ASC"
        return f"{text} ORDER BY value {order}, name LIMIT {ask.limit or LISTED}"

    def _compare(self, ask: Ask) -> str:
        assert ask.metric
        this = self.figure(ask.metric, ask, ask.dimension)
        that = self.figure(ask.metric, replace(ask, period=ask.versus), ask.dimension)
        if ask.dimension is None:
            return f"SELECT ({this}) AS value, ({that}) AS before"
        return (
            f"SELECT a.name AS name, a.value AS value, b.value AS before FROM ({this}) AS a "
            f"LEFT JOIN ({that}) AS b ON b.name = a.name ORDER BY value DESC, name LIMIT {LISTED}"
        )

    def _share(self, ask: Ask) -> str:
        """Parts of the whole by dimension, or the part that the first filter has of what the others leave."""
        assert ask.metric
        if ask.dimension:
            text = self.figure(ask.metric, ask, ask.dimension)
            return (
                f"SELECT p.name AS name, 100.0 * p.value / SUM(p.value) OVER () AS value FROM ({text}) AS p "
                f"ORDER BY value DESC, name LIMIT {LISTED}"
            )
        part = self.figure(ask.metric, ask, None)
        whole = self.figure(ask.metric, replace(ask, filters=ask.filters[1:]), None)
        return f"SELECT 100.0 * ({part}) / NULLIF(({whole}), 0) AS value"

    def _threshold(self, ask: Ask) -> str:
        assert ask.metric
        assert ask.threshold
        bound = f"{ask.threshold.sign} {ask.threshold.value:.10g}"
        text = self.figure(ask.metric, ask, ask.dimension)
        order = "DESC" if ask.threshold.sign == ">" else "ASC"
        return (
            f"SELECT t.name AS name, t.value AS value FROM ({text}) AS t WHERE t.value {bound} "
            f"ORDER BY value {order}, name LIMIT {LISTED * 4}"
        )

    def _rank(self, ask: Ask) -> str:
        assert ask.metric
        assert ask.dimension
        mine = next(one for one in ask.filters if one.dimension == ask.dimension)
        others = tuple(one for one in ask.filters if one is not mine)
        text = self.figure(ask.metric, replace(ask, filters=others), ask.dimension)
        order = "DESC" if ask.direction == "most" else "ASC"
        return (
            f"SELECT r.name AS name, r.value AS value, r.place AS place, r.many AS many FROM "
            f"(SELECT t.name, t.value, RANK() OVER (ORDER BY t.value {order}) AS place, COUNT(*) OVER () AS many "
            f"FROM ({text}) AS t) AS r WHERE r.name = {quoted(mine.value)}"
        )

    def _of_entity(self, ask: Ask) -> str:
        if ask.shape == "last run":
            system = next(
                one for one in ask.filters if one.dimension.table == "replenishment.replenishment_system"
            )
            return (
                "SELECT s.system_name AS name, r.run_date AS value, t.run_status_name AS status "
                "FROM replenishment.replenishment_run AS r "
                "JOIN replenishment.replenishment_system AS s ON s.system_id = r.system_id "
                "JOIN replenishment.run_status AS t ON t.run_status_id = r.run_status_id "
                f"WHERE r.tenant_id = {self._tenant_id} AND s.system_name = {quoted(system.value)} "
                "ORDER BY r.run_date DESC, r.run_id DESC LIMIT 1"
            )
        dimension = ask.dimension
        assert dimension
        fact = self._home(dimension, ask.filters)
        formula = f"MAX(f.{ask.attribute})" if ask.attribute else f"COUNT(DISTINCT f.{dimension.column})"
        counted = Metric(dimension.plural, "", "count", fact, formula)
        select = Select(self._graph, counted, self._tenant_id)
        select.scope(ask.filters, None)
        if ask.attribute is None:
            select.metric = replace(counted, formula=f"COUNT(DISTINCT {select.column(dimension)})")
        if ask.shape == "count":
            return select.text(None)
        text = select.text(dimension)
        return text if ask.attribute else f"{text} ORDER BY name LIMIT {LISTED * 4}"

    def _home(self, dimension: Dimension, filters: Sequence[Filter]) -> str:
        """The company's own table from which the things and the filters are reached; the things' own if it is one."""
        wanted = [dimension, *(one.dimension for one in filters)]
        for table in (dimension.table, *_HOMES):
            ways = [path(self._graph, table, one, None) for one in wanted]
            if "tenant_id" in self._graph.tables[table].columns and None not in ways:
                return table
        raise NotRecordedError(
            dimension.plural, " and ".join(one.dimension.name for one in filters) or "company"
        )
