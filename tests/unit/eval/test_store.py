import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from eval.errors import StoreError
from eval.records import LawResult, RunInfo, Status
from eval.store import ROOT, RunWriter, fingerprint, load_run, run_path

INFO = RunInfo("r", "2026-01-01T00:00:00+00:00", "cmd", "double", "target", "state", 1)


def law(number: int) -> LawResult:
    return LawResult(
        "law", f"case{number:03}", "double", Status.SCORED, held=True, detail="₹ हिन्दी \u2028 😀"
    )


def write(path: Path, numbers: range, *, resume: bool = False, info: RunInfo = INFO) -> None:
    with RunWriter.open(path, info, resume=resume) as writer:
        for number in numbers:
            if law(number).key not in writer.keys:
                writer.add(law(number))


def test_a_resumed_run_equals_one_in_a_piece(tmp_path: Path) -> None:
    write(tmp_path / "whole.jsonl", range(6))
    write(tmp_path / "parts.jsonl", range(3))
    write(tmp_path / "parts.jsonl", range(6), resume=True)
    assert load_run(tmp_path / "whole.jsonl") == load_run(tmp_path / "parts.jsonl")


@pytest.mark.parametrize("cut", [1, 7, 60, 200])
def test_a_line_cut_short_is_run_again(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "r.jsonl"
    write(path, range(3))
    path.write_bytes(path.read_bytes()[:-cut])
    write(path, range(3), resume=True)
    assert [row.case for row in load_run(path).laws] == ["case000", "case001", "case002"]
    assert path.read_bytes().count(b"\n") == 4


def test_an_info_line_cut_short_starts_anew(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'{"kind": "inf')
    write(path, range(2), resume=True)
    assert len(load_run(path).laws) == 2


def test_nothing_runs_twice(tmp_path: Path) -> None:
    with RunWriter.open(tmp_path / "r.jsonl", INFO) as writer:
        writer.add(law(1))
        with pytest.raises(StoreError, match="already"):
            writer.add(law(1))


def test_an_existing_run_is_not_overwritten(tmp_path: Path) -> None:
    write(tmp_path / "r.jsonl", range(1))
    with pytest.raises(StoreError, match="--resume"):
        RunWriter.open(tmp_path / "r.jsonl", INFO)


def test_another_state_of_the_project_is_not_mixed_in(tmp_path: Path) -> None:
    write(tmp_path / "r.jsonl", range(1))
    other = RunInfo("r", "x", "cmd", "double", "target", "other state", 1)
    with pytest.raises(StoreError, match="another state"):
        RunWriter.open(tmp_path / "r.jsonl", other, resume=True)


def test_two_writers_at_once_are_refused(tmp_path: Path) -> None:
    with RunWriter.open(tmp_path / "r.jsonl", INFO), pytest.raises(StoreError, match="another process"):
        RunWriter.open(tmp_path / "r.jsonl", INFO, resume=True)


def test_damage_in_the_middle_and_doubled_keys_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write(path, range(3))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"nonsense\n", *lines[2:]]))
    with pytest.raises(StoreError, match="line 2"):
        load_run(path)
    path.write_bytes(b"".join([*lines, lines[-1]]))
    with pytest.raises(StoreError, match="twice"):
        load_run(path)


def test_a_missing_or_empty_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no run"):
        load_run(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(StoreError, match="holds no run"):
        load_run(tmp_path / "empty.jsonl")


@pytest.mark.parametrize("name", ["../x", "", ".hidden", "a/b"])
def test_a_name_never_leads_out_of_the_store(name: str) -> None:
    with pytest.raises(StoreError):
        run_path(name)


def test_fingerprint_sees_content_and_not_the_order(tmp_path: Path) -> None:
    one, two = tmp_path / "1", tmp_path / "2"
    one.write_text("a")
    two.write_text("b")
    before = fingerprint([one, two], "x")
    assert before == fingerprint([two, one], "x")
    assert before != fingerprint([one, two], "y")
    two.write_text("c")
    assert before != fingerprint([one, two], "x")


SCRIPT = """
import sys, time
from pathlib import Path
from tests.unit.eval.test_store import INFO, law
from eval.store import RunWriter
with RunWriter.open(Path(sys.argv[1]), INFO, resume=True) as writer:
    for number in range(200):
        if law(number).key not in writer.keys:
            writer.add(law(number))
            print(number, flush=True)
            time.sleep(0.005)
"""


def test_kill_and_resume_loses_and_repeats_nothing(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    command = [sys.executable, "-c", SCRIPT, str(path)]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    reported = [int(child.stdout.readline()) for _ in range(30)]
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    rest = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    again = [int(line) for line in rest.stdout.split()]
    assert not set(again) & set(reported)
    run = load_run(path)
    assert [row.case for row in run.laws] == [f"case{number:03}" for number in range(200)]
