"""The real server in a process of its own, and a client for it. Only ever on loopback."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from eval.bench.records import MeasurementError

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
PATIENCE_S = 60
POLL_S = 0.002
_pause = threading.Event()


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: str
    content: str


class Client:
    """One connection that is kept open."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection(HOST, port, timeout=PATIENCE_S)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def call(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """Status and JSON of one request.

        Raises:
            OSError: nobody answers.
        """
        payload = None if body is None else json.dumps(body)
        self._connection.request(method, path, payload, {"content-type": "application/json"})
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())

    def turn(self, history: list[Message], path: str = "/chat") -> tuple[Any, float]:
        """The answer to `history`, and the seconds it took.

        Raises:
            MeasurementError: it was not answered properly, so its time means nothing.
        """
        body = {"messages": [{"role": each.role, "content": each.content} for each in history]}
        start = time.perf_counter()
        status, answer = self.call("POST", path, body)
        seconds = time.perf_counter() - start
        if status != 200 or "reply" not in answer:
            raise MeasurementError(f"{path} answered {status}")
        return answer, seconds


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path
    """What the process writes, as JSON lines."""
    started: float
    """When the process was started, on the clock of time.perf_counter."""

    @contextmanager
    def client(self) -> Iterator[Client]:
        """A connection for the length of the block."""
        with closing(Client(self.port)) as client:
            yield client

    def age(self) -> float:
        """Seconds since the process was started."""
        return time.perf_counter() - self.started

    def wait_for_health(self) -> float:
        """Seconds from start to the first /health."""
        while True:
            try:
                with self.client() as client:
                    if client.call("GET", "/health")[0] == 200:
                        return self.age()
            except OSError:
                self._wait("the server does not listen")

    def wait_for_dense(self) -> float:
        """Seconds from start until dense search is attached.

        Raises:
            MeasurementError: it could not be loaded; numbers without it would flatter.
        """
        with self.client() as client:
            while True:
                part = client.call("GET", "/ready")[1]["parts"]["dense"]
                if part["state"] == "loaded":
                    return self.age()
                if part["state"] != "loading":
                    raise MeasurementError(f"dense search is {part['state']}: {part['detail']}")
                self._wait("dense search does not load")

    def stage_ms(self) -> list[dict[str, float]]:
        """What the log says of each turn so far: its milliseconds by stage, and "ms" for all of it."""
        text = self.log.read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        return [{**line["stage_ms"], "ms": line["ms"]} for line in lines if line.get("event") == "turn"]

    def _wait(self, complaint: str) -> None:
        if self.process.poll() is not None or self.age() > PATIENCE_S:
            raise MeasurementError(complaint)
        _pause.wait(POLL_S)

    def resident_mb(self) -> float:
        """Resident memory of the process in MB (10^6 bytes).

        Raises:
            MeasurementError: this system does not tell.
        """
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        except OSError as exc:
            raise MeasurementError("resident memory is read from /proc, which is not here") from exc
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found
        return int(found[1]) * 1024 / 1e6


@contextmanager
def serving(
    python: Path, settings: Mapping[str, str] | None = None, before: Sequence[str] = ()
) -> Iterator[Server]:
    """A server started with `python` as `make run` starts it, on a free port, and ended with the block.

    Args:
        python: interpreter of the environment to serve from.
        settings: environment variables beyond the defaults.
        before: words of a command that runs the rest of its line in its own place, such as a limit.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as file, _process(python, file, log, settings or {}, before) as server:
            yield server


@contextmanager
def _process(
    python: Path, file: BinaryIO, log: Path, settings: Mapping[str, str], before: Sequence[str]
) -> Iterator[Server]:
    subprocess.run([python, "-m", "compileall", "-q", "app"], cwd=ROOT, check=True)  # noqa: S603
    port = _free_port()
    started = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - our own server
        [*before, python, "-m", "app", "serve", "--host", HOST, "--port", str(port)],
        cwd=ROOT,
        env={**_environment(), **settings},
        stderr=file,
    )
    try:
        yield Server(process, port, log, started)
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _environment() -> dict[str, str]:
    """The machine's, without what would change the service's settings; the log is read by stage_ms."""
    ours = re.compile(
        r"^(?:(?:HTTP|RETRIEVAL|OBSERVABILITY|LLM)__.*|LLM_.*|.*_API_KEY|HOST|PORT|WORKERS|REDIS_URL)$", re.I
    )
    kept = {name: value for name, value in os.environ.items() if not ours.match(name)}  # noqa: TID251
    return kept | {"OBSERVABILITY__LOG_FORMAT": "json"}


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
