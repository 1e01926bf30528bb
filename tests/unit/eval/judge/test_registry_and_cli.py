from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from eval.cli import app
from eval.errors import JudgeError
from eval.judge import cli
from eval.judge.base import CallSettings
from eval.judge.estimate import estimate
from eval.judge.labels import BUNDLED, load_labels
from eval.judge.prices import Price
from eval.judge.registry import build_judge, find_judge, judge_fingerprint, price_of
from eval.judge.settings import JudgeGroup, JudgeSettings, load_judge_settings
from tests.judge_server import JUDGE_WIRES, QUESTION, verdict
from tests.model_server import KEY, Served, serve

OPENAI = JUDGE_WIRES["openai"]
SHORT = 8
"""Answers of the small set of these tests."""


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JUDGE_PROVIDER", "JUDGE_MODEL", "JUDGE_PRICES", "ANTHROPIC_BASE_URL", "AZURE_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(JudgeSettings.model_config, "env_file", None)
    monkeypatch.setattr(cli, "CACHE", tmp_path / "judge_cache.db")
    monkeypatch.setattr(cli, "AGREEMENTS", tmp_path / "judge_agreement.json")


@pytest.fixture
def few(tmp_path: Path) -> Path:
    path = tmp_path / "few.jsonl"
    lines = BUNDLED.read_text("utf-8").splitlines()[:SHORT]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    opened: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect", lambda self, address: opened.append(address))
    yield opened
    assert opened == []


def run(*args: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def settings(**changes: Any) -> JudgeSettings:
    return JudgeSettings(_env_file=None, **changes)  # type: ignore[call-arg]


# --- who judges ---------------------------------------------------------------------------------


def test_without_a_choice_nobody_judges_even_with_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert build_judge(load_judge_settings(), cache=None) is None


@pytest.mark.parametrize(
    ("name", "message"),
    [("opena", "did you mean 'openai'"), ("", "known are offline, anthropic"), ("gpt-4o-mini", "no judge")],
)
def test_an_unknown_judge_names_the_known_ones(name: str, message: str) -> None:
    with pytest.raises(JudgeError, match=message):
        find_judge(name)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"judge_provider": "openai"}, "needs OPENAI_API_KEY"),
        ({"judge_provider": "anthropic", "anthropic_api_key": "  "}, "needs ANTHROPIC_API_KEY"),
        ({"judge_provider": "azure", "azure_api_key": KEY}, "needs AZURE_BASE_URL"),
        ({"judge_provider": "openai", "openai_base_url": "https://example.com/v1"}, "needs OPENAI_API_KEY"),
        (
            {"judge_provider": "openai", "openai_base_url": "ftp://localhost", "openai_api_key": KEY},
            "http:// or https://",
        ),
    ],
)
def test_what_is_missing_is_named_before_anything_is_asked(
    given: dict[str, Any], message: str, no_sockets: list[Any]
) -> None:
    with pytest.raises(JudgeError, match=message):
        build_judge(settings(**given), cache=None)


def test_a_local_server_needs_no_key() -> None:
    judge = build_judge(
        settings(judge_provider="openai", openai_base_url="http://127.0.0.1:1/v1", judge_model="m"),
        cache=None,
    )
    assert judge is not None
    judge.close()


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-4o-mini"),
        ("anthropic", "claude-haiku-4-5"),
        ("azure", "gpt-4o-mini"),
        ("groq", "llama-3.3-70b-versatile"),
        ("gemini", "gemini-2.5-flash"),
    ],
)
def test_each_provider_has_a_default_and_a_fingerprint_without_the_key(provider: str, model: str) -> None:
    chosen = settings(judge_provider=provider, **{f"{provider}_api_key": KEY})
    found = judge_fingerprint(chosen)
    assert (found.provider, found.model) == (provider, model)
    assert found.settings == CallSettings()
    assert KEY not in repr(found)
    assert KEY not in repr(chosen)
    assert price_of(chosen) is not None


def test_of_several_keys_the_first_is_taken() -> None:
    with serve(OPENAI.answers(verdict())) as server:
        chosen = settings(
            judge_provider="openai", openai_base_url=f"{server.url}/v1", openai_api_key=f" ,{KEY}, b"
        )
        judge = build_judge(chosen, cache=None)
        assert judge is not None
        judge.judge(QUESTION)
        judge.close()
    assert OPENAI.key_of(server.requests[0]["headers"]) == KEY


def test_settings_address_and_deployment_are_part_of_the_fingerprint() -> None:
    base = settings(judge_provider="azure", azure_base_url="https://a.example")
    others = [
        settings(judge_provider="azure", azure_base_url="https://b.example"),
        settings(judge_provider="azure", azure_base_url="https://a.example", azure_deployment="d"),
        settings(
            judge_provider="azure", azure_base_url="https://a.example", judge=JudgeGroup(temperature=0.5)
        ),
    ]
    assert len({judge_fingerprint(each) for each in (base, *others)}) == 4


def test_a_limit_needs_a_price() -> None:
    chosen = settings(judge_provider="openai", openai_api_key=KEY, judge_model="unheard-of")
    with pytest.raises(JudgeError, match="no price is known for openai/unheard-of"):
        build_judge(chosen, cache=None, max_cost_usd_micro=1)
    judge = build_judge(chosen, cache=None)
    assert judge is not None
    judge.close()


def test_a_wrong_setting_is_named_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE__TIMEOUT_S", "quite-long")
    with pytest.raises(JudgeError, match="JUDGE__TIMEOUT_S") as caught:
        load_judge_settings()
    assert "quite-long" not in str(caught.value)


# --- what it would cost -------------------------------------------------------------------------


