"""How questions are understood: each with a near twin that means something else."""

import pytest

from eval.sandbox.ask import Ask, Puzzle
from eval.sandbox.sql import NotRecordedError, Writer


def read(engine, question, tenant=1) -> Ask:
    ask = engine.read(question, tenant)
    assert isinstance(ask, Ask), ask
    return ask


@pytest.mark.parametrize(
    ("question", "metric", "shape", "dimension"),
    [
        ("Net sales yesterday", "net sales", "total", None),
        ("Net sales by brand", "net sales", "breakdown", "brand"),
        ("Net sales of NOR brand", "net sales", "total", None),
        ("Top 5 stores by revenue", "net sales", "ranking", "store"),
        ("Tops revenue by store", "net sales", "breakdown", "store"),
        ("Gross sales by city", "gross sales", "breakdown", "city"),
        ("share of net sales by region", "net sales", "share", "region"),
        ("rank of NOR by units sold", "units sold", "rank", "brand"),
        ("net sales this month vs last month", "net sales", "compare", None),
        ("net sales of NOR and Velloka", "net sales", "breakdown", "brand"),
        ("stores with net sales above 2 lakh", "net sales", "threshold", "store"),
        ("define stock cover", "stock cover", "define", None),
        ("how many SKUs in stock", "SKUs in stock", "total", None),
        ("zero-sale SKUs by brand", "zero-sale SKUs", "breakdown", "brand"),
        ("failed runs of core replenishment in January 2026", "failed runs", "total", None),
        ("core replenishment by store", "core replenishment allotment", "breakdown", "store"),
        ("units sold yoy in January 2026", "units sold", "compare", None),
        ("sabse kam bikri kis dukaan ki hai", "net sales", "ranking", "store"),
    ],
)
def test_metric_shape_and_dimension(engine, question, metric, shape, dimension) -> None:
    ask = read(engine, question)
    assert ask.metric is not None
    assert (ask.metric.name, ask.shape) == (metric, shape)
    assert (ask.dimension.name if ask.dimension else None) == dimension


@pytest.mark.parametrize(
    ("question", "filters"),
    [
        ("net sales of NOR in Pune", [("brand", "NOR"), ("city", "Pune")]),
        ("no sales nor returns of Velloka", [("brand", "Velloka")]),
        ("Not Yet net sales", [("brand", "Not Yet")]),
        ("net sales are not yet in for Velloka", [("brand", "Velloka")]),
        ("net sales in Bangalore", [("city", "Bengaluru")]),
        ("net sales of store p1009", [("store", "Monsoon Market Kolkata")]),
        ("net sales of the kurta category", [("category", "Kurtas")]),
        ("stock value of North Warehouse New Delhi", [("warehouse", "North Warehouse New Delhi")]),
    ],
)
def test_filters_are_the_companys_own_values(engine, question, filters) -> None:
    assert [(one.dimension.name, one.value) for one in read(engine, question).filters] == filters


@pytest.mark.parametrize(
    "question",
    ["net sales of Nilgrove", "stock at store Q1001", "net sales in Guwahati", "brand Kesarva sales"],
)
def test_names_of_nobody_or_of_the_other_company_are_unknown(engine, question) -> None:
    puzzle = engine.read(question, 1)
    assert isinstance(puzzle, Puzzle)
    assert puzzle.reason == "unknown name"


def test_the_other_company_knows_its_own_names(engine) -> None:
    assert read(engine, "net sales of Nilgrove", 2).filters[0].value == "Nilgrove"


def test_a_default_period_is_the_running_year_and_none_where_there_are_no_dates(engine) -> None:
    assert read(engine, "net sales").period.label == "FY26 to date"
    assert read(engine, "stock on hand").period is None
    assert read(engine, "net sales on Diwali 2025").period is None


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("above 10 lakh", 1_000_000),
        ("more than 2.5 crore", 25_000_000),
        ("over ₹12,34,567", 1_234_567),
        ("5 lakh se zyada", 500_000),
    ],
)
def test_thresholds_know_lakh_and_crore(engine, question, value) -> None:
    ask = read(engine, f"stores with net sales {question} in December 2025")
    assert ask.threshold is not None
    assert ask.threshold.value == value


@pytest.mark.parametrize(
    ("question", "limit"),
    [
        ("top three stores by margin", 3),
        ("5 worst stores by margin", 5),
        ("top stores by margin", 5),
        ("top store by margin", 1),
    ],
)
def test_how_many_are_ranked(engine, question, limit) -> None:
    assert read(engine, question).limit == limit


@pytest.mark.parametrize("question", ["hello", "what is the weather", "tell me a joke", "?"])
def test_what_names_no_figure_is_asked_back(engine, question) -> None:
    assert engine.read(question, 1).reason == "unclear"
    assert "Which figure" in engine.answer(question, 1).text


def test_what_is_not_recorded_is_said(engine) -> None:
    assert engine.answer("net sales by vendor", 1).text == "Net sales is not recorded by vendor."
    assert "not by period" in engine.answer("stock on hand in December 2025", 1).text


def test_every_metric_can_be_cut_and_there_are_many_kinds(engine) -> None:
    """Each metric by each dimension that it reaches, total, ranked and compared: all run, and at least 60 shapes."""
    graph = engine._graph
    writer, kinds = Writer(graph, 1), set()
    for metric in graph.metrics.values():
        for dimension in (None, *graph.dimensions.values()):
            shape = "breakdown" if dimension else "total"
            ask = Ask("", shape, metric=metric, dimension=dimension)
            try:
                step = engine._run(f"EXPLAIN {writer.write(ask)}")
            except NotRecordedError:
                continue
            assert step.error is None, step
            kinds.add((metric.name, dimension.name if dimension else None))
    assert len({metric for metric, _ in kinds}) == len(graph.metrics)
    assert len(kinds) >= 600


@pytest.mark.parametrize("dimension", ["brand", "store", "category", "month", "channel", "season", "size"])
def test_parts_add_up_to_the_total(engine, dimension) -> None:
    ask = read(engine, "net sales in December 2025")
    parts = Ask(
        "", "breakdown", metric=ask.metric, dimension=engine._graph.dimensions[dimension], period=ask.period
    )
    writer = Writer(engine._graph, 1)
    total = engine._run(writer.write(ask)).rows[0][0]
    assert sum(value for _, value in engine._run(writer.write(parts)).rows) == total


def test_every_word_for_a_metric_is_read_as_that_metric(engine) -> None:
    """Each name and synonym, alone, beside a dimension and with a filter and a period."""
    wrong = []
    graph = engine._graph
    for metric in graph.metrics.values():
        for phrase in (metric.name, *metric.synonyms, *metric.hindi):
            for question in (phrase, f"{phrase} by brand", f"What was the {phrase} of NOR in December 2025?"):
                ask = engine.read(question, 1)
                if not isinstance(ask, Ask) or ask.metric != metric:
                    wrong.append((question, ask.metric.name if isinstance(ask, Ask) and ask.metric else ask))
    assert wrong == []


def test_every_word_for_a_dimension_breaks_down_by_it(engine) -> None:
    wrong = []
    for dimension in engine._graph.dimensions.values():
        for phrase in (dimension.name, dimension.plural, *dimension.synonyms):
            ask = engine.read(f"discount by {phrase}", 1)
            if not isinstance(ask, Ask) or ask.dimension != dimension:
                wrong.append((phrase, ask))
    assert wrong == []
