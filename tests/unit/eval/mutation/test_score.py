"""Planted defects in today's answers: the score holds for a second seed, and what is planted carries no mark."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.api.dependencies import CatalogSide
from eval.adapters.inprocess import InProcessAdapter
from eval.aggregator import ResultAggregator
from eval.case_gates import mutation_share
from eval.golden import golden_path, load_golden
from eval.mutation.base import Kind, Material, Sample, load_texts
from eval.mutation.score import KINDS, UNHARMED, good, measure, plant, unharmed, unharmed_row
from eval.profiles import load_profile
from eval.records import CaseResult, MutationRow
from eval.replay import play
from eval.store import ROOT
from eval.targets.recommender import TARGET, load

SECOND_SEED = 4177
_SAMPLES: dict[int, list[Sample]] = {}


@pytest.fixture
def samples(catalog_side: CatalogSide) -> Sequence[Sample]:
    """Good answers, asked once for all tests of this module."""
    if not _SAMPLES:
        adapter = InProcessAdapter(catalog_side)
        cases = load_golden(golden_path(TARGET.golden))
        every = [Sample(case, tuple(play(case.messages, adapter))) for case in cases]
        _SAMPLES[0] = good(every, catalog_side.catalog)
        adapter.close()
    return _SAMPLES[0]


@pytest.fixture
def material(samples: Sequence[Sample], catalog_side: CatalogSide) -> Material:
    return Material(catalog_side.catalog, catalog_side.knowledge, samples, load_texts())


@pytest.fixture(scope="module")
def aggregator() -> ResultAggregator:
    return ResultAggregator("recommender", load(), load_profile("full"))


def test_a_second_seed_reaches_the_bar(
    samples: Sequence[Sample], material: Material, aggregator: ResultAggregator
) -> None:
    baseline = unharmed(samples, aggregator)
    rows = [measure(kind, samples, baseline, material, aggregator, SECOND_SEED) for kind in KINDS]
    rows.append(unharmed_row(baseline, SECOND_SEED))
    assert len(KINDS) >= 20
    assert {row.kind: row.n for row in rows if row.intended and row.n < 20} == {}
    assert {row.kind: row.missed for row in rows if row.intended and row.noticed < 17} == {}
    assert share(rows, "noticed") >= 0.95
    assert share(rows, "moved") <= 0.03
    assert share(rows, "unharmed") <= 0.02
    assert rows[-1].kind == UNHARMED


def share(rows: Sequence[MutationRow], measure_: str) -> float:
    found = mutation_share(rows, measure_)
    assert found is not None
    return found.value


def test_planting_depends_on_seed_kind_and_case_alone(samples: Sequence[Sample], material: Material) -> None:
    for kind in KINDS[:3]:
        once = plant(kind, samples, material, 1, 5)
        assert once == plant(kind, samples, material, 1, 5)
        assert once != plant(kind, samples, material, 2, 5)


def test_what_is_planted_carries_no_mark(samples: Sequence[Sample], material: Material) -> None:
    """Only what an assistant could have sent is changed: the case and the channel are those of the good answer."""
    by_id = {sample.case.id: sample for sample in samples}
    for kind in KINDS:
        for made in plant(kind, samples, material, 3, 3):
            before = by_id[made.case.id]
            assert made.case is before.case
            assert made.payloads[:-1] == before.payloads[:-1]
            assert (made.last.source, made.last.status, made.last.question, made.last.act) == (
                before.last.source, before.last.status, before.last.question, before.last.act,
            )  # fmt: skip
            assert made.last != before.last


def test_no_passage_that_is_planted_is_quoted_by_what_grades() -> None:
    grading = [
        path.read_text(encoding="utf-8").lower()
        for folder in ("evaluators", "targets")
        for path in (ROOT / "eval" / folder).rglob("*")
        if path.suffix in (".py", ".yaml")
    ]
    grading += [
        (ROOT / "eval" / name).read_text(encoding="utf-8").lower()
        for name in (
            "harms.yaml",
            "harms.py",
            "no_data.yaml",
            "no_data.py",
            "text.py",
            "facts.py",
            "aggregator.py",
        )
    ]
    for passages in load_texts().values():
        for passage in passages:
            assert not any(passage.lower() in text for text in grading), passage


def test_a_defect_that_is_none_is_not_noticed(
    samples: Sequence[Sample], material: Material, aggregator: ResultAggregator
) -> None:
    """The score can fail: an answer with another closing word loses nothing."""
    harmless = Kind(
        "nothing",
        ("accuracy",),
        (),
        lambda s, m, r: s.changed(ai_response=s.last.ai_response + "\nThank you."),
    )
    baseline = unharmed(samples[:40], aggregator)
    row = measure(harmless, samples[:40], baseline, material, aggregator, 1)
    assert row.noticed == 0
    assert row.n == 20


def test_unharmed_rows_count_what_fails(samples: Sequence[Sample], aggregator: ResultAggregator) -> None:
    baseline: dict[str, CaseResult] = unharmed(samples[:5], aggregator)
    assert unharmed_row(baseline, 1).noticed == sum(each.verdict == "fail" for each in baseline.values())
