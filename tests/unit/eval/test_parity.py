"""Two runs through two channels."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval import store
from eval.cli import app
from eval.differences import Kind
from eval.errors import CompareError
from eval.parity import lines, parity
from eval.records import CaseResult, Payload, Recommendation, Run, RunInfo, Verdict
from eval.store import RunWriter, run_path

LISTED = (Recommendation("A", "https://x/view/a/", "K"),)


def answer(text: str = "Here.", **fields: object) -> Payload:
    return Payload("q", text, source="api", recommendations=LISTED, ends=False, **fields)  # type: ignore[arg-type]


def case(case_id: str, *payloads: Payload, verdict: Verdict = "pass", channel: str = "api") -> CaseResult:
    said = payloads or (answer(),)
    return CaseResult(case_id, "f", "recommender", channel, "standard", verdict, 0.9, 1.0, (), said, "")


def run(channel: str, *cases: CaseResult) -> Run:
    info = RunInfo(f"run-{channel}", "", "", channel, "t", "f", 1)
    return Run(info, cases=tuple(replace(each, channel=channel) for each in cases))


def test_each_case_gets_the_kind_of_its_first_turn_that_differs() -> None:
    found = parity(
        run("api", case("same"), case("looks"), case("differs", answer(), answer("45 units"), answer("later")),
            case("short", answer(), answer())),
        run("ui", case("same"), case("looks", answer("here")),
            case("differs", answer("here"), answer("54 units"), answer("another")), case("short", answer())),
    )  # fmt: skip
    kinds = {row.case_id: (row.kind, row.turn) for row in found.rows}
    assert kinds == {
        "same": (Kind.IDENTICAL, None),
        "looks": (Kind.COSMETIC, None),
        "differs": (Kind.NUMERIC_DIFF, 2),
        "short": (Kind.STATUS_DIFF, 2),
    }
    assert [row.case_id for row in found.findings] == ["differs", "short"]


def test_a_verdict_that_differs_is_a_finding_even_when_the_answers_do_not() -> None:
    found = parity(run("api", case("a"), case("b")), run("ui", case("a"), case("b", verdict="fail")))
    assert [(row.case_id, row.kind) for row in found.findings] == [("b", Kind.IDENTICAL)]
    assert (found.flips, found.p_flips) == ((1, 0), 1.0)
    assert any("b: identical [pass against fail]" in line for line in lines(found))


def test_flips_are_counted_in_both_directions() -> None:
    one = [case(f"c{n}", verdict="pass" if n < 6 else "fail") for n in range(7)]
    other = [case(f"c{n}", verdict="fail" if n < 6 else "pass") for n in range(7)]
    found = parity(run("api", *one), run("ui", *other))
    assert found.flips == (6, 1)
    assert found.p_flips == pytest.approx(0.125)


def test_where_neither_answered_nothing_is_compared() -> None:
    lost = Payload("q", status="unreachable", error="refused")
    found = parity(run("api", case("a", lost, verdict="error")), run("ui", case("a", lost, verdict="error")))
    assert ([row.kind for row in found.rows], found.findings, len(found.uncompared)) == ([None], (), 1)
    one_sided = parity(run("api", case("a")), run("ui", case("a", lost)))
    assert one_sided.rows[0].kind is Kind.STATUS_DIFF


def test_lists_are_not_missing_where_a_channel_has_none() -> None:
    stream = replace(answer(), recommendations=(), ends=None)
    assert parity(run("api", case("a")), run("otp_ws", case("a", stream))).rows[0].kind is Kind.IDENTICAL
    assert parity(run("api", case("a")), run("ui", case("a", stream))).rows[0].kind is Kind.STATUS_DIFF


@pytest.mark.parametrize("others", [(), (case("a"),), (case("a"), case("c"))])
def test_other_cases_are_an_error(others: tuple[CaseResult, ...]) -> None:
    with pytest.raises(CompareError):
        parity(run("api", case("a"), case("b")), run("ui", *others))


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(store, "STORE", tmp_path)
    return tmp_path


def keep(name: str, kept: Run) -> None:
    with RunWriter.open(run_path(name), replace(kept.info, id=name)) as writer:
        for row in kept.cases:
            writer.add(row)


@pytest.mark.parametrize(
    ("other", "code", "words"),
    [
        (case("a"), 0, "identical        1"),
        (case("a", answer("here")), 0, "cosmetic         1"),
        (case("a", answer("There.")), 2, "missing_content"),
        (case("a", verdict="fail"), 2, "1 differ"),
        (case("b"), 1, "not the same cases in both: a, b"),
    ],
)
def test_stored_runs_are_compared(stored: Path, other: CaseResult, code: int, words: str) -> None:
    keep("one", run("api", case("a")))
    keep("two", run("ui", other))
    result = CliRunner().invoke(app, ["parity", "--runs", "one,two", "--json", str(stored / "rows.json")])
    assert result.exit_code == code
    assert words in result.output
    if code != 1:
        rows = json.loads((stored / "rows.json").read_text(encoding="utf-8"))["rows"]
        assert rows[0]["case_id"] == "a"


def test_nothing_compared_is_inconclusive(stored: Path) -> None:
    lost = case("a", Payload("q", status="unreachable"), verdict="error")
    keep("one", run("api", lost))
    keep("two", run("ui", lost))
    assert CliRunner().invoke(app, ["parity", "--runs", "one,two"]).exit_code == 3


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--channels", "api"], 2, "two different ones"),
        (["--channels", "api,api"], 2, "two different ones"),
        (["--channels", "api,uj"], 1, "no channel 'uj'"),
        (["--runs", "one,none"], 1, "there is no run"),
        (
            ["--channels", "inprocess,api", "--no-dense", "--only", "never-such-a-case"],
            1,
            "never-such-a-case",
        ),
    ],
)
def test_bad_input_is_one_line(stored: Path, arguments: list[str], code: int, words: str) -> None:
    keep("one", run("api", case("a")))
    result = CliRunner().invoke(app, ["parity", *arguments], env={"COLUMNS": "200", "NO_COLOR": "1"})
    assert result.exit_code == code
    assert words in result.output
    assert "Traceback" not in result.output


def test_a_recording_plays_the_same_as_what_was_recorded(stored: Path) -> None:
    runner = CliRunner()
    runner.invoke(app, ["run", "--no-dense", "--only", "accept-e", "--run", "live"])
    again = runner.invoke(
        app, ["run", "--channel", "replay", "--recording", "live", "--only", "accept-e", "--run", "again"]
    )
    assert "unreachable" not in again.output
    result = runner.invoke(app, ["parity", "--runs", "live,again"])
    assert "identical        4" in result.output
    assert "verdicts: 0 differ" in result.output
    assert result.exit_code == 0