def test_an_estimate_counts_what_is_spared_remembered_and_asked_twice() -> None:
    questions = [QUESTION, replace(QUESTION, case_id="again"), replace(QUESTION, answer=" ")]
    who = judge_fingerprint(settings(judge_provider="openai"))
    found = estimate(questions, who, Price(input=10**6, output=10**6))
    assert (found.questions, found.spared, found.remembered, found.calls) == (3, 1, 1, 1)
    assert found.likely_usd_micro == found.usage.input_tokens + found.usage.output_tokens
    assert found.most_usd_micro is not None
    assert found.most_usd_micro > found.likely_usd_micro
    assert estimate(questions, who, None).likely_usd_micro is None


def test_what_is_billed_lies_within_the_estimate(few: Path) -> None:
    chosen = settings(judge_provider="openai", openai_base_url="http://127.0.0.1", judge_model="gpt-4o-mini")
    found = estimate(
        (each.ask(0) for each in load_labels(few).answers), judge_fingerprint(chosen), price_of(chosen)
    )
    with serve(OPENAI.answers(verdict())) as server:
        judge = build_judge(
            chosen.model_copy(update={"openai_base_url": f"{server.url}/v1"}),
            cache=None,
            max_cost_usd_micro=found.most_usd_micro,
        )
        assert judge is not None
        for answer in load_labels(few).answers:
            judge.judge(answer.ask(0))
        total = judge.ledger.total
        judge.close()
    assert total.scored == SHORT
    assert found.most_usd_micro is not None
    assert 0 < total.cost_usd_micro <= found.most_usd_micro


def test_the_command_estimates_without_key_and_network(no_sockets: list[Any]) -> None:
    code, out, _ = run("estimate")
    assert code == 0
    assert "openai/gpt-4o-mini" in out
    assert "120 of 120 judgements" in out
    code, out, _ = run("judge-agreement", "--estimate", "--judge", "anthropic", "--json")
    found = json.loads(out)
    assert (code, found["calls"]) == (0, 360)
    assert found["likely_usd_micro"] < found["most_usd_micro"]


def test_the_command_says_when_no_price_is_known() -> None:
    code, out, _ = run("estimate", "--model", "unheard-of")
    assert code == 0
    assert "no price is known" in out


def test_an_estimate_sees_what_is_remembered(few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert json.loads(run("estimate", few, "--json")[1])["remembered"] == 0
    with serve(OPENAI.answers(verdict("4"))) as server:
        measure(server.url, monkeypatch, few, "--replicates", "1")
        assert json.loads(run("estimate", few, "--json")[1])["remembered"] == SHORT
        assert json.loads(run("estimate", few, "--json", "--no-cache")[1])["remembered"] == 0
        assert json.loads(run("estimate", few, "--json", "--model", "gpt-4o")[1])["remembered"] == 0


# --- agreement from the command line ------------------------------------------------------------


def measure(url: str, monkeypatch: pytest.MonkeyPatch, *args: str | Path) -> tuple[int, str, str]:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("JUDGE__ATTEMPTS", "1")
    return run("judge-agreement", *args)


def test_a_judge_is_measured_printed_and_stored(few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(OPENAI.answers(verdict("4"))) as server:
        code, out, err = measure(server.url, monkeypatch, few)
        again = json.loads(measure(server.url, monkeypatch, few, "--json")[1])
        assert len(server.requests) == SHORT * 3, "the second time everything is remembered"
    assert code == 0
    assert "8 of 8 scored" in out
    assert "may gate    no, it advises" in out
    assert (again["n"], again["may_gate"]) == (SHORT, False)
    stored = json.loads(cli.AGREEMENTS.read_text())
    assert [each["fingerprint"]["model"] for each in stored] == ["gpt-4o-mini"]
    assert KEY not in out + err + cli.AGREEMENTS.read_text()


def test_refresh_asks_anew_and_no_cache_keeps_nothing(few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(OPENAI.answers(verdict("4"))) as server:
        measure(server.url, monkeypatch, few, "--replicates", "1", "--no-cache")
        assert not cli.CACHE.exists()
        for _ in range(2):
            measure(server.url, monkeypatch, few, "--replicates", "1", "--refresh")
        assert len(server.requests) == SHORT * 3


def test_the_limit_holds_and_what_is_kept_back_is_named(few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(OPENAI.answers(verdict("4"))) as server:
        code, out, _ = measure(server.url, monkeypatch, few, "--max-cost", "0.002", "--replicates", "1")
        assert 0 < len(server.requests) < SHORT
    assert code == 0
    assert "budget" in out


def test_a_judge_that_gives_nothing_is_no_measurement(few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(Served(status=500)) as server:
        code, out, _ = measure(server.url, monkeypatch, few)
    assert code == 1
    assert "8 server" in out
    assert "not measurable" in out
    assert not cli.AGREEMENTS.exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("judge-agreement",), "needs OPENAI_API_KEY"),
        (("judge-agreement", "none.jsonl"), "No such file"),
        (("judge-agreement", "--judge", "offline"), "judges nothing"),
        (("judge-agreement", "--judge", "opnai"), "did you mean 'openai'"),
        (("judge-agreement", "--max-cost", "inf"), "number of dollars"),
        (("judge-agreement", "--max-cost", "nan"), "Error"),
        (("judge-agreement", "--max-cost", "-1"), "Error"),
        (("judge-agreement", "--replicates", "0"), "Error"),
        (("estimate", "--judge", "nobody"), "no judge 'nobody'"),
        (("estimate", "none.jsonl"), "No such file"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(
    args: tuple[str, ...], message: str, no_sockets: list[Any]
) -> None:
    code, _, err = run(*args)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
