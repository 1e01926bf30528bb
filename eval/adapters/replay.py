"""A recorded run as a channel: the answers of a stored run, or of a file of exchanges, given again."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from eval.adapters.base import AdapterOptions, AdapterSpec
from eval.errors import AdapterError, DatasetError, StoreError
from eval.golden import golden_path, load_golden
from eval.records import ChatMessage, Payload, Run
from eval.replay import NO_REPLY, play
from eval.store import load_run
from eval.targets.registry import find_target

NAME = "replay"
History = tuple[ChatMessage, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One line of a file of exchanges: what was said up to the question, and the answer."""

    messages: tuple[ChatMessage, ...]
    payload: Payload


_EXCHANGE: TypeAdapter[Recorded] = TypeAdapter(Recorded)


@dataclass(slots=True)
class ReplayAdapter:
    """Gives what was recorded for the very same messages; several answers to them in the order of the file.

    A recording has no times of its own: they are None, not those of the day of the recording.
    """

    target: str
    answers: dict[History, list[Payload]]
    notes: tuple[str, ...] = ("answers of a recording: nothing was asked, and no time was measured",)
    _given: defaultdict[History, int] = field(default_factory=lambda: defaultdict(int))

    def ask(self, messages: Sequence[ChatMessage]) -> Payload:
        """The recorded answer; an unreachable payload where there is none."""
        history = tuple(messages)
        found = self.answers.get(history)
        if found is None:
            question = messages[-1].content if messages else ""
            error = f"not in the recording: {question[:80]!r} after {max(0, len(history) - 1)} messages"
            return Payload(question, status="unreachable", source=NAME, error=error)
        payload = found[self._given[history] % len(found)]
        self._given[history] += 1
        return replace(
            payload,
            source=NAME,
            latency_ms=None,
            ui_latency_ms=None,
            ttft_ms=None,
            stream_duration_ms=None,
            tokens_per_sec=None,
        )

    def close(self) -> None:
        """Nothing is held."""


class _Listener:
    """Stands in for the target while a recorded case is played again, to see which answer belongs to which history."""

    target, notes = "", ()

    def __init__(self, payloads: Sequence[Payload]) -> None:
        self.heard: list[tuple[History, Payload]] = []
        self._left = list(payloads)

    def ask(self, messages: Sequence[ChatMessage]) -> Payload:
        question = messages[-1].content
        if not self._left or self._left[0].question != question:
            return Payload(question, status="unreachable")  # the case is not what it was: play ends here
        self.heard.append((tuple(messages), self._left.pop(0)))
        return self.heard[-1][1]

    def close(self) -> None:
        return


def exchanges_of(run: Run) -> Iterator[tuple[History, Payload]]:
    """Every answer of a stored run with the messages that led to it.

    Cases that are no longer in the golden set, or have changed since, are left out from there on.

    Raises:
        EvalError: the golden set of the run cannot be read.
    """
    for conversation in run.conversations:
        history: list[ChatMessage] = []
        for turn in conversation.turns:
            history.append(ChatMessage("user", turn.payload.question))
            yield tuple(history), turn.payload
            history.append(ChatMessage("assistant", turn.payload.ai_response or NO_REPLY))
    for target in dict.fromkeys(result.target for result in run.cases):
        cases = {case.id: case for case in load_golden(golden_path(find_target(target).golden))}
        for result in run.cases:
            if result.target == target and result.case_id in cases:
                listener = _Listener(result.payloads)
                play(cases[result.case_id].messages, listener)
                yield from listener.heard


def _exchanges_in(path: Path) -> Iterator[tuple[History, Payload]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            exchange = _EXCHANGE.validate_json(line)
        except ValidationError as exc:
            first = exc.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise AdapterError(f"{path}, line {number}, {place}: {first['msg']}") from None
        yield exchange.messages, exchange.payload


def _is_run(path: Path) -> bool:
    with path.open(encoding="utf-8") as file:
        try:
            first = json.loads(file.readline())
        except ValueError:
            return False
    return isinstance(first, dict) and first.get("kind") == "info"


def build(options: AdapterOptions) -> ReplayAdapter:
    """Read `options.recording`: a stored run, or JSON lines with `messages` and `payload`.

    Raises:
        AdapterError: there is none, or it cannot be read or holds no answer.
    """
    path = options.recording
    if path is None:
        raise AdapterError("the replay channel needs --recording, the name of a stored run or a file")
    answers: dict[History, list[Payload]] = defaultdict(list)
    try:
        for history, payload in exchanges_of(load_run(path)) if _is_run(path) else _exchanges_in(path):
            answers[history].append(payload)
    except (OSError, UnicodeDecodeError) as exc:
        raise AdapterError(f"the recording {path} cannot be read: {exc}") from exc
    except (StoreError, DatasetError) as exc:
        raise AdapterError(f"the recording cannot be used: {str(exc).splitlines()[0]}") from exc
    if not answers:
        raise AdapterError(f"the recording {path} holds no answer")
    return ReplayAdapter(f"the recording {path.name}", dict(answers))


ADAPTER = AdapterSpec(NAME, "answers of a recorded run", build, measures=frozenset())
