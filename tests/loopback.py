"""Applications on a port of this machine, in a thread of the test."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import uvicorn


@dataclass
class Connections:
    """What a server has open."""

    open: set[Any] = field(default_factory=set)


@contextmanager
def run_app(app: Any, connections: Connections | None = None) -> Iterator[str]:
    """Serve `app` for the block; gives its address. What is left open is closed with it."""
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, log_level="error", ws="websockets-sansio", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    pause = threading.Event()
    while not server.started and thread.is_alive():
        pause.wait(0.01)
    if connections is not None:
        connections.open = server.server_state.connections
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


def wait_until_ready(url: str) -> None:
    """Until the recommender answers that all of it is loaded."""
    end = time.monotonic() + 30
    while httpx.get(f"{url}/ready", trust_env=False).status_code != 200:
        assert time.monotonic() < end, "the service is not ready"
        time.sleep(0.01)
