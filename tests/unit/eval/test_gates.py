from dataclasses import replace
from pathlib import Path

import pytest

from eval.errors import GateError
from eval.gates import Gate, exit_code, is_broken, judge, load_gates
from eval.records import (
    ConversationResult,
    LawResult,
    Payload,
    ProbeResult,
    Run,
    RunInfo,
    Status,
    Turn,
    failed,
    scored,
)
from eval.scoring import MEASURES

INFO = RunInfo("r", "t", "c", "double", "target", "state", 1)
RECALL = Gate("recall", "mean", "recall@10", {"split": "test"}, at_least=0.9, min_n=3)


def talk(number: int, value: float | None, split: str = "test") -> ConversationResult:
    results = tuple(failed(m, "lost") if value is None else scored(m, value) for m in MEASURES)
    turn = Turn(1, Payload("q", "a"))
    return ConversationResult(
        f"c{number}", "f", split, "double", "scripted", "trace", (turn,), "script_done", results
    )  # type: ignore[arg-type]


def run(*values: float | None, split: str = "test", **rows: object) -> Run:
    return Run(INFO, tuple(talk(i, v, split) for i, v in enumerate(values)), **rows)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "verdict", "code"),
    [
        ((0.9, 0.9, 0.9), "passed", 0),
        ((1.0, 1.0, 0.6999), "failed", 2),
        ((1.0, 1.0), "inconclusive", 3),
        ((1.0,), "inconclusive", 3),
        ((1.0, 1.0, 1.0, 1.0, None), "inconclusive", 1),
        ((None, None, None), "inconclusive", 1),
        ((), "inconclusive", 1),
    ],
    ids=["at-threshold", "below", "too-few", "single-case", "one-lost", "all-lost", "empty"],
)
def test_verdicts_and_exit_codes(values: tuple[float | None, ...], verdict: str, code: int) -> None:
    found = judge(run(*values), [RECALL])
    assert [r.verdict for r in found] == [verdict]
    assert exit_code(run(*values), found) == code


def test_a_few_errors_among_many_are_inconclusive_and_not_broken() -> None:
    many = run(*[1.0] * 30, None)
    assert not is_broken(many)
    assert exit_code(many, judge(many, [RECALL])) == 3


def test_a_single_case_has_a_mean_and_no_interval() -> None:
    found = judge(run(0.5), [RECALL])[0].found
    assert found is not None
    assert (found.value, found.low, found.high) == (0.5, None, None)


def test_pairs_count_only_when_both_sides_are_right() -> None:
    def probe(pair: str, side: str, *wrong: str, status: Status = Status.SCORED) -> ProbeResult:
        return ProbeResult(pair, "k", side, "double", status, wrong)  # type: ignore[arg-type]

    gate = Gate("probes", "probes", at_least=1.0)
    right = (probe("p", "trigger"), probe("p", "twin"))
    half = (probe("q", "trigger"), probe("q", "twin", "bad"))
    lost = (probe("r", "trigger"), probe("r", "twin", status=Status.ERROR))
    assert judge(Run(INFO, probes=right), [gate])[0].verdict == "passed"
    assert judge(Run(INFO, probes=(*right, *half)), [gate])[0].verdict == "failed"
    assert judge(Run(INFO, probes=(*right, *lost)), [gate])[0].verdict == "inconclusive"
    assert judge(Run(INFO), [gate])[0].verdict == "inconclusive"


def test_laws_that_did_not_apply_do_not_count() -> None:
    held = LawResult("l", "1", "double", Status.SCORED, held=True)
    skipped = LawResult("l", "2", "double", Status.UNSCORED)
    broken = LawResult("l", "3", "double", Status.SCORED, held=False)
    gate = Gate("laws", "laws", at_least=1.0)
    assert judge(Run(INFO, laws=(held, skipped)), [gate])[0].verdict == "passed"
    assert judge(Run(INFO, laws=(held, broken)), [gate])[0].verdict == "failed"


def test_counts_are_judged_over_what_was_run() -> None:
    gate = Gate("faults", "count", "contract_faults", at_most=0)
    assert judge(run(1.0), [gate])[0].verdict == "passed"
    assert judge(run(), [gate])[0].verdict == "inconclusive"


def test_turns_that_never_reached_the_target_pass_no_count() -> None:
    gate = Gate("faults", "count", "contract_faults", at_most=0)
    lost = replace(talk(9, None), turns=(Turn(1, Payload("q", status="unreachable")),))
    faulty = replace(talk(8, 1.0), turns=(Turn(1, Payload("q", "a", faults=("no url",))),))
    nothing = judge(Run(INFO, (lost,)), [gate])[0]
    assert (nothing.verdict, nothing.reason) == ("inconclusive", "no turn was answered")
    some = judge(Run(INFO, (talk(1, 1.0), lost)), [gate])[0]
    assert (some.verdict, some.reason) == ("inconclusive", "1 turns never reached the target")
    assert judge(Run(INFO, (faulty, lost)), [gate])[0].verdict == "failed"


def test_gates_for_parts_and_splits_that_were_not_run_do_not_apply() -> None:
    info = RunInfo("r", "t", "c", "double", "target", "state", 1, settings={"parts": "laws"})
    assert judge(Run(info), [RECALL]) == ()
    sample = Gate("sample", "mean", "recall@10", at_least=0.5, only_with="traces")
    assert judge(run(1.0), [sample]) == ()


def test_our_gates_are_well_formed() -> None:
    assert {gate.kind for gate in load_gates()} == {"mean", "count", "probes", "laws", "cases", "mutation"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[{id: x, kind: mean, measure: beauty, at_least: 1}]", "nothing measures"),
        ("[{id: x, kind: mean, measure: f1}]", "no threshold"),
        ("[{id: x, kind: mean, measure: f1, at_least: 1, over: {moon: full}}]", "moon"),
        ("[{id: x, nonsense: 1}]", "x"),
    ],
)
def test_faulty_gates_are_named(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "gates.yaml").write_text(text)
    with pytest.raises(GateError, match=words):
        load_gates(tmp_path / "gates.yaml")
