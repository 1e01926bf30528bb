"""One run on several machines without a broker: each runs its share, and one merges what they wrote.

A piece belongs to a share by the hash of its key, so machines agree without asking each other, and the pieces of a
conversation's modes spread evenly. A share is a run of its own: it is resumed like one, and merged once it is whole.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from eval.errors import StoreError
from eval.records import Row, Run, RunInfo
from eval.store import RunWriter, load_run

SHARD, PLANNED = "shard", "planned"
"""In a share's settings: which one it is, and how many rows it will have. The fingerprint covers neither."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Share `number` of `of`, counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def holds(self, key: str) -> bool:
        """Whether the piece with this key belongs to the share."""
        return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) % self.of == self.number - 1


def parse_shard(text: str) -> Shard | None:
    """ "2/3" as a share; None of an empty text.

    Raises:
        ValueError: it is no share.
    """
    if not text:
        return None
    found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text)
    shard = Shard(int(found[1]), int(found[2])) if found else Shard(0, 0)
    if not 1 <= shard.number <= shard.of:
        raise ValueError(f"{text!r}: a share is written 2/3, for the second of three")
    return shard


def merge(sources: Sequence[Path], target: Path) -> Run:
    """Write the shares of one run as one run.

    Raises:
        StoreError: a share is missing, is there twice, is not finished or belongs to another state or target;
            or `target` exists.
    """
    runs = [load_run(source) for source in sources]
    info = _common(runs)
    rows = [row for run in runs for row in rows_of(run)]
    with RunWriter.open(target, replace(info, id=target.stem)) as writer:
        for row in sorted(rows, key=lambda row: row.key):
            writer.add(row)
    return load_run(target)


def rows_of(run: Run) -> tuple[Row, ...]:
    """Everything that a run holds."""
    return tuple(row for each in fields(run) if each.name != "info" for row in getattr(run, each.name))


def _common(runs: Sequence[Run]) -> RunInfo:
    """What the shares say alike, once they are known to be all of one run."""
    if not runs:
        raise StoreError("there is nothing to merge")
    first = runs[0].info
    names: list[str] = []
    for run in runs:
        info, settings = run.info, run.info.settings
        if SHARD not in settings:
            raise StoreError(f"{info.id} is no share: it was run without --shard")
        if (info.fingerprint, info.target) != (first.fingerprint, first.target):
            raise StoreError(f"{info.id} and {first.id} were run on different states or targets")
        done, planned = len(rows_of(run)), int(settings[PLANNED])
        if done != planned:
            raise StoreError(
                f"{info.id} has {done} of {planned} rows: go on with it (--run {info.id} --resume)"
            )
        names.append(settings[SHARD])
    of = int(names[0].partition("/")[2])
    wanted = [str(Shard(number, of)) for number in range(1, of + 1)]
    if sorted(names) != sorted(wanted):
        raise StoreError(f"shares {', '.join(sorted(names))} are not the {of} that make a run")
    return replace(
        first,
        started_at=min(run.info.started_at for run in runs),
        command=re.sub(r" --shard[ =]\S+| --run[ =]\S+", "", first.command),
        settings={key: value for key, value in first.settings.items() if key not in (SHARD, PLANNED)},
        notes=tuple(dict.fromkeys(note for run in runs for note in run.info.notes)),
    )
