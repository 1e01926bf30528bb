"""The runs behind the measurements. Each happens once, when the first number from it is asked for."""

from __future__ import annotations

import random
import subprocess
import threading
import time
import venv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from eval.bench.grading import Grading, grade_recorded
from eval.bench.page import PageLoads, visit
from eval.bench.records import MeasurementError
from eval.bench.server import HOST, ROOT, Client, Message, Server, serving
from eval.bench.workload import Script, job_text, load_scripts, load_sentences, vary

STARTS = 5
WARM_PASSES = 3
JOB_TEXTS = 15
ROLES = ("backend developer", "data engineer", "plant manager", "financial analyst", "customer service lead")
CONNECTIONS = 8
LOAD_S = 8.0
INSTALL_S = 300
OPENER = "Hiring a mid-level Java developer who also writes SQL"
TOOLS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
"""What `python -m venv` puts into every environment."""


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds from the start of a process."""

    health_s: float
    first_shortlist_s: float
    dense_s: float


@dataclass(frozen=True, slots=True)
class Replay:
    """Every conversation, several times over one connection."""

    passes_ms: tuple[tuple[float, ...], ...]
    """What the client saw of each turn."""
    resident_mb: tuple[float, ...]
    """Before the first pass and after each."""
    stage_ms: tuple[dict[str, float], ...]
    """Of each turn of the first pass as the server's log tells it; see Server.stage_ms."""

    @property
    def cold_ms(self) -> tuple[float, ...]:
        """The first pass: nothing has been read or encoded before."""
        return self.passes_ms[0]

    @property
    def warm_ms(self) -> tuple[float, ...]:
        """All later passes: the same conversations again."""
        return tuple(ms for each in self.passes_ms[1:] for ms in each)


@dataclass(frozen=True, slots=True)
class Load:
    """A closed loop: every connection sends its next turn when the last one is answered."""

    done_s: tuple[float, ...]
    """When each turn was answered, from the beginning of the load."""
    took_ms: tuple[float, ...]
    seconds: float
    resident_mb: float


@dataclass(frozen=True, slots=True)
class Install:
    """Bytes by top-level name in site-packages; compiled files counted with their sources."""

    bytes_by_name: dict[str, int]

    def total_mb(self, *, with_tools: bool) -> float:
        """MB (10^6 bytes) of everything, with or without pip and setuptools."""
        return sum(n for name, n in self.bytes_by_name.items() if with_tools or not is_tool(name)) / 1e6

    def largest(self, count: int) -> str:
        """The largest packages in words."""
        packages = ((name, n) for name, n in self.bytes_by_name.items() if not is_tool(name))
        ranked = sorted(packages, key=lambda item: (-item[1], item[0]))
        return ", ".join(f"{name} {n / 1e6:.0f}" for name, n in ranked[:count])


