"""What an answer says of the whole of what was asked, and the verdict once the oracle is asked too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from eval.cli import app
from eval.errors import DatasetError
from eval.oracle.cli import CASES
from eval.oracle.labelled import LabelledAnswer, load_answers, score
from eval.oracle.no_data import NoDataVerdict, Truth, join, run_alarm, truth_of_trace
from eval.oracle.no_data_text import AnswerClass, classify

TEST = load_answers(CASES / "no_data_test.jsonl")
DEV = load_answers(CASES / "no_data_dev.jsonl")

# One that says there is nothing, and a near twin that does not.
TWINS = [
    ("Zero transactions were recorded.", "Zero-sale report: 12 SKUs have not sold in 90 days."),
    ("The result set is empty.", "The Empty Box tee sold 40 pieces."),
    ("No store sold more than 50 units.", "No store sold more than 50 units; the highest was 48."),
    ("No sales were found for Pune.", "Pune had no sales, but Mumbai sold 320 units."),
    ("No data is available.", "No data could be fetched because the database is down."),
    ("No returns in June.", "No. of returns in June: 4"),
    ("Net sales were ₹0.", "Net sales were ₹10."),
    ("0 of 63 stores qualify.", "12 of 63 stores qualify."),
    ("Koi bikri nahi hui.", "Koi shak nahi, bikri ₹3 lakh rahi."),
    ("कोई बिक्री नहीं हुई।", "12 SKU की बिक्री नहीं हुई।"),
    ("| A | B |\n|---|---|\n| - | - |", "| A | B |\n|---|---|\n| Pune | 0 |"),
    ("[]", '[{"net": 1}]'),
    ("No such style exists.", "Which style do you mean? No code was given."),
]


@pytest.mark.parametrize(("nothing", "something"), TWINS)
def test_twins(nothing: str, something: str) -> None:
    assert classify(nothing) is AnswerClass.FULL_NO_DATA
    assert classify(something) is not AnswerClass.FULL_NO_DATA


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pune had no sales, but Mumbai sold 320 units.", AnswerClass.PARTIAL_NO_DATA),
        ("There were no returns, and net sales were ₹4.2 lakh.", AnswerClass.HAS_DATA),
        ("Could you tell me which brand you mean?", AnswerClass.REFUSAL),
        ("Error 500: upstream timeout.", AnswerClass.SYSTEM_ERROR),
        ("I found 0 errors in the ledger; closing stock is 22,410.", AnswerClass.HAS_DATA),
        ("", AnswerClass.HAS_DATA),
    ],
)
def test_the_other_classes(text: str, expected: AnswerClass) -> None:
    assert classify(text) is expected


@given(st.text(max_size=80))
def test_any_text_has_a_class(text: str) -> None:
    assert classify(text) in AnswerClass


def test_the_sets_are_large_and_apart() -> None:
    assert len(DEV) >= 150
    assert len(TEST) >= 300
    assert sum(each.label is AnswerClass.FULL_NO_DATA for each in TEST) >= 150
    assert sum(each.label is not AnswerClass.FULL_NO_DATA for each in TEST) * 3 >= len(TEST)
    assert not {each.text for each in DEV} & {each.text for each in TEST}


@pytest.mark.parametrize("answers", [DEV, TEST], ids=["dev", "test"])
def test_precision_and_recall(answers: tuple[LabelledAnswer, ...]) -> None:
    found = score(answers)
    assert found.hits >= 0.97 * (found.hits + found.false_alarms)
    assert found.hits >= 0.95 * (found.hits + found.misses)
    assert found.same_class >= 0.85 * found.n


SAYS, HAS = AnswerClass.FULL_NO_DATA, AnswerClass.HAS_DATA


@pytest.mark.parametrize(
    ("said", "truth", "verdict"),
    [
        (SAYS, "empty", "legitimate"),
        (SAYS, "non_empty", "false_empty"),
        (SAYS, "unknown", "unverified"),
        (HAS, "empty", "fabrication"),
        (HAS, "non_empty", "not_concerned"),
        (HAS, "unknown", "not_concerned"),
        (AnswerClass.REFUSAL, "empty", "not_concerned"),
        (AnswerClass.SYSTEM_ERROR, "non_empty", "not_concerned"),
        (AnswerClass.PARTIAL_NO_DATA, "non_empty", "not_concerned"),
    ],
)
def test_the_verdict(said: AnswerClass, truth: Truth, verdict: str) -> None:
    assert join(said, truth).value == verdict


@pytest.mark.parametrize(
    ("rows", "passed", "failed", "verdict"),
    [
        (57, True, False, "false_empty"),
        (0, True, False, "legitimate"),
        (0, False, False, "unverified"),
        (None, True, True, "unverified"),
        (0, True, True, "unverified"),
        (None, True, False, "unverified"),
    ],
)
def test_an_answer_of_nothing_against_its_trace(
    rows: int | None, passed: bool, failed: bool, verdict: str
) -> None:
    truth = truth_of_trace(row_count=rows, passed_audit=passed, failed=failed)
    assert join(classify("No records found."), truth).value == verdict


def test_data_where_there_is_none_is_a_fabrication() -> None:
    truth = truth_of_trace(row_count=0, passed_audit=True, failed=False)
    assert join(classify("Store 999 made ₹4,12,300 last week."), truth) is NoDataVerdict.FABRICATION


def test_a_bot_that_always_says_nothing_fails_the_run() -> None:
    always = [join(SAYS, "non_empty")] * 12 + [join(SAYS, "empty")] * 3
    assert run_alarm(always).fires
    honest = [join(SAYS, "empty")] * 12 + [join(HAS, "non_empty")] * 30 + [join(SAYS, "non_empty")]
    assert not run_alarm(honest).fires
    assert run_alarm([]).p_value is None


def test_command_line(tmp_path: Path) -> None:
    run = CliRunner()
    assert run.invoke(app, ["oracle", "no-data", "No records found."]).output.strip() == "full_no_data"
    shown = run.invoke(app, ["oracle", "numbers", "about ₹4-5 lakh in June 2025"]).output
    assert "400000..500000 money, step 100000, about" in shown
    assert "'June 2025' is a date" in shown
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"id": "a", "label": "has_data", "text": "No records found."}))
    scored = run.invoke(app, ["oracle", "score", str(file)])
    assert (scored.exit_code, "a: labelled has_data, found full_no_data" in scored.output) == (0, True)
    for content in ("", "{", '{"id": "a", "label": "maybe", "text": ""}'):
        file.write_text(content)
        found = run.invoke(app, ["oracle", "score", str(file)])
        assert (found.exit_code, found.output.startswith("broken: ")) == (1, True)
    with pytest.raises(DatasetError):
        load_answers(tmp_path / "none")
