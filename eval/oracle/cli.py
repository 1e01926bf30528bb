"""`python -m eval oracle numbers|no-data|score`: what is read out of an answer, and how well."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from eval.errors import EvalError
from eval.oracle.labelled import load_answers
from eval.oracle.labelled import score as score_answers
from eval.oracle.no_data_text import classify
from eval.oracle.numbers import others, quantities

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)

CASES = Path(__file__).parent / "cases"
_BROKEN = 1

Text = Annotated[str, typer.Argument(help="An answer.")]


@app.command("numbers")
def show_numbers(text: Text) -> None:
    """List the figures of an answer, and the digits that are none."""
    for each in quantities(text):
        upper = f"..{each.upper:f}" if each.upper is not None else ""
        print(f"{each.value:f}{upper} {each.unit}, step {each.step:f}{', about' if each.about else ''}")
    for other in others(text):
        print(f"{other.text!r} is a {other.kind}")


@app.command("no-data")
def show_class(text: Text) -> None:
    """Say whether an answer says that there is nothing."""
    print(classify(text))


@app.command("score")
def run_score(
    file: Annotated[Path, typer.Argument(help="Labelled answers.")] = CASES / "no_data_test.jsonl",
) -> None:
    """Measure the no-data detector on labelled answers: precision and recall with 95 % Wilson intervals."""
    try:
        found = score_answers(load_answers(file))
    except EvalError as exc:
        print(f"broken: {exc}", file=sys.stderr)
        raise typer.Exit(_BROKEN) from exc
    print("\n".join(found.lines()))