@dataclass
class Runs:
    """Runs once what several measurements share; a server serves one run and is then ended.

    Servers run in a fresh environment made from the lock files, as `make run` makes it: the tools of the
    development environment cost the service time and memory although it never uses them.
    """

    folder: Path
    """Where that environment is made; nothing is there yet."""
    seed: int = 1
    scripts: Sequence[Script] = field(default_factory=load_scripts)

    @cached_property
    def grading(self) -> Grading:
        """Recorded golden cases, graded in this process."""
        return grade_recorded()

    @cached_property
    def starts(self) -> list[Start]:
        """Fresh processes, one after the other."""
        return [self._start() for _ in range(STARTS)]

    def _start(self) -> Start:
        with serving(self.python) as server:
            health_s = server.wait_for_health()
            with server.client() as client:
                answer, _ = client.turn([Message("user", OPENER)])
            first_s = server.age()
            if not answer["recommendations"]:
                raise MeasurementError("the first turn gave no shortlist")
            return Start(health_s, first_s, server.wait_for_dense())

    @cached_property
    def replay(self) -> Replay:
        """One connection, every conversation, several times."""
        with self._ready_server() as server, server.client() as client:
            passes: list[tuple[float, ...]] = []
            resident = [server.resident_mb()]
            for _ in range(1 + WARM_PASSES):
                passes.append(tuple(ms for script in self.scripts for ms in converse(client, script)))
                resident.append(server.resident_mb())
            stages = server.stage_ms()[: len(passes[0])]
            return Replay(tuple(passes), tuple(resident), tuple(stages))

    @cached_property
    def job_texts_ms(self) -> list[float]:
        """One long text after the other, none of them seen before."""
        rng = random.Random(self.seed)  # noqa: S311 - variety, not secrecy
        sentences = load_sentences()
        with self._ready_server() as server, server.client() as client:
            client.turn([Message("user", OPENER)])
            texts = [job_text(sentences, ROLES[n % len(ROLES)], rng) for n in range(JOB_TEXTS)]
            return [client.turn([Message("user", text)])[1] * 1000 for text in texts]

    @cached_property
    def load(self) -> Load:
        """Several connections for some seconds; no conversation is replayed twice."""
        with self._ready_server() as server:
            done: list[tuple[float, float]] = []
            failures: list[str] = []
            start = time.perf_counter()
            threads = [
                threading.Thread(target=self._work, args=(server, number, start, done, failures))
                for number in range(CONNECTIONS)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if failures:
                raise MeasurementError(failures[0])
            seconds = time.perf_counter() - start
            done.sort()
            return Load(
                tuple(at for at, _ in done), tuple(ms for _, ms in done), seconds, server.resident_mb()
            )

    def _work(
        self, server: Server, number: int, start: float, done: list[tuple[float, float]], failures: list[str]
    ) -> None:
        rng = random.Random(f"{self.seed}:{number}")  # noqa: S311 - variety, not secrecy
        try:
            with server.client() as client:
                while time.perf_counter() - start < LOAD_S:
                    script = vary(rng.choice(self.scripts), rng)
                    turns = converse(client, script, until=start + LOAD_S)
                    done.extend((time.perf_counter() - start, took_ms) for took_ms in turns)
        except (MeasurementError, OSError) as exc:
            failures.append(str(exc) or type(exc).__name__)

    @cached_property
    def python(self) -> Path:
        """The interpreter of the fresh environment."""
        venv.create(self.folder, with_pip=True)
        for lock in ("run", "model"):
            _pip(self.folder, f"requirements/{lock}.txt")
        return self.folder / "bin" / "python"

    @cached_property
    def install(self) -> Install:
        """What that environment holds."""
        (packages,) = self.python.parents[1].glob("lib/python3*/site-packages")
        return Install(weigh(packages))

    @cached_property
    def page(self) -> PageLoads:
        """Visits of the recruiter's page."""
        with self._ready_server() as server:
            return visit(f"http://{HOST}:{server.port}/")

    @contextmanager
    def _ready_server(self) -> Iterator[Server]:
        """A server with dense search attached."""
        with serving(self.python) as server:
            server.wait_for_health()
            server.wait_for_dense()
            yield server


def converse(client: Client, script: Iterable[str], until: float | None = None) -> Iterator[float]:
    """Milliseconds of each turn, with the server's own replies as history; stops at `until`."""
    history: list[Message] = []
    for text in script:
        if until is not None and time.perf_counter() > until:
            return
        history.append(Message("user", text))
        answer, seconds = client.turn(history)
        yield seconds * 1000
        history.append(Message("assistant", answer["reply"]))


def is_tool(name: str) -> bool:
    """Whether a top-level name came with the environment."""
    return name.startswith(TOOLS)


def weigh(folder: Path) -> dict[str, int]:
    """Bytes of all files under `folder` by their first path segment; links are not followed."""
    sizes: Counter[str] = Counter()
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            sizes[path.relative_to(folder).parts[0]] += path.stat().st_size
    return dict(sizes)


def _pip(environment: Path, lock: str) -> None:
    pip = str(environment / "bin" / "pip")
    done = subprocess.run(  # noqa: S603 - the project's own lock files
        [pip, "install", "--quiet", "--no-deps", "--require-hashes", "-r", lock],
        cwd=ROOT, capture_output=True, text=True, timeout=INSTALL_S, check=False,
    )  # fmt: skip
    if done.returncode:
        raise MeasurementError(f"{lock} does not install: {done.stderr.strip().splitlines()[-1]}")
