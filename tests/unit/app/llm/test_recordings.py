"""Recorded answers: missing and stale are two different things."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import ConfigError, MissingRecordingError, StaleRecordingError
from app.llm.base import Prompt
from app.llm.recordings import RecordingModel, Recordings
from tests.models import FakeModel

PROMPT = Prompt("v1", "read", '[{"role": "user", "content": "a cook"}]', {}, 800)
NEWER = Prompt("v2", "read well", PROMPT.user, {}, 800)


async def test_an_answer_is_written_once_and_found_again(tmp_path: Path) -> None:
    file = tmp_path / "new" / "answers.jsonl"
    model = FakeModel(["one", "two"])
    recorder = RecordingModel(model, Recordings.load(file, may_be_new=True), anew=False)
    assert recorder.model == "fake-1"
    assert [(await recorder.answer(PROMPT, 1)).text for _ in range(2)] == ["one", "one"]
    assert len(model.prompts) == 1
    found = Recordings.load(file).find(PROMPT)
    assert (found.text, found.input_tokens, found.output_tokens) == ("one", 900, 60)
    await recorder.close()


async def test_recording_anew_replaces_what_is_there(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    recorder = RecordingModel(FakeModel(["one", "two"]), Recordings.load(file, may_be_new=True), anew=True)
    for _ in range(2):
        await recorder.answer(PROMPT, 1)
    assert Recordings.load(file).find(PROMPT).text == "two"


async def test_missing_and_stale_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    recorder = RecordingModel(FakeModel(["one", "two"]), Recordings.load(file, may_be_new=True), anew=False)
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
