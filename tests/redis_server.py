"""A real redis-server on loopback, for the length of a test."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Self


def redis_program() -> str | None:
    """Where redis-server is installed."""
    return shutil.which("redis-server")


def free_port() -> int:
    """A port that nobody listens on."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class RedisServer:
    """Started and ended with the block; may be frozen or ended in between."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        command = [self._program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        self._process = subprocess.Popen(
            [*command, "--dir", str(self._folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + 10
        while True:
            with closing(socket.socket()) as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert time.monotonic() < end, "redis-server does not listen"
            time.sleep(0.01)

    def freeze(self) -> None:
        assert self._process
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
