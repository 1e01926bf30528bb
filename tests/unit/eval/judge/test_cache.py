from __future__ import annotations

import json
import multiprocessing
import sqlite3
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from eval.errors import JudgeError
from eval.judge import cache as module
from eval.judge.base import CallSettings, Fingerprint, Usage
from eval.judge.cache import LIFE_S, JudgeCache, Stored, cache_key
from eval.judge.prompt import Rendered, render
from tests.judge_server import QUESTION, verdict

WHO = Fingerprint("openai", "gpt-4o-mini", "v1", CallSettings())
STORED = Stored(verdict(), Usage(321, output_tokens=45))


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def key(who: Fingerprint = WHO, messages: Rendered | None = None, **changes: object) -> str:
    question = replace(QUESTION, **changes)  # type: ignore[arg-type]
    return cache_key(who, question, messages or render(question))


@pytest.mark.parametrize(
    "other",
    [
        key(replace(WHO, provider="azure")),
        key(replace(WHO, model="gpt-4o")),
        key(replace(WHO, address="http://127.0.0.1/v1")),
        key(replace(WHO, prompt_version="v2")),
        key(replace(WHO, settings=CallSettings(temperature=0.5))),
        key(replace(WHO, settings=CallSettings(max_output_tokens=800))),
        key(replicate=1),
        key(evaluator="relevance"),
        key(evaluator_version="2"),
        key(answer="HTML5 (New) takes 12 minutes."),
        key(question="Which test?"),
        key(context=()),
        key(expected="HTML5 (New)"),
        key(rubric=replace(QUESTION.rubric, criterion="It is wrong.")),
        key(messages=replace(render(QUESTION), system="Be kind.")),
    ],
)
def test_what_shapes_a_reply_is_in_the_key(other: str) -> None:
    assert other != key()


def test_the_parser_is_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key()
    monkeypatch.setattr(module, "PARSER_VERSION", "next")
    assert key() != before


def test_which_case_asks_is_not_in_the_key() -> None:
    assert key(case_id="c-17") == key()
    assert len(key()) == 64


def test_a_stored_reply_comes_back_in_another_process_too(tmp_path: Path) -> None:
    path = tmp_path / "store" / "judge_cache.db"
    cache = JudgeCache(path)
    assert cache.get("a") is None
    cache.put("a", STORED)
    cache.close()
    again = JudgeCache(path)
    assert again.get("a") == STORED
    assert (again.counts.hits, again.counts.misses) == (1, 0)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert again._base.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    again.close()


@pytest.mark.parametrize(("age_s", "found"), [(0, True), (LIFE_S - 1, True), (LIFE_S, False), (-1, False)])
def test_a_reply_lives_seven_days_and_never_comes_from_the_future(
    tmp_path: Path, age_s: float, found: bool
) -> None:
    clock = Clock()
    cache = JudgeCache(tmp_path / "c.db", clock=clock)
    cache.put("a", STORED)
    clock.now += age_s
    assert (cache.get("a") is not None) is found
    assert cache.counts.expired == int(not found)
    cache.close()


@pytest.mark.parametrize(
    "value",
    [
        "",
        "{",
        "null",
        "[]",
        '{"text": 4, "usage": {}}',
        '{"text": "a"}',
        '{"text": "a", "usage": {"x": 1}}',
        7,
    ],
)
def test_a_corrupt_row_is_a_miss_that_is_counted_and_removed(tmp_path: Path, value: object) -> None:
    cache = JudgeCache(tmp_path / "c.db")
    cache.put("a", STORED)
    cache._base.execute("UPDATE judgements SET value=?", (value,))
    with capture_logs() as logs:
        assert cache.get("a") is None
    assert (cache.counts.corrupt, cache.counts.misses, cache.counts.hits) == (1, 1, 0)
    assert logs[0]["event"] == "judge_cache_row_corrupt"
    assert cache._base.execute("SELECT count(*) FROM judgements").fetchone() == (0,)
    cache.close()


def test_another_schema_is_a_clean_start_and_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = JudgeCache(tmp_path / "c.db")
    cache.put("a", STORED)
    cache.close()
    monkeypatch.setattr(module, "SCHEMA", 99)
    with capture_logs() as logs:
        cache = JudgeCache(tmp_path / "c.db")
    assert cache.get("a") is None
    assert [line["event"] for line in logs] == ["judge_cache_emptied"]
    cache.close()


def test_a_refreshing_cache_is_written_and_not_read(tmp_path: Path) -> None:
    cache = JudgeCache(tmp_path / "c.db", refresh=True)
    cache.put("a", STORED)
    assert cache.get("a") is None
    cache.close()
    cache = JudgeCache(tmp_path / "c.db")
    assert cache.get("a") == STORED
    cache.close()


def test_values_are_json(tmp_path: Path) -> None:
    cache = JudgeCache(tmp_path / "c.db")
    cache.put("a", STORED)
    (value,) = cache._base.execute("SELECT value FROM judgements").fetchone()
    assert json.loads(value)["usage"]["input_tokens"] == 321
    cache.close()


def test_a_file_that_is_no_database_says_so(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(JudgeError, match="remove the file"):
        JudgeCache(path)


def test_a_folder_in_its_place_says_so(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="judge cache"):
        JudgeCache(tmp_path)


def test_a_base_that_fails_costs_the_memory_and_not_the_judgement(tmp_path: Path) -> None:
    cache = JudgeCache(tmp_path / "c.db")
    cache._base.execute("DROP TABLE judgements")
    with capture_logs() as logs:
        cache.put("a", STORED)
        assert cache.get("a") is None
        cache.discard("a")
    assert len(logs) == 3
    cache.close()


def _write(path: Path, number: int) -> None:
    cache = JudgeCache(path)
    for each in range(50):
        cache.put(f"{number}-{each}", STORED)
        cache.put("shared", STORED)
    cache.close()


def test_processes_write_at_once_and_corrupt_nothing(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write, args=(path, number)) for number in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    base = sqlite3.connect(path)
    assert base.execute("SELECT count(*) FROM judgements").fetchone() == (101,)
    assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    base.close()
