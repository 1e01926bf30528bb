"""From a question to an answer: read, write SQL, run it read-only, tell; with whatever faults are switched on."""

from __future__ import annotations

import itertools
import random
import sqlite3
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eval.sandbox.answer import REFUSAL, Answer, defined, not_recorded, nothing, puzzled, told
from eval.sandbox.ask import Ask, Puzzle, Reader
from eval.sandbox.faults import INJECTION, FaultPlan, Scene
from eval.sandbox.graph import DATABASES, Dimension, load_graph
from eval.sandbox.lexicon import Lexicon, build_lexicon, values_of
from eval.sandbox.periods import Clock
from eval.sandbox.sql import NotRecordedError, Writer
from eval.sandbox.world import AS_OF, TENANTS

Row = tuple[Any, ...]
_KEPT_ROWS = 20
"""Rows of a result that go into the trace."""


@dataclass(frozen=True, slots=True)
class Step:
    """A statement that was run, or tried."""

    sql: str
    rows: tuple[Row, ...]
    row_count: int
    error: str | None
    started_s: float
    """Unix time."""
    ended_s: float


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with its statements; `fired` is for the ledger only."""

    text: str
    steps: tuple[Step, ...]
    fired: tuple[str, ...]


def connect(folder: Path) -> sqlite3.Connection:
    """The three databases as one connection that cannot write."""
    connection = sqlite3.connect("file::memory:", uri=True, check_same_thread=False)
    for name in DATABASES:
        connection.execute(f"ATTACH ? AS {name}", (f"file:{folder / name}.db?mode=ro&immutable=1",))
    connection.execute("PRAGMA query_only = ON")
    return connection


class Engine:
    """Answers the questions of all companies; safe to use from several threads."""

    def __init__(self, folder: Path, plan: FaultPlan | None = None) -> None:
        self._folder, self._plan = folder, plan or FaultPlan({})
        self._graph, self._clock = load_graph(), Clock(AS_OF)
        self._local = threading.local()
        self._turns = itertools.count()
        connection = self._connection()
        tenants = range(1, TENANTS + 1)
        self._lexicons: dict[int, Lexicon] = {t: build_lexicon(self._graph, connection, t) for t in tenants}

    def _connection(self) -> sqlite3.Connection:
        if not hasattr(self._local, "connection"):
            self._local.connection = connect(self._folder)
        connection: sqlite3.Connection = self._local.connection
        return connection

    def companies(self) -> dict[int, str]:
        """Names of the companies by number."""
        return dict(self._connection().execute("SELECT tenant_id, company_name FROM sales.company"))

    def read(self, question: str, tenant_id: int) -> Ask | Puzzle:
        """How a question is understood, whatever it may say of instructions."""
        return self._read(question, tenant_id, self._clock)

    def _read(self, question: str, tenant_id: int, clock: Clock) -> Ask | Puzzle:
        return Reader(self._lexicons[tenant_id], clock).read(INJECTION.sub(" ", question))

    def fires(self, name: str, question: str) -> bool:
        """Whether a fault of the stream or the login is to happen."""
        return self._plan.fires(name, question)

    def answer(self, question: str, tenant_id: int) -> Reply:
        """Answer `question` from the data of `tenant_id`."""
        scene = self._scene(question, tenant_id)
        fired: list[str] = []
        understood = self.read(question, tenant_id)
        steps: list[Step] = []
        if isinstance(understood, Puzzle):
            injected = understood.reason == "unclear" and INJECTION.search(question)
            answer = Answer(REFUSAL) if injected else puzzled(understood)
        elif understood.shape == "define" and understood.metric:
            answer = defined(understood.metric)
        else:
            try:
                answer = self._from_data(understood, scene, steps, fired)
            except NotRecordedError as problem:
                answer = not_recorded(problem)
        for fault in self._plan.of_stage("answer", question):
            changed = fault.on_answer(answer, understood, scene) if fault.on_answer else None
            if changed is not None:
                answer = changed
                fired.append(fault.name)
        return Reply(answer.text, tuple(steps), tuple(fired))

    def _from_data(self, asked: Ask, scene: Scene, steps: list[Step], fired: list[str]) -> Answer:
        ask = asked
        for fault in self._plan.of_stage("ask", scene.question):
            other = fault.on_ask(ask, scene) if fault.on_ask else None
            if other is not None:
                ask = other
                fired.append(fault.name)
        statements: Sequence[str] = (Writer(self._graph, scene.tenant_id).write(ask),)
        for fault in self._plan.of_stage("sql", scene.question):
            written = fault.on_sql(statements[-1], ask, scene) if fault.on_sql else None
            if written is not None:
                statements = (*statements[:-1], *written)
                fired.append(fault.name)
        steps += [self._run(statement) for statement in statements]
        if steps[-1].error:
            raise RuntimeError(steps[-1].error)
        rows: Sequence[Row] = steps[-1].rows
        for fault in self._plan.of_stage("rows", scene.question):
            drawn = fault.on_rows(rows, asked, scene) if fault.on_rows else None
            if drawn is not None and told(asked, drawn) != told(asked, rows):
                rows = drawn
                fired.append(fault.name)
        # What is told is what was asked, whatever was looked up.
        return told(asked, rows) if rows else nothing(asked)

    def _run(self, sql: str) -> Step:
        started = time.time()
        try:
            rows = tuple(self._connection().execute(sql).fetchall())
        except sqlite3.Error as exc:
            return Step(sql, (), 0, str(exc), started, time.time())
        return Step(sql, rows, len(rows), None, started, time.time())

    def _scene(self, question: str, tenant_id: int) -> Scene:
        def values(dimension: Dimension) -> Sequence[str]:
            return values_of(self._graph, self._connection(), dimension, tenant_id)

        return Scene(
            question,
            self._graph,
            tenant_id,
            self._clock,
            values,
            lambda clock: self._read(question, tenant_id, clock),
            random.Random(question),  # noqa: S311 - not for secrets
            next(self._turns),
        )


def trimmed(step: Step) -> Step:
    """The step with as many rows as a trace keeps."""
    return replace(step, rows=step.rows[:_KEPT_ROWS])
