"""Measure a fresh process: start to first /health, to the first shortlist, to dense search attached.

Run: python scripts/measure_startup.py [--runs 5] [--json]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 60
OPENER = "Hiring a mid-level Java developer who also writes SQL"


def free_port() -> int:
    """A port that nobody listens on."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def call(port: int, method: str, path: str, body: object = None) -> tuple[int, Any]:
    """One request; status 0 while nobody listens."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        payload = None if body is None else json.dumps(body)
        connection.request(method, path, payload, {"content-type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    except OSError:
        return 0, None
    finally:
        connection.close()


def measure_once() -> dict[str, float]:
    """Seconds since the start of a fresh process, by milestone."""
    port = free_port()
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "serve", "--port", str(port)],
        cwd=ROOT,
        env={**os.environ, "OBSERVABILITY__LOG_LEVEL": "error"},  # noqa: TID251,
    )
    result: dict[str, float] = {}
    try:
        while call(port, "GET", "/health")[0] != 200 and time.perf_counter() - start < PATIENCE_S:
            time.sleep(0.002)  # noqa: TID251
        result["health_s"] = time.perf_counter() - start
        status, answer = call(port, "POST", "/chat", {"messages": [{"role": "user", "content": OPENER}]})
        if status == 200 and answer["recommendations"]:
            result["first_shortlist_s"] = time.perf_counter() - start
        while time.perf_counter() - start < PATIENCE_S:
            parts = call(port, "GET", "/ready")[1]["parts"]
            if parts["dense"]["state"] != "loading":
                if parts["dense"]["state"] == "loaded":
                    result["dense_s"] = time.perf_counter() - start
                break
            time.sleep(0.01)  # noqa: TID251
    finally:
        process.terminate()
        process.wait(15)
    return result


def main() -> None:
    """Print the median of several runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print JSON only")
    options = parser.parse_args()
    runs = [measure_once() for _ in range(options.runs)]
    medians = {
        name: round(statistics.median(run[name] for run in runs if name in run), 3)
        for name in ("health_s", "first_shortlist_s", "dense_s")
        if any(name in run for run in runs)
    }
    if options.json:
        print(json.dumps(medians))
        return
    for name, value in medians.items():
        each = ", ".join(f"{run[name]:.3f}" for run in runs if name in run)
        print(f"{name}: {value:.3f} (runs: {each})")


if __name__ == "__main__":
    main()
