"""Recorded answers: missing and stale are two different things."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from structlog.testing import CapturingLogger

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
    (tmp_path / "bad.jsonl").write_text('{"half": ', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bad\.jsonl"):
        Recordings.load(tmp_path / "bad.jsonl")


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
