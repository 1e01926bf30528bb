"""The command that compares two channels: `python -m eval parity`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from eval.adapters.base import AdapterOptions
from eval.adapters.registry import find_adapter
from eval.cli_cases import Lexical, Only, ProfileName, Resume, RunName, Target, Timeout, Url
from eval.errors import EvalError
from eval.gates import EXIT_BROKEN, EXIT_FAILED, EXIT_INCONCLUSIVE, EXIT_PASS
from eval.parity import Parity, lines, parity
from eval.records import Run
from eval.session import Plan, execute
from eval.store import load_run, run_path

Channels = Annotated[str, typer.Option(help="Two channels, separated by a comma.")]
Runs = Annotated[str, typer.Option(help="Compare these two stored runs of golden cases instead of asking.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write every case here as well.")]


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""

    @app.command("parity")
    def run_parity(
        channels: Channels = "api,ui",
        url: Url = None,
        target: Target = "recommender",
        profile: ProfileName = "standard",
        only: Only = "",
        no_dense: Lexical = False,
        timeout: Timeout = 30.0,
        run: RunName = None,
        resume: Resume = False,
        runs: Runs = "",
        json_file: Json = None,
    ) -> None:
        """Ask every golden case through two channels and compare the answers and the verdicts."""
        plan = Plan(
            parts=("golden",),
            target=target,
            profile=profile,
            only=only,
            options=AdapterOptions(url=url, timeout_s=timeout, dense=not no_dense),
            command=" ".join(["python -m eval", *sys.argv[1:]]),
        )
        try:
            if runs:
                one, other = (load_run(run_path(name)) for name in _two(runs, "--runs"))
            else:
                one, other = _run_both(plan, _two(channels, "--channels"), run, resume)
            found = parity(one, other)
        except EvalError as exc:
            print(f"broken: {exc}", file=sys.stderr)
            raise typer.Exit(EXIT_BROKEN) from exc
        for line in lines(found):
            print(line)
        if json_file:
            json_file.write_text(json.dumps(asdict(found), ensure_ascii=False, indent=1), encoding="utf-8")
        raise typer.Exit(_exit_code(found))


def _two(text: str, option: str) -> tuple[str, str]:
    names = tuple(word.strip() for word in text.split(",") if word.strip())
    if len(names) != 2 or names[0] == names[1]:
        raise typer.BadParameter(f"{text!r}: two different ones, separated by a comma", param_hint=option)
    return names[0], names[1]


def _run_both(plan: Plan, channels: tuple[str, str], name: str | None, resume: bool) -> tuple[Run, Run]:
    for channel in channels:
        find_adapter(channel)  # a wrong word is told before anything is asked
    base = name or datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    one, other = (
        execute(replace(plan, channel=channel), run_path(f"{base}-{channel}"), resume=resume)
        for channel in channels
    )
    print(f"runs: {one.info.id} and {other.info.id}", file=sys.stderr)
    return one, other


def _exit_code(found: Parity) -> int:
    if found.findings:
        return EXIT_FAILED
    return EXIT_INCONCLUSIVE if found.uncompared else EXIT_PASS
