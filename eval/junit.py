"""A run as JUnit XML: a failure is an answer that is wrong, an error a piece that could not be measured."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from eval.gates import GateResult
from eval.records import Run, Status

Outcome = tuple[str, str, str]
"""Name, `passed|failure|error|skipped`, message."""


def write_junit(run: Run, gates: Iterable[GateResult], path: Path) -> None:
    """Write all gates, conversations, probes, laws and golden cases of `run`."""
    root = Element("testsuites", name=f"eval {run.info.id}")
    suites: dict[str, Iterable[Outcome]] = {
        "gates": _gates(gates),
        "conversations": _conversations(run),
        "probes": _probes(run),
        "laws": _laws(run),
        "cases": _cases(run),
    }
    for name, outcomes in suites.items():
        _suite(root, name, list(outcomes))
    indent(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _suite(root: Element, name: str, outcomes: list[Outcome]) -> None:
    kinds = [kind for _, kind, _ in outcomes]
    suite = SubElement(root, "testsuite", name=name, tests=str(len(outcomes)))
    for attribute, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(kinds.count(kind)))
    for case_name, kind, message in outcomes:
        case = SubElement(suite, "testcase", classname=f"eval.{name}", name=_plain(case_name))
        if kind != "passed":
            SubElement(case, kind, message=_plain(message))


def _plain(text: str) -> str:
    """`text` without characters that XML cannot hold."""
    return "".join(
        c if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff") else "�"
        for c in text
    )


def _gates(gates: Iterable[GateResult]) -> Iterable[Outcome]:
    kinds = {"passed": "passed", "failed": "failure", "inconclusive": "skipped"}
    for result in gates:
        yield result.gate.id, kinds[result.verdict], result.reason


def _conversations(run: Run) -> Iterable[Outcome]:
    for c in run.conversations:
        broken = next((r for r in c.results if r.status is Status.ERROR), None)
        faults = [fault for turn in c.turns for fault in turn.payload.faults]
        name = f"{c.case_id} [{c.user}, {c.mode}]"
        if broken:
            yield name, "error", broken.reason
        elif faults:
            yield name, "failure", "; ".join(faults)
        else:
            yield name, "passed", ""


def _probes(run: Run) -> Iterable[Outcome]:
    for probe in run.probes:
        kind = "error" if probe.status is Status.ERROR else "passed" if probe.right else "failure"
        yield f"{probe.pair} [{probe.side}]", kind, "; ".join(probe.wrong)


def _laws(run: Run) -> Iterable[Outcome]:
    for law in run.laws:
        kind = {Status.ERROR: "error", Status.UNSCORED: "skipped"}.get(
            law.status, "passed" if law.held else "failure"
        )
        yield f"{law.law} [{law.case}]", kind, law.detail


def _cases(run: Run) -> Iterable[Outcome]:
    kinds = {"pass": "passed", "fail": "failure", "inconclusive": "skipped", "error": "error"}
    for case in run.cases:
        yield f"{case.case_id} [{case.channel}, {case.replicate + 1}]", kinds[case.verdict], case.reason
