"""Shares of a run: together they are the run, and nothing less is taken for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from eval import store
from eval.cli import app
from eval.errors import StoreError
from eval.records import LawResult, RunInfo, Status
from eval.shards import PLANNED, SHARD, Shard, merge, parse_shard, rows_of
from eval.store import RunWriter, load_run

INFO = RunInfo(
    "r", "2026-01-01T00:00:00+00:00", "python -m eval all --shard 1/3 --run a", "double", "t", "state", 1
)
RUNNER = CliRunner()
REPLAY = [
    "replay",
    "--splits",
    "dev",
    "--only",
    "dev-0",
    "--modes",
    "trace",
    "--users",
    "scripted",
    "--no-dense",
]


@given(st.text(), st.integers(1, 40))
def test_every_piece_belongs_to_exactly_one_share(key: str, of: int) -> None:
    assert sum(Shard(number, of).holds(key) for number in range(1, of + 1)) == 1


def test_shares_are_about_equal_and_do_not_depend_on_the_process() -> None:
    sizes = [sum(Shard(number, 3).holds(f"replay/{n}") for n in range(3_000)) for number in (1, 2, 3)]
    assert min(sizes) > 900
    assert [n for n in range(12) if Shard(1, 3).holds(str(n))] == [0, 6, 8, 9, 10]


@pytest.mark.parametrize("wrong", ["0/3", "4/3", "1", "1/0", "a/b", "-1/3", "1/3/5", "1.0/3"])
def test_what_is_no_share_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="a share is written"):
        parse_shard(wrong)
    assert RUNNER.invoke(app, [*REPLAY, "--shard", wrong]).exit_code == 2


def test_a_share_is_read() -> None:
    assert parse_shard("2/3") == Shard(2, 3)
    assert parse_shard("") is None


def law(number: int) -> LawResult:
    return LawResult("law", f"case{number:03}", "double", Status.SCORED, held=True)


def write_shares(folder: Path, of: int = 3, rows: int = 20) -> list[Path]:
    paths = []
    for number in range(1, of + 1):
        shard = Shard(number, of)
        ours = [law(n) for n in range(rows) if shard.holds(law(n).key)]
        settings = {"parts": "laws", SHARD: str(shard), PLANNED: str(len(ours))}
        path = folder / f"share{number}.jsonl"
        with RunWriter.open(path, replace(INFO, id=path.stem, settings=settings)) as writer:
            for row in ours:
                writer.add(row)
        paths.append(path)
    return paths


def test_merged_in_any_order_they_are_the_run_in_one_piece(tmp_path: Path) -> None:
    shares = write_shares(tmp_path)
    with RunWriter.open(tmp_path / "whole.jsonl", replace(INFO, settings={"parts": "laws"})) as writer:
        for number in range(20):
            writer.add(law(number))
    whole = load_run(tmp_path / "whole.jsonl")
    merged = [merge(order, tmp_path / f"m{n}.jsonl") for n, order in enumerate((shares, shares[::-1]))]
    for run in merged:
        assert rows_of(run) == rows_of(whole)
        assert run.info.settings == whole.info.settings
        assert run.info.fingerprint == whole.info.fingerprint
        assert run.info.command == "python -m eval all"


def drop_a_row(shares: list[Path]) -> list[Path]:
    lines = shares[1].read_bytes().splitlines(keepends=True)
    shares[1].write_bytes(b"".join(lines[:-1]))
    return shares


def age(shares: list[Path]) -> list[Path]:
    first, *rest = shares[1].read_text(encoding="utf-8").splitlines(keepends=True)
    content = json.loads(first)
    content["row"]["fingerprint"] = "another"
    shares[1].write_text(json.dumps(content) + "\n" + "".join(rest), encoding="utf-8")
    return shares


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda shares: shares[:2], "not the 3"),
        (lambda shares: [*shares, shares[0]], "not the 3"),
        (lambda shares: [shares[0], shares[0], shares[1]], "not the 3"),
        (lambda shares: [], "nothing to merge"),
        (drop_a_row, "go on with it"),
        (age, "different states"),
    ],
)
def test_less_than_all_shares_of_one_run_is_an_error_and_writes_nothing(
    tmp_path: Path, change: Callable[[list[Path]], list[Path]], words: str
) -> None:
    shares = change(write_shares(tmp_path))
    with pytest.raises(StoreError, match=words):
        merge(shares, tmp_path / "merged.jsonl")
    assert not (tmp_path / "merged.jsonl").exists()


def test_a_run_that_is_no_share_and_a_target_that_exists_are_errors(tmp_path: Path) -> None:
    shares = write_shares(tmp_path)
    with pytest.raises(StoreError, match="exists"):
        merge(shares, shares[0])
    with RunWriter.open(tmp_path / "plain.jsonl", INFO):
        pass
    with pytest.raises(StoreError, match="no share"):
        merge([tmp_path / "plain.jsonl"], tmp_path / "merged.jsonl")


def test_on_the_command_line_shares_come_to_the_same_as_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "STORE", tmp_path)
    assert RUNNER.invoke(app, [*REPLAY, "--run", "whole"]).exit_code in (0, 2, 3)
    for share in ("1/2", "2/2"):
        name = f"part{share[0]}"
        result = RUNNER.invoke(app, [*REPLAY, "--run", name, "--shard", share])
        assert result.exit_code == 0, result.output
    path = tmp_path / "part1.jsonl"  # the machine died: what was there is kept, the rest is run
    kept = b"".join(path.read_bytes().splitlines(keepends=True)[:2])
    path.write_bytes(kept + b'{"kind": "conv')
    refused = RUNNER.invoke(app, ["merge", "all", "part1", "part2"])
    assert refused.exit_code == 1
    assert "--resume" in refused.output
    other = RUNNER.invoke(app, [*REPLAY, "--run", "part1", "--shard", "2/2", "--resume"])
    assert other.exit_code == 1
    assert RUNNER.invoke(app, [*REPLAY, "--run", "part1", "--shard", "1/2", "--resume"]).exit_code == 0
    assert path.read_bytes().startswith(kept)
    merged = RUNNER.invoke(app, ["merge", "all", "part2", "part1"])
    assert merged.exit_code == 0, merged.output

    def without_times(name: str) -> list[tuple[str, object]]:
        return [
            (row.key, [(turn.payload.ids, turn.payload.ai_response) for turn in row.turns])
            for row in load_run(tmp_path / f"{name}.jsonl").conversations
        ]

    assert without_times("all") == without_times("whole")
