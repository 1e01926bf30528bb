"""Break one thing at a time under a running service, and say what was lost and how the service said it.

Run: python -m scripts.faults [NAME …] [--seconds 3]

Every fault starts a server of its own on this machine. Exits with 1 when a promise did not hold: a request that was
answered is never taken back or cut, an answer keeps its shape, and /health stays up while the process lives. A fault
that cannot be made here (no redis-server, no right to mount) is said and is no success.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from eval.bench.server import ROOT, Server, serving
from eval.bench.workload import load_scripts
from scripts.load.client import Account, Outcome
from scripts.load.phases import conversations

CONNECTIONS = 8
RESTART_S = 10
PYTHON = Path(sys.executable)
BROKEN = (Outcome.CUT, Outcome.WRONG)


@dataclass(frozen=True, slots=True)
class Report:
    """What one fault did."""

    lost: str
    said: str
    held: bool


class ImpossibleError(Exception):
    """This machine does not let the fault be made."""


Fault = Callable[[float], Report]
FAULTS: dict[str, Fault] = {}


def fault(run: Fault) -> Fault:
    """Register a fault under its function's name."""
    FAULTS[run.__name__.replace("_", "-")] = run
    return run


@contextmanager
def ready_server(settings: Mapping[str, str] | None = None, before: Sequence[str] = ()) -> Iterator[Server]:
    """A server that has loaded everything."""
    with serving(PYTHON, settings, before) as server:
        server.wait_for_health()
        server.wait_for_dense()
        yield server


def load(server: Server, seconds: float, breaking: Callable[[], object] | None = None) -> Account:
    """Conversations for some seconds; `breaking` is called after a third of them."""
    scripts = load_scripts()
    end = threading.Event()
    timers = [threading.Timer(seconds, end.set)]
    if breaking is not None:
        timers.append(threading.Timer(seconds / 3, breaking))
    for timer in timers:
        timer.start()
    try:
        return asyncio.run(conversations(server.port, scripts, CONNECTIONS, 1, lambda _: not end.is_set()))
    finally:
        for timer in timers:
            timer.join()


def whole(account: Account, *also: Outcome) -> bool:
    """Whether something was answered and no promise was broken."""
    return account.outcomes[Outcome.ANSWERED] > 0 and not any(
        account.outcomes[each] for each in (*BROKEN, *also)
    )


def parts_said(server: Server) -> str:
    """What /ready says of the parts that are not loaded."""
    with server.client() as client:
        status, body = client.call("GET", "/ready")
    wrong = [f"{name} {part['state']}: {part['detail']}" for name, part in body["parts"].items()]
    return f"/ready {status}: " + "; ".join(each for each in wrong if " loaded: " not in each)


def counted(server: Server, name: str) -> float:
    """The sum of one counter in /metrics."""
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return sum(
        float(line.rpartition(" ")[2])
        for line in text.splitlines()
        if line.startswith(f"recommender_{name}{{")
    )


def children(pid: int) -> list[int]:
    """Processes that a process has started and that serve."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [int(each) for each in listed if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]


@fault
def worker_killed(seconds: float) -> Report:
    """`kill -9` of one worker of two, under load."""
    with ready_server({"WORKERS": "2"}) as server:
        before = children(server.process.pid)
        account = load(server, seconds, lambda: os.kill(before[0], signal.SIGKILL))
        fresh = _comes_back(server.process.pid, before)
    return Report(
        account.said(),
        f"the supervisor {'started' if fresh else 'did NOT start'} another",
        whole(account) and fresh,
    )


def _comes_back(pid: int, before: Sequence[int]) -> bool:
    """Whether as many workers as before serve within RESTART_S, the killed one not among them."""
    for _ in range(round(RESTART_S / 0.05)):
        after = children(pid)
        if len(after) == len(before) and before[0] not in after:
            return True
        threading.Event().wait(0.05)
    return False


@fault
def sigterm(seconds: float) -> Report:
    """SIGTERM under load."""
    with ready_server() as server:
        account = load(server, seconds, server.process.terminate)
        status = server.process.wait(40)
    fine = whole(account, Outcome.APOLOGY) and status in (0, -signal.SIGTERM)
    return Report(account.said(), f"ended with {status}, connections refused after that", fine)


@fault
def disk_full(seconds: float) -> Report:
    """No file can grow, and the log goes to a full device."""
    with ready_server(before=["sh", "-c", 'ulimit -f 0; exec "$@" 2>/dev/full', "sh"]) as server:
        account = load(server, seconds)
        failed = counted(server, "http_requests_total")
    return Report(
        account.said(), f"nowhere but in /metrics ({failed:.0f} requests): there is no log", whole(account)
    )


@fault
def disk_read_only(seconds: float) -> Report:
    """Everything that is mounted at / cannot be written."""
    with tempfile.TemporaryDirectory() as folder:
        script = (
            'mount --rbind / "$0" && mount -o remount,bind,ro "$0" && cd "$0$PWD" && exec chroot "$0" "$@"'
        )
        probe = ["unshare", "-rm", "sh", "-c", script, folder]
        test = subprocess.run(
            [*probe, "touch", str(ROOT / "probe")], capture_output=True, text=True, check=False
        )
        if "Read-only file system" not in test.stderr:
            (ROOT / "probe").unlink(missing_ok=True)
            raise ImpossibleError("no right to mount")
        inside = [*probe, "sh", "-c", f'cd "{ROOT}" && exec "$@"', "sh"]
        with ready_server(before=inside) as server:
            account = load(server, seconds)
    return Report(account.said(), "nothing to say: the service writes no file", whole(account))


@contextmanager
def changed_data(change: Callable[[Path], None]) -> Iterator[Server]:
    """A server whose data folder was changed before it started."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        shutil.copytree(ROOT / "data", data)
        change(data)
        with serving(PYTHON, {"RETRIEVAL__DATA_DIR": str(data)}) as server:
            server.wait_for_health()
            with server.client() as client:
                while any(
                    part["state"] == "loading" for part in client.call("GET", "/ready")[1]["parts"].values()
                ):
                    threading.Event().wait(0.05)
            yield server


