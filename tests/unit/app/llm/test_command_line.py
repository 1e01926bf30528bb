"""The router by hand, and the check of a key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.__main__ import main as serve
from app.config import load_settings
from app.errors import Fault
from app.llm.__main__ import main
from app.records import Routing
from scripts import smoke_llm
from tests.model_server import KEY, WIRES
from tests.model_server import serve as serve_model

TALK = [{"role": "user", "content": "Mid-level people who dig in our warehouse tables. What does MQM5 show?"}]


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_whole_prompt_is_printed_with_a_filled_example(
    wrapped: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps({"messages": TALK} if wrapped else TALK), encoding="utf-8")
    assert main(["show-prompt", "--history", str(file)]) == 0
    out = capsys.readouterr().out
    assert "<<" not in out
    assert "Motivation Questionnaire MQM5 (not on the list)" in out
    assert "warehouse tables" in out
    example = json.loads(out.rpartition("=====")[2])
    assert example["constraints"]["seniority"] == "mid"


def test_a_pasted_answer_runs_through_the_rest_of_the_turn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk, answer = tmp_path / "talk.json", tmp_path / "answer.txt"
    talk.write_text(
        json.dumps([{"role": "user", "content": "Mid-level people who dig in our warehouse tables"}]),
        encoding="utf-8",
    )
    answer.write_text('Sure!\n```json\n{"intent": "recommend", "skills": ["SQL"]}\n```', encoding="utf-8")
    assert main(["show-prompt", "--history", str(talk), "--answer", str(answer)]) == 0
    turn = json.loads(capsys.readouterr().out)
    assert "SQL (New)" in {item["name"] for item in turn["recommendations"]}
    assert turn["explanation"]["router"]["router"] == "pasted"


@pytest.mark.parametrize("content", ["no JSON", "[]", '{"messages": 3}', None])
def test_a_file_without_a_conversation_is_said_in_a_line(
    content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "talk.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    assert main(["show-prompt", "--history", str(file)]) == 2
    assert "talk.json" in capsys.readouterr().err


def test_serving_with_a_provider_that_lacks_its_key_ends_with_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LLM_PROVIDER", "groq")
    assert serve(["serve"]) == 2
    assert capsys.readouterr().err == "ConfigError: LLM_PROVIDER=groq needs GROQ_API_KEY\n"


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (200, 0, "works: 321 tokens in, 45 out"),
        (401, 1, "does not accept the key"),
        (404, 1, "LLM_MODEL exist"),
    ],
)
def test_a_key_is_checked_with_one_turn(
    status: int, code: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wire = WIRES["openai"]
    served = wire.answers('{"intent": "recommend"}') if status == 200 else wire.fails(status)
    with serve_model(served) as server:
        monkeypatch.setenv("LLM_PROVIDER", "openai")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", wire.address(server.url))
        assert smoke_llm.main() == code
    out = capsys.readouterr()
    assert words in out.out
    assert KEY not in out.out + out.err


def test_a_check_without_a_provider_or_a_key_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert smoke_llm.main() == 1
    assert "offline" in capsys.readouterr().out
    monkeypatch.setenv("LLM_PROVIDER", "groq")
    assert smoke_llm.main() == 2
    assert "GROQ_API_KEY" in capsys.readouterr().err


@pytest.mark.parametrize("fault", [fault for fault in Fault if fault is not Fault.PAUSED])
def test_every_fault_has_its_words(fault: Fault) -> None:
    assert load_settings().llm_provider == "offline"
    said = smoke_llm.describe(Routing(why=fault.value, degraded=True))
    assert len(said) > len(fault.value) + 40


def test_a_key_that_failed_before_another_answered_is_named() -> None:
    answered = Routing(router="groq#2", why="answered", attempts=("groq:auth", "groq#2:ok"))
    assert "Before it failed: groq:auth." in smoke_llm.describe(answered)
    alone = Routing(router="groq", why="answered", attempts=("groq:ok",))
    assert "failed" not in smoke_llm.describe(alone)


@pytest.mark.parametrize("text", ['{"messages": 3}', "[]", "x", '{"messages": [{"role": 1}]}'])
def test_a_file_that_holds_no_conversation_is_said_in_a_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "history.json"
    file.write_text(text, encoding="utf-8")
    assert main(["show-prompt", "--history", str(file)]) == 2
    said = capsys.readouterr().err
    assert "no conversation" in said
    assert said.count("\n") == 1


def test_standard_input_is_one_file(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["show-prompt", "--history", "-", "--answer", "-"])
    assert caught.value.code == 2
    assert "both be standard input" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe{", "answer.txt: not UTF-8 text"),
        (b"I would rather not.", "no reading in the answer"),
        (None, "answer.txt: cannot be read"),
    ],
)
def test_a_pasted_answer_that_cannot_be_used_is_said_in_a_line(
    content: bytes | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk, answer = tmp_path / "talk.json", tmp_path / "answer.txt"
    talk.write_text(json.dumps(TALK), encoding="utf-8")
    if content is not None:
        answer.write_bytes(content)
    assert main(["show-prompt", "--history", str(talk), "--answer", str(answer)]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


def test_serving_with_recordings_that_break_off_in_the_middle_ends_with_a_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text('{"conversation": "12\n{}\n', encoding="utf-8")
    monkeypatch.setenv("LLM_PROVIDER", "scripted")
    monkeypatch.setenv("LLM__RECORDINGS", str(file))
    assert serve(["serve"]) == 2
    said = capsys.readouterr().err
    assert "LLM__RECORDINGS: answers.jsonl cannot be read" in said
    assert said.count("\n") == 1
