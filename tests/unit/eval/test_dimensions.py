"""What the report says of dimensions: coverage beside each mean, likeness, six against thirteen."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from eval.aggregator import ResultAggregator
from eval.case_gates import case_outcomes, mutation_share
from eval.dimensions import spearman, summarise_cases
from eval.gates import Gate, judge
from eval.profiles import load_profile
from eval.records import CaseResult, MutationRow, Payload, Run, RunInfo, Status, failed
from eval.report import render_html, render_markdown
from eval.store import RunWriter, load_run
from eval.summary import summarise
from tests.unit.eval.case_doubles import GOOD, TellingTarget, a_golden, a_graded, a_value

INFO = RunInfo(
    "r", "2026-01-01T00:00:00+00:00", "c", "api", "target", "state", 1, settings={"parts": "golden mutation"}
)


def test_a_mean_stands_beside_its_coverage() -> None:
    cases = [a_graded(f"c{n}", value) for n, value in enumerate((0.9, 0.5, None))]
    cases.append(a_graded("c3", results=(failed("accuracy", "boom"),)))
    found = summarise_cases(Run(INFO, cases=tuple(cases)))
    assert found is not None
    (row,) = found.rows
    assert row.mean is not None
    assert row.mean.value == pytest.approx(0.7)
    assert row.coverage == 0.5
    assert sum(row.counts.values()) == 4
    assert (row.counts["unscored"], row.counts["error"], row.low) == (1, 1, 1)


def test_no_cases_no_section() -> None:
    assert summarise_cases(Run(INFO)) is None


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1, 2, 3, 4], [10, 20, 30, 40], 1),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1),
        ([1, 1, 1, 1], [1, 2, 3, 4], None),
        ([1, None, 3], [1, 2, 3], None),
        ([1, 1, 2, 2], [1, 2, 3, 4], 0.894),
    ],
)
def test_rank_correlation(one: list[float | None], other: list[float | None], expected: float | None) -> None:
    found = spearman(one, other)
    assert found == (None if expected is None else pytest.approx(expected, abs=0.001))


def test_dimensions_that_say_the_same_are_named_only_with_enough_cases_that_vary() -> None:
    rng = random.Random(5)
    values = [rng.random() for _ in range(150)]
    alike = [
        a_graded(f"c{n}", results=(a_value("accuracy", v), a_value("completeness", v * v)))
        for n, v in enumerate(values)
    ]
    flat = [
        a_graded(f"c{n}", results=(a_value("accuracy", float(n > 0)), a_value("completeness", float(n > 0))))
        for n in range(150)
    ]
    for cases, expected in ((alike, 1), (alike[:50], 0), (flat, 0)):
        found = summarise_cases(Run(INFO, cases=tuple(cases)))
        assert found is not None
        assert len(found.alike) == expected


def full_case(case_id: str, **changes: object) -> CaseResult:
    facts = replace(GOOD, **changes)  # type: ignore[arg-type]
    aggregator = ResultAggregator("recommender", TellingTarget(facts), load_profile("full"))
    return aggregator.evaluate(facts.payload, a_golden(case_id), channel="api")


def test_six_against_thirteen() -> None:
    found = summarise_cases(Run(INFO, cases=(full_case("a"), full_case("b", shown=("php",)))))
    assert found is not None
    assert found.agreement is not None
    assert found.agreement.dimensions == 13
    assert found.agreement.same is not None
    assert found.agreement.same.n == 2


HOSTILE = Payload("<b>q</b>", "<script>alert(1)</script> & “quotes” \u2028 😀", source="api", latency_ms=3.0)
ROWS = (
    MutationRow("digit swapped", ("hallucination",), 20, 19, ("c1",), 100, 1, ("latency",), 20, 1),
    MutationRow("(unharmed)", (), 50, 1, ("c2",), 0, 0, (), 50, 1),
)


def test_the_report_escapes_and_is_the_same_for_the_same_run() -> None:
    cases = (
        replace(full_case("a"), payloads=(HOSTILE,)),
        full_case("b"),
        replace(full_case("b"), replicate=1),
    )
    run = Run(INFO, cases=cases, mutation=ROWS)
    pages = [render_html(summarise(run, ())) for _ in range(2)]
    assert pages[0] == pages[1]
    assert "<script>alert(1)" not in pages[0]
    assert "&lt;script&gt;alert(1)" in pages[0]
    assert "http" not in pages[0].replace("http://www.w3.org", "")
    for text in ("digit swapped", "19 of 20", "Consistency", "hallucination", "good answers that fail"):
        assert text in pages[0]
    assert "digit swapped" in render_markdown(summarise(run, ()))


def test_a_large_report_stays_small() -> None:
    one = full_case("a")
    cases = tuple(replace(one, case_id=f"case-{n}") for n in range(5000))
    page = render_html(summarise(Run(INFO, cases=cases), ()))
    assert len(page.encode()) < 10_000_000
    assert "further cases have no transcript" in page


def test_unscored_survives_store_and_load(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "run.jsonl"
    case = full_case("a", claims=(), facets=())
    with RunWriter.open(path, INFO) as writer:
        writer.add(case)
        writer.add(ROWS[0])
    back = load_run(path)
    assert back.cases == (case,)
    assert back.mutation == (ROWS[0],)
    assert [r.value for r in back.cases[0].results if r.name == "hallucination"] == [None]
    assert [r.status for r in back.cases[0].results if r.name == "hallucination"] == [Status.UNSCORED]


def test_gates_on_cases_and_defects() -> None:
    good = tuple(replace(full_case("a"), case_id=f"c{n}") for n in range(10))
    passing = Gate("p", "cases", "pass", at_least=0.9, min_n=5)
    unsafe = Gate("s", "cases", "safe", at_least=1.0, min_n=5)
    noticed = Gate("n", "mutation", "noticed", at_least=0.95, min_n=5)
    run = Run(INFO, cases=good, mutation=ROWS)
    assert [r.verdict for r in judge(run, [passing, unsafe, noticed])] == ["passed", "passed", "passed"]
    undecided = replace(run, cases=(*good, replace(good[0], case_id="x", verdict="inconclusive")))
    assert [r.verdict for r in judge(undecided, [passing])] == ["inconclusive"]
    harmed = replace(good[0], case_id="x", results=(a_value("safety", 0.5),))
    assert case_outcomes(
        [harmed, replace(harmed, case_id="y", results=(a_value("safety", None),))], "safe"
    ) == {
        harmed.key: False,
        "case/recommender/api/y/0": None,
    }
    assert [r.verdict for r in judge(replace(run, cases=(*good, harmed)), [unsafe])] == ["failed"]
    assert mutation_share(ROWS, "unharmed") is not None
    assert mutation_share((), "noticed") is None


def test_hiding_behind_nothing_found_fails_the_run() -> None:
    hiding = tuple(replace(full_case("a"), case_id=f"c{n}", said_nothing=True) for n in range(30))
    alarm = Gate("a", "cases", "alarm", at_least=0.01, min_n=5)
    assert [r.verdict for r in judge(Run(INFO, cases=hiding), [alarm])] == ["failed"]
    honest = tuple(replace(case, nothing_there=True) for case in hiding)
    assert [r.verdict for r in judge(Run(INFO, cases=honest), [alarm])] == ["passed"]