def _without_data(change: Callable[[Path], None], seconds: float) -> Report:
    with changed_data(change) as server:
        account = load(server, min(seconds, 1))
        with server.client() as client:
            health = client.call("GET", "/health")[0]
        said = parts_said(server)
    fine = set(account.outcomes) == {Outcome.APOLOGY} and health == 200 and said.startswith("/ready 503")
    return Report(account.said(), said, fine)


@fault
def data_missing(seconds: float) -> Report:
    """catalog.json is gone."""
    return _without_data(lambda data: (data / "catalog.json").unlink(), seconds)


@fault
def data_corrupt(seconds: float) -> Report:
    """catalog.json ends in the middle."""

    def halve(data: Path) -> None:
        text = (data / "catalog.json").read_bytes()
        (data / "catalog.json").write_bytes(text[: len(text) // 2])

    return _without_data(halve, seconds)


@fault
def embeddings_stale(seconds: float) -> Report:
    """The stored vectors belong to another catalogue."""

    def age(data: Path) -> None:
        manifest = json.loads((data / "embeddings.json").read_text(encoding="utf-8"))
        (data / "embeddings.json").write_text(
            json.dumps(manifest | {"signature": "0" * 64}), encoding="utf-8"
        )

    with changed_data(age) as server:
        account = load(server, seconds)
        said = parts_said(server)
    return Report(account.said(), said, whole(account) and said.startswith("/ready 200: dense failed"))


_CLOCK = """
import pathlib, time
real, jump = time.time, pathlib.Path(__file__).with_name("jump")
def jumping():
    return real() + float(jump.read_text() or 0)
time.time = jumping
"""


@fault
def clock_jump(seconds: float) -> Report:
    """The wall clock, as Python reads it, goes back a day and then on by two, with a rate limit on."""
    with tempfile.TemporaryDirectory() as folder:
        jump = Path(folder) / "jump"
        jump.write_text("0", encoding="ascii")
        (Path(folder) / "sitecustomize.py").write_text(_CLOCK, encoding="ascii")
        rate = {"HTTP__RATE_PER_MINUTE": "100000", "HTTP__RATE_BURST": "1000"}
        with ready_server({"PYTHONPATH": folder, **rate}) as server:
            accounts = [
                load(server, seconds / 2, lambda by=by: jump.write_text(by, encoding="ascii"))  # type: ignore[misc]
                for by in ("-86400", "86400")
            ]
    fine = all(whole(account, Outcome.APOLOGY, Outcome.LIMITED) for account in accounts)
    return Report(
        "; ".join(account.said() for account in accounts), "nothing: no limit reads that clock", fine
    )


@fault
def redis_gone(seconds: float) -> Report:
    """Redis is killed under load."""
    program = shutil.which("redis-server")
    if program is None:
        raise ImpossibleError("redis-server is not installed")
    port = _free_port()
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    redis = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    rate = {"HTTP__RATE_PER_MINUTE": "100000", "HTTP__RATE_BURST": "1000"}
    try:
        with ready_server({"REDIS_URL": f"redis://127.0.0.1:{port}/0", **rate}) as server:
            account = load(server, seconds, redis.kill)
            failures, skipped = (
                counted(server, f"shared_store_{name}_total") for name in ("failures", "skipped")
            )
    finally:
        redis.kill()
        redis.wait()
    said = f"counted {failures:.0f} failures and {skipped:.0f} uses left out; one warning in the log for each failure"
    return Report(account.said(), said, whole(account, Outcome.APOLOGY, Outcome.LIMITED) and failures > 0)


@fault
def provider_gone(seconds: float) -> Report:
    """The language model's address refuses connections."""
    address = f"http://127.0.0.1:{_free_port()}/v1"
    with ready_server({"LLM_PROVIDER": "openai", "OPENAI_BASE_URL": address, "LLM_MODEL": "none"}) as server:
        account = load(server, seconds)
        degraded = counted(server, "model_degraded_total")
    said = f"{degraded:.0f} turns counted as read by the rules instead, and said so in their log lines"
    return Report(account.said(), said, whole(account, Outcome.APOLOGY) and degraded > 0)


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> int:
    """Run the faults that are named, all when none is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FAULTS)}")
    parser.add_argument("--seconds", type=float, default=3, help="of load for each (default: 3)")
    options = parser.parse_args()
    if unknown := set(options.names) - FAULTS.keys():
        parser.error(f"no fault {', '.join(sorted(unknown))}; known are {', '.join(FAULTS)}")
    failed = 0
    for name in options.names or FAULTS:
        run = FAULTS[name]
        print(f"{name}: {(run.__doc__ or '').strip()}")
        try:
            report = run(options.seconds)
        except ImpossibleError as exc:
            print(f"  not possible here: {exc}")
            continue
        failed += not report.held
        print(f"  requests: {report.lost}\n  said: {report.said}\n  {'held' if report.held else 'BROKEN'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
