"""A reader that goes away early is no failure."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(("lines", "code"), [(None, 0), (1, 0), (0, 0)])
async def test_what_nobody_reads_to_the_end_ends_without_a_word(
    lines: int | None, code: int, tmp_path: Path
) -> None:
    talk = tmp_path / "talk.json"
    talk.write_text(json.dumps([{"role": "user", "content": "Java developers " * 50}]), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "app.llm", "show-prompt", "--history", str(talk)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    if lines is None:
        assert "an answer, as the rules read it" in (await process.stdout.read()).decode()
    for _ in range(lines or 0):
        assert await process.stdout.readline()
    process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]
    said = await process.stderr.read()
    assert (await process.wait(), said) == (code, b"")
