"""The command line: what the user can mend is one line and exit code 2."""

import subprocess
import sys

import pytest

from eval.sandbox.faults import FAULTS
from eval.sandbox.shapes import SHAPES
from eval.store import ROOT


def run(*args):
    return subprocess.run(
        [sys.executable, "-m", "eval.sandbox", *args], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("args", "words"),
    [(("serve", "--fault", "nope"), "no fault 'nope'"), (("serve", "--shape", "nope"), "no shape 'nope'")],
)
def test_bad_input_is_one_line(args, words) -> None:
    done = run(*args)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_ask_shows_the_statement_and_the_answer(folder) -> None:
    done = run("ask", "Net sales in December 2025", "--tenant", "2")
    assert "f.tenant_id = 2" in done.stdout
    assert "Net sales (December 2025): ₹" in done.stdout


def test_the_manual_names_every_fault_and_every_shape() -> None:
    manual = (ROOT / "docs" / "sandbox.md").read_text(encoding="utf-8")
    assert [name for name in (*FAULTS, *SHAPES) if f"`{name}`" not in manual] == []
