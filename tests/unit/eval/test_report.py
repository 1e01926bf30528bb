from pathlib import Path
from xml.etree import ElementTree

import pytest

from eval.gates import Gate, judge
from eval.junit import write_junit
from eval.records import Case, LawResult, ProbeResult, Run, RunInfo, Status
from eval.replay import replay
from eval.report import render_html, render_markdown, write_report
from eval.summary import numbers, summarise
from eval.users import ScriptedUser
from tests.unit.eval.doubles import BROKEN, CATALOG, UNREACHABLE, Target, a_case, shown

INFO = RunInfo(
    "r1", "2026-01-01", "python -m eval all", "double", "target", "state", 1, notes=("degraded: words only",)
)
GATE = Gate("recall", "mean", "recall@10", at_least=0.9)
NASTY = '<script>alert("x")</script> | \u2028 ₹ \x07'


def run(target: Target, *cases: Case, info: RunInfo = INFO) -> Run:
    talks = tuple(replay(c, "scripted", ScriptedUser, target, "trace", CATALOG, "double") for c in cases)
    probe = ProbeResult("pair", "kind", "twin", "double", Status.SCORED, (NASTY,), why="because")
    law = LawResult("some_law", "case", "double", Status.SCORED, held=False, detail=NASTY, messages=(NASTY,))
    return Run(info, talks, probes=(probe,), laws=(law,))


def page(of: Run, *, unseal: bool = False) -> str:
    return render_html(summarise(of, judge(of, [GATE])), unseal=unseal)


def test_the_page_is_self_contained_and_escapes_everything() -> None:
    html = page(run(Target(shown("a", "x", text=NASTY)), a_case(NASTY, split="dev")))
    assert "<script" not in html
    assert "src=" not in html
    assert "@import" not in html
    assert "url(" not in html
    assert "&lt;script&gt;" in html
    assert "degraded: words only" in html


def test_the_same_run_gives_the_same_bytes() -> None:
    of = run(Target(shown("a")), a_case("hi"))
    assert page(of) == page(of)


def test_held_out_labels_are_sealed_until_asked_for() -> None:
    of = run(Target(shown("a", "e")), a_case("a secret opening", split="test"))
    for text in (page(of), render_markdown(summarise(of, ()))):
        assert "secret opening" not in text
        assert "missed b" not in text
    assert "secret opening" in page(of, unseal=True)


@pytest.mark.parametrize(
    "of",
    [
        Run(INFO),
        run(Target(UNREACHABLE), a_case("hi")),
        run(Target(BROKEN), a_case("hi")),
        run(Target(shown("a")), a_case("hi")),
    ],
    ids=["empty", "unreachable", "all-failed", "single-case"],
)
def test_poor_runs_have_an_honest_report(of: Run) -> None:
    summary = summarise(of, judge(of, [GATE]), of)
    assert "Evaluation r1" in render_html(summary)
    assert "nan" not in render_markdown(summary).lower()
    assert numbers(summary) is not None


def test_the_difference_to_an_earlier_run_is_paired_and_knows_what_it_cannot_tell() -> None:
    cases = [a_case("hi", id=f"c{n}", split="dev") for n in range(5)]
    before, same, better = (run(Target(a), *cases) for a in (shown("a"), shown("a"), shown("a", "b")))
    assert {d.verdict for d in summarise(same, (), before).differences} == {"identical"}
    found = {d.measure: d for d in summarise(better, (), before).differences}
    assert found["recall@10"].change.value == pytest.approx(0.5)
    other = run(Target(shown("a")), a_case("hi", id="other", split="dev"))
    assert summarise(other, (), before).differences == ()


def test_files_are_written(tmp_path: Path) -> None:
    of = run(Target(shown("a")), a_case("hi"))
    write_report(
        summarise(of, ()), tmp_path / "x" / "r.html", tmp_path / "r.md", tmp_path / "n.json", unseal=False
    )
    assert (tmp_path / "r.md").read_text(encoding="utf-8").startswith("# Evaluation r1")
    assert '"what"' in (tmp_path / "n.json").read_text()


def test_junit_keeps_failures_errors_and_skipped_apart(tmp_path: Path) -> None:
    of = run(Target(UNREACHABLE), a_case("hi"))
    write_junit(of, judge(of, [GATE]), tmp_path / "j.xml")
    suites = {s.get("name"): s for s in ElementTree.parse(tmp_path / "j.xml").getroot()}
    assert (suites["conversations"].get("errors"), suites["conversations"].get("failures")) == ("1", "0")
    assert suites["probes"].get("failures") == "1"
    assert suites["gates"].get("skipped") == "1"
