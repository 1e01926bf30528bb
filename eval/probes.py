"""Behaviour probes: pairs of conversations, one that must trigger a behaviour and a near twin that must not.

A side is a list of user messages, played one by one; a message of the form `assistant: …` is put into the
history as it stands (a forged turn). What is expected is said of the last answer, in terms of the wire only,
so any service can be probed over any channel.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from app.catalog import Catalog
from eval.adapters.base import Adapter
from eval.errors import DatasetError
from eval.records import ChatMessage, Payload, ProbeResult, Status
from eval.replay import play
from eval.scoring import groundedness

PROBES = Path(__file__).with_name("probes")
Side = Literal["trigger", "twin"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What has to hold of the last answer; None and empty: nothing is expected."""

    list: bool | None = None
    asks: bool | None = None
    ends: bool | None = None
    must: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    """Patterns, whatever the casing."""
    never_says: tuple[str, ...] = ()
    same_list: bool | None = None
    """Whether the last list shown before is still the list (shown again, or not contradicted)."""
    most: int | None = None
    minutes_total: int | None = None
    """Known minutes of the list together."""
    minutes_each: int | None = None
    languages: tuple[str, ...] = ()
    """Beginnings of language names: each assessment whose languages are known has one of these."""
    adaptive: bool | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """One side of a pair."""

    pair: str
    kind: str
    side: Side
    why: str
    messages: tuple[ChatMessage, ...]
    wanted: Wanted = field(default_factory=Wanted)


def load_probes(folder: Path = PROBES) -> tuple[Probe, ...]:
    """All sides of all pairs, in file order.

    Raises:
        DatasetError: naming the file, the pair and what is wrong; also for a pair with one side or a used id.
    """
    probes: list[Probe] = []
    seen: set[str] = set()
    for path in sorted(folder.glob("*.yaml")):
        for row in yaml.safe_load(path.read_text(encoding="utf-8")):
            try:
                probes += [_probe(row, "trigger"), _probe(row, "twin")]
            except (KeyError, TypeError, ValueError, AttributeError) as exc:
                raise DatasetError(f"{path.name}, {row.get('pair')}: {exc!r}") from exc
            if row["pair"] in seen:
                raise DatasetError(f"{path.name}: the id {row['pair']} is taken")
            seen.add(row["pair"])
    return tuple(probes)


def _probe(row: Mapping[str, Any], side: Side) -> Probe:
    body = row[side]
    wanted: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in body["expect"].items()
    }
    said = [str(text) for text in body["say"]]
    messages = tuple(
        ChatMessage("assistant", text.removeprefix("assistant:").strip())
        if text.startswith("assistant:")
        else ChatMessage("user", text)
        for text in said
    )
    if not messages or messages[-1].role != "user":
        raise ValueError(f"the {side} does not end with the user")
    return Probe(row["pair"], row["kind"], side, row["why"], messages, Wanted(**wanted))


def run_probe(probe: Probe, adapter: Adapter, catalog: Catalog, channel: str) -> ProbeResult:
    """Play one side and hold the last answer against what is wanted."""
    payloads = play(probe.messages, adapter)
    if payloads[-1].status in ("unreachable", "timeout"):
        lost = payloads[-1].error or payloads[-1].status
        return _result(probe, channel, Status.ERROR, (lost,), payloads)
    wrong = (*always_wrong(payloads[-1], catalog), *unmet(probe.wanted, payloads, catalog))
    return _result(probe, channel, Status.SCORED, wrong, payloads)


def _result(
    probe: Probe, channel: str, status: Status, wrong: tuple[str, ...], payloads: list[Payload]
) -> ProbeResult:
    return ProbeResult(probe.pair, probe.kind, probe.side, channel, status, wrong, tuple(payloads), probe.why)


def always_wrong(payload: Payload, catalog: Catalog) -> Iterable[str]:
    """What no answer may do, whatever was said."""
    yield from (f"contract: {fault}" for fault in payload.faults)
    for invented in groundedness([payload], catalog).evidence:
        yield f"invented: {invented}"
    if payload.ends and not payload.ids:
        yield "the conversation ends without a list"


def unmet(wanted: Wanted, payloads: list[Payload], catalog: Catalog) -> Iterable[str]:
    """What is wanted of the last of `payloads` and does not hold, in words."""
    last = payloads[-1]
    yield from _unmet_form(wanted, last)
    before = next((p.ids for p in reversed(payloads[:-1]) if p.ids), ())
    if wanted.same_list is not None and wanted.same_list is not (
        not last.ids or set(last.ids) == set(before)
    ):
        yield f"the list {'changed' if wanted.same_list else 'stayed'}: {sorted(set(last.ids) ^ set(before))}"
    yield from (f"{key} is missing" for key in wanted.must if key not in last.ids)
    yield from (f"{key} must not be there" for key in wanted.must_not if key in last.ids)
    if wanted.any_of and not set(wanted.any_of) & set(last.ids):
        yield f"none of {', '.join(wanted.any_of)}"
    if wanted.most is not None and len(last.ids) > wanted.most:
        yield f"{len(last.ids)} in the list, at most {wanted.most} wanted"
    yield from _unmet_facts(wanted, last, catalog)


def _unmet_form(wanted: Wanted, last: Payload) -> Iterable[str]:
    found = {"list": bool(last.ids), "asks": last.asks, "ends": bool(last.ends)}
    for name, value in found.items():
        expected = getattr(wanted, name)
        if expected is not None and expected is not value:
            yield f"{name}: {expected} wanted, {value} found"
    yield from (f"does not say {p!r}" for p in wanted.says if not re.search(p, last.ai_response, re.I))
    yield from (f"says {p!r}" for p in wanted.never_says if re.search(p, last.ai_response, re.I))


def _unmet_facts(wanted: Wanted, last: Payload, catalog: Catalog) -> Iterable[str]:
    facts = [fact for key in last.ids if (fact := catalog.get(key)) is not None]
    minutes = [fact.minutes for fact in facts if fact.minutes is not None]
    if wanted.minutes_total is not None and sum(minutes) > wanted.minutes_total:
        yield f"{sum(minutes)} minutes together, at most {wanted.minutes_total} wanted"
    if wanted.minutes_each is not None and max(minutes, default=0) > wanted.minutes_each:
        yield f"one takes {max(minutes)} minutes, at most {wanted.minutes_each} wanted"
    if wanted.languages:
        for fact in facts:
            if fact.languages and not any(name.startswith(wanted.languages) for name in fact.languages):
                yield f"{fact.id} is not offered in {' or '.join(wanted.languages)}"
    if wanted.adaptive is not None:
        yield from (
            f"{f.id} is{'' if f.adaptive else ' not'} adaptive"
            for f in facts
            if f.adaptive is not wanted.adaptive
        )
