"""A language model in the evaluation: beside the rules, with tokens, cost and degraded turns."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval import store
from eval.adapters.base import AdapterOptions
from eval.adapters.inprocess import build
from eval.cli import app
from eval.errors import AdapterError
from eval.gates import GateResult
from eval.records import ChatMessage, ConversationResult, Payload, Run, RunInfo, Turn, scored
from eval.report.render import render_html, render_markdown
from eval.summary import summarise
from tests.model_server import KEY, WIRES, serve

NO_GATES: tuple[GateResult, ...] = ()


def a_run(name: str, *payloads: Payload, router: str = "offline") -> Run:
    turns = tuple(Turn(number, payload) for number, payload in enumerate(payloads, 1))
    info = RunInfo(name, "2026-01-01", "x", "inprocess", "t", "f", 1, {"router": router})
    result = ConversationResult(
        "c", "f", "dev", "inprocess", "scripted", "grader", turns, "ended", (scored("recall@10", 1.0),)
    )
    return Run(info, (result,))


def test_both_ways_stand_side_by_side() -> None:
    rules = Payload("q", latency_ms=2.0, router="offline")
    model = Payload("q", latency_ms=300.0, router="groq", input_tokens=2_000_000, output_tokens=1_000_000)
    lost = Payload("q", latency_ms=900.0, router="offline", degraded=("model",))
    summary = summarise(
        a_run("new", model, lost, router="groq"), NO_GATES, a_run("old", rules, rules), price=(0.5, 2.0)
    )
    new, old = summary.routers
    assert (new["read by a model"], new["degraded"], new["turns"]) == ("1", "1", "2")
    assert (new["tokens in"], new["cost"]) == ("2000000", "3.0000 USD")
    assert (old["router"], old["read by a model"], old["cost"]) == ("offline", "0", "0.0000 USD")
    for text in (render_markdown(summary), render_html(summary)):
        assert "Who read the conversations" in text


def test_a_report_of_the_rules_alone_has_no_such_table() -> None:
    summary = summarise(a_run("old", Payload("q", latency_ms=2.0, router="offline")), NO_GATES)
    assert summary.routers == ()
    assert "Who read the conversations" not in render_markdown(summary)


def test_the_pipeline_runs_with_any_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    wire = WIRES["openai"]
    with serve(wire.answers('{"intent": "recommend"}'), wire.fails(500)) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", wire.address(server.url))
        adapter = build(AdapterOptions(dense=False, provider="openai"))
        read, lost = (adapter.ask([ChatMessage("user", "Mid-level SQL analysts")]) for _ in range(2))
        adapter.close()
    assert (read.router, read.input_tokens, read.output_tokens) == ("openai", 321, 45)
    assert read.ids
    assert lost.router == "offline"
    assert "model" in lost.degraded
    assert lost.ids == read.ids


def test_a_provider_without_its_key_cannot_be_measured() -> None:
    with pytest.raises(AdapterError, match="GROQ_API_KEY"):
        build(AdapterOptions(dense=False, provider="groq"))


def test_tokens_that_were_not_stated_are_no_zero() -> None:
    silent = Payload("q", latency_ms=300.0, router="openai")
    rules = Payload("q", latency_ms=2.0, router="offline")
    (row,) = summarise(a_run("new", silent, rules, router="openai"), NO_GATES, price=(0.5, 2.0)).routers
    assert (row["tokens in"], row["tokens out"], row["cost"]) == ("not stated",) * 3


def test_a_paid_run_is_played_again_without_anybody_beside_one_of_the_rules(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(store, "STORE", tmp_path)
    monkeypatch.setenv("LLM__RECORDINGS", str(tmp_path / "answers.jsonl"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    one = ["--splits", "dev", "--only", "dev-01", "--users", "scripted", "--modes", "grader", "--no-dense"]

    def run(name: str, provider: str, *options: str) -> Run:
        said = CliRunner().invoke(app, ["replay", *one, "--run", name, "--provider", provider, *options])
        assert said.exit_code == 3, said.output
        return store.load_run(store.run_path(name))

    rules = run("rules", "offline")
    wire = WIRES["openai"]
    with serve(wire.answers('{"intent": "recommend"}')) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", wire.address(server.url))
        monkeypatch.setenv("LLM__RECORD", "all")
        paid = run("paid", "openai")
        calls = len(server.requests)
    monkeypatch.setenv("LLM__RECORD", "off")
    again = run("again", "scripted", "--baseline", "rules", "--price", "1,2")
    replies = [[turn.payload.ai_response for c in r.conversations for turn in c.turns] for r in (paid, again)]
    assert replies[0] == replies[1]
    row, beside = summarise(again, NO_GATES, rules, price=(1.0, 2.0)).routers
    assert calls > 0
    assert (row["read by a model"], row["degraded"], beside["read by a model"]) == (str(calls), "0", "0")
    assert (row["tokens in"], row["tokens out"]) == (str(321 * calls), str(45 * calls))
    assert row["cost"] == f"{(321 + 2 * 45) * calls / 1e6:.4f} USD"
    assert all(table["recall@10"] != "none" and table["p95"] != "none" for table in (row, beside))
