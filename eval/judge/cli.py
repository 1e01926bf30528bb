"""`python -m eval judge-agreement` and `python -m eval estimate`.

Exit codes: 0 measured, 1 the judge gave nothing to measure, 2 an argument, a setting or a file is wrong.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from eval.errors import JudgeError
from eval.judge.agreement import REPLICATES, Agreement, measure_agreement
from eval.judge.cache import JudgeCache
from eval.judge.estimate import Estimate, estimate
from eval.judge.labels import BUNDLED, load_labels
from eval.judge.ledger import dollars
from eval.judge.registry import build_judge, judge_fingerprint, price_of
from eval.judge.settings import OFFLINE, JudgeSettings, load_judge_settings
from eval.judge.threads import ThreadedJudge
from eval.judge.trust import AGREEMENTS, shortfalls, store_agreement
from eval.metrics import Interval
from eval.store import STORE

CACHE = STORE / "judge_cache.db"
_DEFAULT = "openai"
_NOTHING, _WRONG = 1, 2

Labels = Annotated[Path, typer.Argument(help="Labelled answers (JSON lines); ours when left out.")]
JudgeName = Annotated[str, typer.Option("--judge", help="Provider, in place of JUDGE_PROVIDER.")]
Model = Annotated[str, typer.Option("--model", help="Model, in place of JUDGE_MODEL.")]
Draws = Annotated[
    int, typer.Option(min=1, max=20, help="Draws of each judgement; 2 or more for test-retest.")
]
MaxCost = Annotated[float | None, typer.Option(min=0, help="USD; stops before the call that might pass it.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither read nor write remembered judgements.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Ask everything anew and remember it.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def judge_agreement(
    file: Labels = BUNDLED,
    judge: JudgeName = "",
    model: Model = "",
    replicates: Draws = REPLICATES,
    max_cost: MaxCost = None,
    no_cache: NoCache = False,
    refresh: Refresh = False,
    only_estimate: Annotated[bool, typer.Option("--estimate", help="Say what it would cost.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure a judge against labelled answers; the result decides whether it may gate."""
    if only_estimate:
        run_estimate(file, judge, model, replicates, no_cache, as_json)
        return
    try:
        labelled = load_labels(file)
        settings = _settings(judge, model)
        built = _built(settings, None if no_cache else CACHE, refresh, max_cost)
        try:
            agreement = measure_agreement(built, labelled, replicates)
        finally:
            built.close()
        if agreement.n:
            store_agreement(agreement, AGREEMENTS)
    except JudgeError as exc:
        _fail(exc)
    _print_agreement(agreement, built, as_json=as_json)
    raise typer.Exit(0 if agreement.n else _NOTHING)


def run_estimate(
    file: Labels = BUNDLED,
    judge: JudgeName = "",
    model: Model = "",
    replicates: Draws = 1,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Say what judging the answers of a file would cost. Needs no key and opens no connection."""
    try:
        labelled = load_labels(file)
        settings = _settings(judge, model)
        questions = (answer.ask(draw) for answer in labelled.answers for draw in range(replicates))
        cache = JudgeCache(CACHE) if CACHE.exists() and not no_cache else None
        try:
            found = estimate(questions, judge_fingerprint(settings), price_of(settings), cache)
        finally:
            if cache is not None:
                cache.close()
    except JudgeError as exc:
        _fail(exc)
    if as_json:
        print(json.dumps({**asdict(found), "calls": found.calls}))
        return
    print(f"judge       {judge_fingerprint(settings)}")
    print("\n".join(estimate_lines(found)))


def estimate_lines(found: Estimate) -> list[str]:
    """An estimate for people."""
    cost = (
        "no price is known for this model (JUDGE_PRICES)"
        if found.likely_usd_micro is None or found.most_usd_micro is None
        else f"about {dollars(found.likely_usd_micro)}, {dollars(found.most_usd_micro)} at most without repeats"
    )
    return [
        f"calls       {found.calls} of {found.questions} judgements"
        f" ({found.remembered} remembered, {found.spared} spared)",
        f"tokens      about {found.usage.input_tokens} in, {found.usage.output_tokens} out",
        f"cost        {cost}",
    ]


def register(app: typer.Typer) -> None:
    """Add the commands to `app`."""
    app.command("judge-agreement")(judge_agreement)
    app.command("estimate")(run_estimate)


def _settings(judge: str, model: str) -> JudgeSettings:
    """Settings with somebody chosen: who is named, else who is set, else the default."""
    settings = load_judge_settings()
    chosen = judge or (_DEFAULT if settings.judge_provider == OFFLINE else settings.judge_provider)
    if chosen == OFFLINE:
        raise JudgeError("--judge: a provider has to be named, 'offline' judges nothing")
    changes: dict[str, str] = {"judge_provider": chosen}
    if model or chosen != settings.judge_provider:  # a model belongs to the provider it was set for
        changes["judge_model"] = model
    return settings.model_copy(update=changes)


def _built(
    settings: JudgeSettings, cache: Path | None, refresh: bool, max_cost: float | None
) -> ThreadedJudge:
    if max_cost is not None and not math.isfinite(max_cost):
        raise JudgeError("--max-cost: a number of dollars is needed")
    limit = None if max_cost is None else math.floor(max_cost * 1_000_000)
    judge = build_judge(settings, cache=cache, refresh=refresh, max_cost_usd_micro=limit)
    assert judge is not None  # somebody is chosen
    return judge


def _fail(exc: JudgeError) -> None:
    print(f"error: {exc}", file=sys.stderr)
    raise typer.Exit(_WRONG) from exc


def _print_agreement(agreement: Agreement, judge: ThreadedJudge, *, as_json: bool) -> None:
    short = shortfalls(agreement)
    total = judge.ledger.total
    if as_json:
        print(json.dumps({**asdict(agreement), "may_gate": not short, "shortfalls": short}))
        return
    print(f"judge       {agreement.fingerprint}")
    print(f"answers     {agreement.n} of {agreement.asked} scored, {agreement.good} of them labelled good")
    for reason, count in sorted(agreement.unscored.items()):
        print(f"  unscored  {count} {reason}")
    rows = {
        "kappa": agreement.kappa,
        "weighted": agreement.weighted_kappa,
        "alpha": agreement.alpha,
        "AC1": agreement.ac1,
        "true good": agreement.true_positive,
        "true bad": agreement.true_negative,
        "retest": agreement.retest,
        "same anchor": agreement.retest_anchor,
    }
    for name, found in rows.items():
        print(f"{name:<11} {_shown(found)}")
    for evaluator, own in agreement.by_evaluator.items():
        kappa = "not measurable" if own.kappa is None else f"{own.kappa:.3f}"
        print(f"  {evaluator:<18} n={own.n:<4} kappa {kappa}")
    print(
        f"flagged     {agreement.flagged} with evidence that is missing, not to be found, or addressed to the judge"
    )
    print(f"calls       {total.calls}, {total.cached} judgements remembered")
    print(f"cost        {dollars(total.cost_usd_micro, at_least=bool(total.unpriced))}")
    print("may gate    yes" if not short else f"may gate    no, it advises: {'; '.join(short)}")


def _shown(found: Interval | None) -> str:
    if found is None:
        return "not measurable"
    bounds = "no bounds" if found.low is None else f"{found.low:.3f} to {found.high:.3f}"
    return f"{found.value:.3f} ({bounds}, n={found.n})"
