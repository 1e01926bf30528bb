"""A run spread over an existing dask cluster (`--cluster tcp://host:8786`; an extra).

The machines only compute: each gets shares of the run (`eval.shards`), and the rows come back to this process, which
alone writes the store. A worker that dies has its share run again by another; what had come back is on disk.
Every worker needs the same state of the project, and that is checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval.adapters.registry import find_adapter
from eval.errors import AdapterError, EvalError
from eval.golden_run import Task
from eval.records import Row
from eval.session import Plan, build_tasks, describe_run, load_cases, load_truth
from eval.shards import Shard
from eval.store import RunWriter

if TYPE_CHECKING:
    from distributed import Client

SHARES = 64
"""Pieces a run is cut into: many more than workers, so that a lost one is little work."""
CONNECT_S = 10


@dataclass(frozen=True, slots=True)
class Share:
    """What a worker gives back."""

    fingerprint: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class _Prepared:
    tasks: tuple[Task, ...]
    fingerprint: str
    target: str


@lru_cache(maxsize=1)
def _prepare(plan: Plan) -> _Prepared:
    """Everything a process needs to run pieces of the plan; loaded once in it."""
    catalog = load_truth()
    cases = load_cases(plan, catalog)
    adapter = find_adapter(plan.channel).build(plan.options)
    info = describe_run(plan, "share", adapter)
    by_part = build_tasks(plan, cases, adapter, catalog)
    return _Prepared(
        tuple(task for tasks in by_part.values() for task in tasks), info.fingerprint, info.target
    )


def run_share(plan: Plan, shard: Shard, done: frozenset[str]) -> Share:
    """Run the pieces of a share that are not done yet. Called on a worker."""
    prepared = _prepare(plan)
    wanted = (task for task in prepared.tasks if shard.holds(task.keys[0]) and not done.issuperset(task.keys))
    return Share(prepared.fingerprint, tuple(row for task in wanted for row in task.run()))


def spread(plan: Plan, path: Path, address: str, *, resume: bool = False) -> None:
    """Run `plan` on the cluster at `address`, or the rest of it, into the file `path`.

    Raises:
        AdapterError: dask is not installed, nobody answers there, a worker has another state of the project, or
            workers keep dying.
        EvalError: the cases, the channel or the store cannot be used.
    """
    plan = replace(plan, command="")  # what was typed decides nothing
    adapter = find_adapter(plan.channel).build(plan.options)
    try:
        info = describe_run(plan, path.stem, adapter)
    finally:
        adapter.close()
    with _connect(address) as client, RunWriter.open(path, info, resume=resume) as writer:
        done = frozenset(writer.keys)
        shares = [Shard(number, SHARES) for number in range(1, SHARES + 1)]
        futures = [client.submit(run_share, plan, shard, done, pure=False) for shard in shares]
        for share in _as_they_come(client, futures):
            if share.fingerprint != info.fingerprint:
                raise AdapterError(f"a worker of {address} has another state of cases, code or data")
            for row in share.rows:
                if row.key not in writer.keys:
                    writer.add(row)


def _as_they_come(client: Client, futures: list[Any]) -> Iterator[Share]:
    from distributed import as_completed

    for future in as_completed(futures, loop=client.loop):  # type: ignore[no-untyped-call]
        try:
            yield future.result()
        except EvalError:
            raise
        except Exception as exc:
            raise AdapterError(f"a worker failed: {type(exc).__name__}: {exc}") from exc


def _connect(address: str) -> Client:
    try:
        from distributed import Client
    except ImportError:
        raise AdapterError("--cluster needs a package: pip install 'distributed>=2026.8'") from None
    try:
        return Client(address, timeout=CONNECT_S, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as exc:
        raise AdapterError(f"no cluster answers at {address}: {type(exc).__name__}") from exc
