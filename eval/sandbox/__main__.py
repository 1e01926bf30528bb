"""`python -m eval.sandbox build|serve|ask|faults`: the retail assistant and its data.

Exit codes: 0 done, 2 bad input.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from eval.errors import EvalError
from eval.sandbox.build import DEFAULT_SEED, STORE, build, ensure
from eval.sandbox.desk import DEFAULT_OTP, Options
from eval.sandbox.engine import Engine
from eval.sandbox.faults import FAULTS, parse_faults
from eval.sandbox.service import create_app
from eval.sandbox.shapes import SHAPES

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)

Seed = Annotated[int, typer.Option(min=0, help="Which companies.")]
Store = Annotated[Path, typer.Option(help="Folder for the databases.")]
Faults = Annotated[list[str], typer.Option("--fault", help="NAME or NAME:RATE; may be given several times.")]
FaultSeed = Annotated[int, typer.Option(help="Which questions a fault with a rate falls on.")]


@app.command("build")
def run_build(seed: Seed = DEFAULT_SEED, store: Store = STORE) -> None:
    """Build the three databases of a seed."""
    start = time.perf_counter()
    folder = build(seed, store)
    print(f"{folder} in {time.perf_counter() - start:.1f} s")


@app.command("ask")
def run_ask(
    question: str,
    tenant: Annotated[int, typer.Option(min=1, max=2, help="Which company.")] = 1,
    seed: Seed = DEFAULT_SEED,
    store: Store = STORE,
    fault: Faults = [],  # noqa: B006 - typer copies it
) -> None:
    """Answer one question here, with its SQL."""
    reply = Engine(ensure(seed, store), parse_faults(fault)).answer(question, tenant)
    for step in reply.steps:
        print(f"-- {step.error or f'{step.row_count} rows'}\n{step.sql}\n")
    print(reply.text)


@app.command("faults")
def run_faults() -> None:
    """List the faults."""
    for fault in FAULTS.values():
        print(f"{fault.name:18} {fault.stage:7} {fault.summary}")


@app.command("serve")
def run_serve(
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8100,
    host: str = "127.0.0.1",
    seed: Seed = DEFAULT_SEED,
    store: Store = STORE,
    fault: Faults = [],  # noqa: B006 - typer copies it
    fault_seed: FaultSeed = 0,
    shape: Annotated[
        str, typer.Option(help=f"Default shape of the stream: {', '.join(SHAPES)}.")
    ] = "message_chunk",
    otp: Annotated[str, typer.Option(help="The one-time password of every login.")] = DEFAULT_OTP,
    token_ttl_s: Annotated[float, typer.Option(help="How long a token is good for.")] = 3600.0,
    piece_delay_s: Annotated[float, typer.Option(help="Pause between pieces of a stream.")] = 0.005,
    slow_s: Annotated[float, typer.Option(help="Wait before the first piece with slow-first-token.")] = 8.0,
    trace_delay_s: Annotated[float, typer.Option(help="How late a trace shows up.")] = 0.0,
    trace_file: Annotated[Path | None, typer.Option(help="Also write each trace here, a line each.")] = None,
    ledger: Annotated[
        Path | None, typer.Option(help="Note here which faults fired, a line an answer.")
    ] = None,
) -> None:
    """Build the data if need be and serve the assistant."""
    if shape not in SHAPES:
        raise EvalError(f"no shape {shape!r}, known are {', '.join(SHAPES)}")
    import uvicorn  # half a second that the other commands need not wait

    plan = parse_faults(fault, fault_seed)
    options = Options(shape, otp, token_ttl_s, piece_delay_s, slow_s, trace_delay_s, trace_file, ledger)
    service = create_app(Engine(ensure(seed, store), plan), options)
    print(f"http://{host}:{port}", flush=True)
    uvicorn.run(service, host=host, port=port, log_level="warning", ws="websockets-sansio")


def main() -> None:
    """Run a command; what the user can mend is one line."""
    try:
        app()
    except (EvalError, OSError) as exc:
        print(f"error: {exc}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
