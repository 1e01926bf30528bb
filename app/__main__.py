"""`python -m app serve` and `python -m app ask "…"`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes
import gc
import json
import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.config import Settings, load_settings
from app.errors import RecommenderError
from app.terminal import show

if TYPE_CHECKING:
    from fastapi import FastAPI

M_TRIM_THRESHOLD, M_ARENA_MAX = -1, -8
"""Of malloc.h; glibc's numbers."""


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or Ctrl-C; open requests are answered first."""
    _tune_memory()
    import uvicorn

    from app.main import create_app

    app = create_app(settings)  # also for several processes: a wrong setting is one line, said once
    one = settings.workers == 1
    uvicorn.run(
        app if one else "app.__main__:worker",
        factory=not one,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        loop="asyncio",  # uvloop is 14 MB installed and 5 resident, and a turn is not faster with it
        http="httptools",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # app.api.limits believes those of the trusted ones
        timeout_graceful_shutdown=math.ceil(settings.http.deadline_s) + 1,  # until then each turn has ended
    )


def worker() -> FastAPI:
    """The application in one process of several."""
    _tune_memory()
    from app.main import create_app

    return create_app()


def _tune_memory() -> None:
    """Settings of the allocators, before anything is loaded.

    Garbage is not collected until loading is done: imports only add objects, and a tenth of their time is saved.

    Let the C library return freed memory to the system, where it can be told to (glibc).

    By default every thread gets an arena of its own and freed blocks stay in it: what loading only passed
    through, and what each turn did, stays resident. One arena, trimmed from 128 KB on, is 9 MB less after the
    replay of 42 conversations (199 instead of 208) at the same speed.
    """
    gc.disable()
    with contextlib.suppress(AttributeError, OSError, TypeError):
        tune = ctypes.CDLL(None).mallopt
        tune(M_ARENA_MAX, 1)
        tune(M_TRIM_THRESHOLD, 128 * 1024)


def ask(settings: Settings, text: str) -> dict[str, object]:
    """Answer one message in this process, with everything loaded."""
    from app.api.chat import take_turn
    from app.composition import load_catalog_side, load_dense_side
    from app.observability import configure_logging
    from app.records import History, Message

    configure_logging(settings.observability.log_format, settings.observability.log_level)
    side = load_catalog_side(settings, lambda *_: None)
    try:
        load_dense_side(settings, side, lambda *_: None)
    except RecommenderError as exc:
        print(f"without dense search: {exc}", file=sys.stderr)  # noqa: T201

    async def turn() -> dict[str, object]:
        deadline = asyncio.get_running_loop().time() + settings.http.deadline_s
        response, _ = await take_turn(History((Message("user", text),)), side, deadline, asyncio.to_thread)
        if side.routed is not None:
            await side.routed.router.close()
        return response.model_dump()

    return asyncio.run(turn())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m app", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    serving = commands.add_parser("serve", help="serve HTTP")
    serving.add_argument("--host", help="address to listen on (HOST)")
    serving.add_argument("--port", type=int, help="port to listen on (PORT)")
    serving.add_argument("--workers", type=int, choices=range(1, 65), metavar="N", help="processes (WORKERS)")
    asking = commands.add_parser("ask", help="answer one message and print the JSON")
    asking.add_argument("text")
    options = parser.parse_args(arguments)
    try:
        settings = load_settings()
        if options.command == "ask":
            show(json.dumps(ask(settings, options.text), ensure_ascii=False, indent=2))
            return 0
        names = ("host", "port", "workers")
        given = {name: value for name in names if (value := getattr(options, name)) is not None}
        serve(settings.model_copy(update=given))
    except RecommenderError as exc:
        print(f"{type(exc).__name__}: {exc}", file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
