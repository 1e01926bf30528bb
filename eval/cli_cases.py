"""The commands on golden cases: `python -m eval run|mutation|consistency|compare`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from eval import compare
from eval.adapters.base import AdapterOptions
from eval.adapters.registry import known_adapters
from eval.errors import EvalError, StoreError
from eval.gates import EXIT_BROKEN, EXIT_FAILED, EXIT_INCONCLUSIVE, EXIT_PASS
from eval.session import Plan
from eval.store import load_run, run_path

BOTH = ("api", "ui")
"""What `all` stands for: the way for machines and the way for people."""

Channel = Annotated[str, typer.Option(help="inprocess, api, ui, otp_ws, replay, or all for api and ui.")]
Target = Annotated[str, typer.Option(help="Whose golden set to run.")]
Url = Annotated[str | None, typer.Option(help="Address of the running service; inprocess needs none.")]
ProfileName = Annotated[str, typer.Option("--profile", help="standard, full or compact.")]
Enable = Annotated[str, typer.Option(help="Opt-in dimensions to run as well, separated by commas.")]
RunName = Annotated[str | None, typer.Option("--run", help="Name of the run; the time when left out.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with a run that was cut off.")]
Only = Annotated[str, typer.Option(help="Only cases whose id holds this.")]
Lexical = Annotated[bool, typer.Option("--no-dense", help="In process: search by words only.")]
Seed = Annotated[int, typer.Option(help="For planting and resampling.")]
Timeout = Annotated[float, typer.Option(help="Seconds after which a call is given up.")]
Junit = Annotated[Path | None, typer.Option(help="Write JUnit XML here.")]
Html = Annotated[Path | None, typer.Option(help="Write the HTML page here (default: store/NAME.html).")]
Baseline = Annotated[str | None, typer.Option(help="Name of an earlier run to compare with.")]
JudgeName = Annotated[str, typer.Option("--judge", help="Who judges, in place of JUDGE_PROVIDER.")]
MaxCost = Annotated[float | None, typer.Option(min=0, help="USD that the judge may cost.")]
Recording = Annotated[
    str | None, typer.Option(help="For the channel replay: a stored run by name, or a file of exchanges.")
]
Recorded = Annotated[str | None, typer.Option(help="Plant in the answers of this stored run.")]

Execute = Callable[[Plan, str | None, bool, Path | None, Path | None, str | None], None]
"""Runs a plan, writes its report and leaves with its exit code: given by `eval.cli`."""


def register(app: typer.Typer, execute: Execute) -> None:
    """Add the commands to `app`."""

    @app.command("run")
    def run_cases(
        target: Target = "recommender",
        channel: Channel = "inprocess",
        url: Url = None,
        profile: ProfileName = "standard",
        enable: Enable = "",
        run: RunName = None,
        resume: Resume = False,
        only: Only = "",
        no_dense: Lexical = False,
        seed: Seed = 20260,
        timeout: Timeout = 30.0,
        junit: Junit = None,
        html: Html = None,
        baseline: Baseline = None,
        judge: JudgeName = "",
        max_cost: MaxCost = None,
        recording: Recording = None,
    ) -> None:
        """Ask every golden case and grade the answers."""
        plan = _plan(("golden",), target, url, profile, enable, only, no_dense, seed, timeout)
        plan = replace(plan, options=replace(plan.options, recording=_stored(recording)))
        plan = replace(plan, judge=judge, max_cost_usd=max_cost)
        _each(execute, plan, channel, run, resume, junit, html, baseline)

    @app.command("mutation")
    def run_mutation(
        recorded: Recorded = None,
        run: RunName = None,
        resume: Resume = False,
        no_dense: Lexical = False,
        seed: Seed = 20260,
        html: Html = None,
    ) -> None:
        """Plant known defects in good answers and count what is noticed."""
        plan = _plan(("mutation",), "recommender", None, "full", "", "", no_dense, seed, 30.0)
        plan = replace(plan, recorded=_stored(recorded))
        execute(plan, run, resume, None, html, None)

    @app.command("consistency")
    def run_consistency(
        runs: Annotated[int, typer.Option(min=2, help="Fresh runs of each case.")] = 3,
        target: Target = "recommender",
        channel: Channel = "inprocess",
        url: Url = None,
        profile: ProfileName = "standard",
        run: RunName = None,
        resume: Resume = False,
        only: Only = "",
        no_dense: Lexical = False,
        timeout: Timeout = 30.0,
        html: Html = None,
    ) -> None:
        """Ask every golden case several times and compare the answers with each other."""
        plan = _plan(("golden",), target, url, profile, "", only, no_dense, 20260, timeout)
        _each(execute, replace(plan, replicates=runs), channel, run, resume, None, html, None)

    @app.command("compare")
    def run_compare(
        old: Annotated[str, typer.Argument(help="Name of the earlier stored run.")],
        new: Annotated[str, typer.Argument(help="Name of the later one.")],
    ) -> None:
        """Hold two stored runs of golden cases against each other."""
        try:
            found = compare.compare(load_run(run_path(old)), load_run(run_path(new)))
        except EvalError as exc:
            print(f"broken: {exc}", file=sys.stderr)
            raise typer.Exit(EXIT_BROKEN) from exc
        for line in compare.lines(found):
            print(line)
        codes = {"none shown": EXIT_PASS, "regression": EXIT_FAILED, "inconclusive": EXIT_INCONCLUSIVE}
        raise typer.Exit(codes[found.outcome])


def _stored(name: str | None) -> Path | None:
    """Where a recording lies that is given as a file or by the name of its run."""
    if name is None:
        return None
    if Path(name).is_file():
        return Path(name)
    try:
        return run_path(name)
    except StoreError as exc:
        raise typer.BadParameter(str(exc)) from None


def _plan(
    parts: tuple[str, ...],
    target: str,
    url: str | None,
    profile: str,
    enable: str,
    only: str,
    no_dense: bool,
    seed: int,
    timeout: float,
) -> Plan:
    return Plan(
        parts=parts,
        target=target,
        profile=profile,
        enable=tuple(word.strip() for word in enable.split(",") if word.strip()),
        only=only,
        seed=seed,
        options=AdapterOptions(url=url, timeout_s=timeout, dense=not no_dense),
        command=" ".join(["python -m eval", *sys.argv[1:]]),
    )


def _each(
    execute: Execute,
    plan: Plan,
    channel: str,
    run: str | None,
    resume: bool,
    junit: Path | None,
    html: Path | None,
    baseline: str | None,
) -> None:
    """The plan through one channel, or a run for each of both; the worst exit code of the two."""
    channels = BOTH if channel == "all" else (channel,)
    if channel == "all" and (lacking := [name for name in BOTH if name not in known_adapters()]):
        raise typer.BadParameter(f"there is no channel {', '.join(lacking)} here", param_hint="--channel")
    codes = []
    for name in channels:
        named = f"{run}-{name}" if run and len(channels) > 1 else run
        try:
            execute(replace(plan, channel=name), named, resume, junit, html, baseline)
        except typer.Exit as done:
            codes.append(done.exit_code)
    raise typer.Exit(max(codes, default=0))
