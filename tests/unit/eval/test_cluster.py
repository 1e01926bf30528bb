"""A real cluster of two processes on this machine, one of which is killed at work."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval import store
from eval.adapters.base import AdapterOptions
from eval.cli import app
from eval.cluster import Share, run_share, spread
from eval.errors import AdapterError
from eval.session import Plan, execute
from eval.shards import Shard, rows_of

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")
PLAN = Plan(
    parts=("replay",),
    splits=("dev",),
    users=("scripted",),
    modes=("trace",),
    only="dev-0",
    options=AdapterOptions(dense=False),
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[distributed.LocalCluster]:
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        host="127.0.0.1",
        silence_logs=logging.CRITICAL,
    ) as running:
        yield running


def said(path: Path) -> list[tuple[str, list[tuple[str, ...]], list[str]]]:
    return [
        (row.key, [turn.payload.ids for turn in row.turns], [turn.payload.ai_response for turn in row.turns])
        for row in store.load_run(path).conversations
    ]


def test_a_killed_worker_costs_nothing_but_time(cluster: distributed.LocalCluster, tmp_path: Path) -> None:
    whole, spread_out = tmp_path / "whole.jsonl", tmp_path / "spread.jsonl"
    execute(PLAN, whole)
    with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
        victim = next(iter(client.run(os.getpid).values()))

    def kill_once_rows_come() -> None:
        while not spread_out.exists() or spread_out.read_bytes().count(b"\n") < 3:
            threading.Event().wait(0.005)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill_once_rows_come, daemon=True)
    killer.start()
    spread(PLAN, spread_out, cluster.scheduler_address)
    killer.join(30)
    assert not killer.is_alive()
    run = execute(PLAN, spread_out, resume=True)
    assert said(spread_out) == said(whole)
    assert run.info.fingerprint == store.load_run(whole).info.fingerprint


def test_what_is_done_is_not_run_again(cluster: distributed.LocalCluster, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    execute(PLAN, path)
    before = path.read_bytes()
    spread(PLAN, path, cluster.scheduler_address, resume=True)
    assert path.read_bytes() == before


def test_a_share_leaves_out_what_is_done() -> None:
    everything = run_share(PLAN, Shard(1, 1), frozenset())
    keys = [row.key for row in everything.rows]
    assert len(keys) > 5
    rest = run_share(PLAN, Shard(1, 1), frozenset(keys[:3]))
    assert [row.key for row in rest.rows] == keys[3:]


def test_a_worker_with_another_state_is_refused(
    cluster: distributed.LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eval.cluster.run_share", _of_another_state)
    with pytest.raises(AdapterError, match="another state"):
        spread(replace(PLAN, only="dev-01"), tmp_path / "r.jsonl", cluster.scheduler_address)
    assert rows_of(store.load_run(tmp_path / "r.jsonl")) == ()


def _of_another_state(plan: Plan, shard: Shard, done: frozenset[str]) -> Share:
    return Share("another", ())


def test_nobody_there_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "STORE", tmp_path)
    monkeypatch.setattr("eval.cluster.CONNECT_S", 0.5)
    where = ["--cluster", "tcp://127.0.0.1:9", "--splits", "dev", "--only", "dev-01", "--no-dense"]
    result = CliRunner().invoke(app, ["replay", *where])
    assert result.exit_code == 1
    assert "no cluster answers at tcp://127.0.0.1:9" in result.output
    both = CliRunner().invoke(app, ["replay", "--cluster", "tcp://127.0.0.1:9", "--shard", "1/2"])
    assert both.exit_code == 2
