"""Tables for the documents that come from the code: what registers itself is described, or the check fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from eval.adapters.registry import known_adapters
from eval.evaluators.base import EvaluatorSpec
from eval.evaluators.registry import known_evaluators
from eval.harms import detectors
from eval.mutation.score import KINDS
from eval.profiles import load_profile
from eval.targets.registry import known_targets


def render_table(name: str) -> str:
    """The table called `name` as Markdown.

    Raises:
        ValueError: there is none, or a cell of it is empty.
    """
    if name not in TABLES:
        raise ValueError(f"no table {name!r}, known are {', '.join(TABLES)}")
    header, rows = TABLES[name]()
    lines = [header, ["---"] * len(header), *rows]
    for row in rows:
        if not all(cell.strip() for cell in row):
            raise ValueError(f"table {name}: {row[0] or 'a row'} is not described in full")
    return "\n" + "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


Table = tuple[list[str], Sequence[list[str]]]


def _evaluators() -> Table:
    header = ["dimension", "weight", "warns below", "what it says of an answer", "rule", "no value when"]
    return header, [
        [
            spec.name,
            f"{spec.weight:.2f}" if spec.weight else "0, opt-in",
            _threshold(spec),
            spec.meaning,
            spec.formula,
            spec.no_value_when,
        ]
        for spec in _by_weight()
    ]


def _threshold(spec: EvaluatorSpec) -> str:
    if spec.floor is not None:
        return f"fails below {spec.floor:.2f}"
    return "never" if spec.threshold is None else f"{spec.threshold:.2f}"


def _examples() -> Table:
    rows = []
    for spec in _by_weight():
        for illustration in (spec.example, spec.counter_example):
            value = spec.result(spec.measure(illustration.facts)).value
            rows.append([spec.name, illustration.words, "none" if value is None else f"{value:.2f}"])
    return ["dimension", "answer", "value"], rows


def _by_weight() -> list[EvaluatorSpec]:
    return sorted(known_evaluators().values(), key=lambda spec: (-spec.weight, spec.name))


def _profiles() -> Table:
    profiles = {name: load_profile(name).weights for name in ("standard", "full", "compact")}
    names = [spec.name for spec in _by_weight()]
    rows = [[name, *(_weight(weights, name) for weights in profiles.values())] for name in names]
    return ["dimension", *profiles], rows


def _weight(weights: Mapping[str, float], name: str) -> str:
    return f"{weights[name]:.2f}" if name in weights else "not run"


def _named(specs: Iterable[tuple[str, str]]) -> Table:
    return ["name", "what it is"], [[name, summary] for name, summary in specs]


def _defects() -> Table:
    header = ["defect", "what is planted", "has to lower", "may move with it"]
    return header, [
        [
            kind.name,
            " ".join((kind.plant.__doc__ or "").split()),
            " or ".join(kind.intended),
            ", ".join(sorted(kind.may_move)) or "nothing",
        ]
        for kind in KINDS
    ]


def _harms() -> Table:
    rows = [[each.kind, f"{each.severity:g}", str(len(each.patterns))] for each in detectors()]
    return ["detector", "severity", "patterns"], rows


TABLES: Mapping[str, Callable[[], Table]] = {
    "evaluators": _evaluators,
    "examples": _examples,
    "profiles": _profiles,
    "channels": lambda: _named((spec.name, spec.summary) for spec in known_adapters().values()),
    "targets": lambda: _named((spec.name, spec.summary) for spec in known_targets().values()),
    "defects": _defects,
    "harms": _harms,
}
