"""Recorded answers: missing and stale are two different things."""

from __future__ import annotations

import asyncio
import resource
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from structlog.testing import CapturingLogger, capture_logs

from app.errors import ConfigError, MissingRecordingError, StaleRecordingError
from app.llm.base import Answer, Prompt
from app.llm.recordings import NOT_RECORDED, RecordingModel, Recordings
from tests.models import FakeModel

PROMPT = Prompt("v1", "read", '[{"role": "user", "content": "a cook"}]', {}, 800)
NEWER = Prompt("v2", "read well", PROMPT.user, {}, 800)


async def test_an_answer_is_written_once_and_found_again(tmp_path: Path) -> None:
    file = tmp_path / "new" / "answers.jsonl"
    model = FakeModel(["one", "two"])
    recorder = RecordingModel(
        model, Recordings.load(file, may_be_new=True), ThreadPoolExecutor(1), anew=False
    )
    assert recorder.model == "fake-1"
    assert [(await recorder.answer(PROMPT, 1)).text for _ in range(2)] == ["one", "one"]
    assert len(model.prompts) == 1
    found = Recordings.load(file).find(PROMPT)
    assert (found.text, found.input_tokens, found.output_tokens) == ("one", 900, 60)
    await recorder.close()


async def test_recording_anew_replaces_what_is_there(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    recorder = RecordingModel(
        FakeModel(["one", "two"]), Recordings.load(file, may_be_new=True), ThreadPoolExecutor(1), anew=True
    )
    for _ in range(2):
        await recorder.answer(PROMPT, 1)
    assert Recordings.load(file).find(PROMPT).text == "two"


async def test_missing_and_stale_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    recorder = RecordingModel(
        FakeModel(["one", "two"]), Recordings.load(file, may_be_new=True), ThreadPoolExecutor(1), anew=False
    )
    await recorder.answer(PROMPT, 1)
    recordings = Recordings.load(file)
    with pytest.raises(MissingRecordingError, match="never recorded"):
        recordings.find(Prompt("v1", "read", "[]", {}, 800))
    with pytest.raises(StaleRecordingError, match="another prompt"):
        recordings.find(NEWER)
    assert (await recorder.answer(NEWER, 1)).text == "two"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.jsonl"):
        Recordings.load(tmp_path / "nowhere.jsonl")
    for content in ('{"half": \n', "not ours", '{"other": "keys"}', "[]"):
        (tmp_path / "bad.jsonl").write_text(content, encoding="utf-8")
        with pytest.raises(ConfigError, match=r"bad\.jsonl"):
            Recordings.load(tmp_path / "bad.jsonl")


OTHER = Prompt("v1", "read", "[2]", {}, 800)
THIRD = Prompt("v1", "read", "[3]", {}, 800)


def recorded(file: Path, *prompts: Prompt) -> bytes:
    """What is in `file` once an answer to each of `prompts` was added to it."""
    recordings = Recordings.load(file, may_be_new=True)
    for prompt in prompts:
        recordings.add(prompt, Answer("ünd\u2028so"), "m")
    return file.read_bytes()


@pytest.mark.parametrize("cut", [1, 2, 40, -40, -2])
def test_half_a_line_at_the_end_is_passed_over_and_gives_way_to_the_next(cut: int, tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    first = recorded(file, PROMPT)
    second = recorded(file, OTHER)[len(first) :]
    file.write_bytes(first + second[:cut])
    with capture_logs() as logged:
        recordings = Recordings.load(file)
    assert [(entry["event"], entry["line"]) for entry in logged] == [("recording_cut_off", 2)]
    assert recordings.find(PROMPT).text == "ünd\u2028so"
    with pytest.raises(MissingRecordingError):
        recordings.find(OTHER)
    recordings.add(THIRD, Answer("three"), "m")
    with capture_logs() as logged:
        again = Recordings.load(file)
    assert logged == []
    assert [again.find(prompt).text for prompt in (PROMPT, THIRD)] == ["ünd\u2028so", "three"]


def test_half_a_line_in_the_middle_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    first = recorded(file, PROMPT)
    file.write_bytes(first[:60] + b"\n" + first)
    with pytest.raises(ConfigError, match=r"answers\.jsonl"):
        Recordings.load(file)


def test_a_whole_last_line_without_its_end_stays(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_bytes(recorded(file, PROMPT).rstrip(b"\n"))
    recordings = Recordings.load(file)
    recordings.add(OTHER, Answer("two"), "m")
    again = Recordings.load(file)
    assert [again.find(prompt).text for prompt in (PROMPT, OTHER)] == ["ünd\u2028so", "two"]


async def test_a_disk_that_fills_up_in_a_line_costs_that_line_alone(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    recorder = recorder_of(file, "one", "two", "three")
    await recorder.answer(PROMPT, 5)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 50, hard))
    try:
        lost = await recorder.answer(OTHER, 5)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (lost.text, lost.notes) == ("two", (NOT_RECORDED,))
    assert not file.read_bytes().endswith(b"\n")
    Recordings.load(file)
    assert (await recorder.answer(THIRD, 5)).notes == ()
    await recorder.close()
    again = Recordings.load(file)
    assert [again.find(prompt).text for prompt in (PROMPT, THIRD)] == ["one", "three"]


def recorder_of(file: Path, *steps: str) -> RecordingModel:
    recordings = Recordings.load(file, may_be_new=True)
    return RecordingModel(FakeModel(steps), recordings, ThreadPoolExecutor(1), anew=True)


async def test_an_answer_that_cannot_be_written_is_used_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    for folder, notes in (("file", (NOT_RECORDED,)), ("folder", ())):
        recorder = recorder_of(tmp_path / folder / "answers.jsonl", "one")
        log = CapturingLogger()
        monkeypatch.setattr("app.llm.recordings._log", log)
        answer = await recorder.answer(PROMPT, 5)
        await recorder.close()
        assert (answer.text, answer.notes) == ("one", notes)
        assert [call.args for call in log.calls] == [("answer_not_recorded",)] * len(notes)


async def test_an_answer_does_not_wait_for_a_disk_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "answers.jsonl"
    gate = threading.Event()
    add = Recordings.add

    def add_later(recordings: Recordings, prompt: Prompt, answer: Answer, model: str) -> None:
        assert gate.wait(10)
        add(recordings, prompt, answer, model)

    monkeypatch.setattr(Recordings, "add", add_later)
    recorder = recorder_of(file, "one")
    async with asyncio.timeout(5):
        answer = await recorder.answer(PROMPT, 0.2)
    assert (answer.text, answer.notes) == ("one", (NOT_RECORDED,))
    assert not file.exists()
    gate.set()
    await recorder.close()
    assert Recordings.load(file).find(PROMPT).text == "one"


async def test_answers_of_the_same_moment_are_written_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    prompts = [Prompt("v1", "read", f"[{number}]", {}, 800) for number in range(50)]
    recorder = recorder_of(file, "long " * 5_000)
    await asyncio.gather(*(recorder.answer(prompt, 5) for prompt in prompts))
    await recorder.close()
    recordings = Recordings.load(file)
    assert len(file.read_text(encoding="utf-8").splitlines()) == 50
    assert all(recordings.find(prompt).text for prompt in prompts)
