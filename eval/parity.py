"""The same case through two channels: what differs, and whether the verdict does."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest

from eval.adapters.registry import known_adapters
from eval.compare import mcnemar
from eval.differences import HARMLESS, Kind, compare_answers
from eval.errors import CompareError
from eval.records import CaseResult, Run


@dataclass(frozen=True, slots=True)
class ParityRow:
    """One case through both channels."""

    case_id: str
    replicate: int
    kind: Kind | None
    """None when neither channel answered, so that there is nothing to compare."""
    turn: int | None
    """The first turn that differs by more than looks, counted from 1; later ones answer another conversation."""
    detail: str
    verdicts: tuple[str, str]

    @property
    def verdict_differs(self) -> bool:
        """Whether the two channels are graded differently: a finding of its own, whatever the kind."""
        return self.verdicts[0] != self.verdicts[1]


@dataclass(frozen=True, slots=True)
class Parity:
    """Two runs of one golden set through two channels."""

    channels: tuple[str, str]
    rows: tuple[ParityRow, ...]

    @property
    def findings(self) -> tuple[ParityRow, ...]:
        """Cases that differ by more than looks, or in their verdict."""
        return tuple(
            r for r in self.rows if r.verdict_differs or (r.kind is not None and r.kind not in HARMLESS)
        )

    @property
    def uncompared(self) -> tuple[ParityRow, ...]:
        """Cases that neither channel answered."""
        return tuple(row for row in self.rows if row.kind is None)

    @property
    def flips(self) -> tuple[int, int]:
        """Cases that pass in the first channel alone, and in the second alone."""
        passes = [tuple(verdict == "pass" for verdict in row.verdicts) for row in self.rows]
        return passes.count((True, False)), passes.count((False, True))

    @property
    def p_flips(self) -> float | None:
        """Exact McNemar test of the flips; None when there are none."""
        return mcnemar(*self.flips)


def parity(one: Run, other: Run) -> Parity:
    """Hold two runs of the same golden cases through two channels against each other.

    Raises:
        CompareError: they are not runs of the same cases of one target.
    """
    left, right = _by_case(one), _by_case(other)
    if left.keys() != right.keys():
        lacking = sorted(left.keys() ^ right.keys())
        raise CompareError(f"not the same cases in both: {', '.join(case for _, case, _ in lacking)}")
    specs = known_adapters()
    whole = frozenset({"ai_response", "recommendations", "ends"})
    carried = frozenset.intersection(
        *(specs[run.info.channel].carries if run.info.channel in specs else whole for run in (one, other))
    )
    rows = tuple(_row(left[key], right[key], carried) for key in left)
    return Parity((one.info.channel, other.info.channel), rows)


def _by_case(run: Run) -> dict[tuple[str, str, int], CaseResult]:
    if not run.cases:
        raise CompareError(f"{run.info.id} holds no golden cases")
    return {(case.target, case.case_id, case.replicate): case for case in run.cases}


def _row(one: CaseResult, other: CaseResult, carried: frozenset[str]) -> ParityRow:
    verdicts = (one.verdict, other.verdict)
    if not any(payload.answered for case in (one, other) for payload in case.payloads):
        return ParityRow(one.case_id, one.replicate, None, None, "neither channel answered", verdicts)
    cosmetic = False
    for turn, (left, right) in enumerate(zip_longest(one.payloads, other.payloads), 1):
        if left is None or right is None:
            lengths = f"{len(one.payloads)} turns against {len(other.payloads)}"
            return ParityRow(one.case_id, one.replicate, Kind.STATUS_DIFF, turn, lengths, verdicts)
        found = compare_answers(left, right, carried)
        if found.kind not in HARMLESS:
            return ParityRow(one.case_id, one.replicate, found.kind, turn, found.detail, verdicts)
        cosmetic = cosmetic or found.kind is Kind.COSMETIC
    kind = Kind.COSMETIC if cosmetic else Kind.IDENTICAL
    return ParityRow(one.case_id, one.replicate, kind, None, "", verdicts)


def lines(found: Parity) -> list[str]:
    """The comparison for a console."""
    counts = Counter(row.kind for row in found.rows)
    one, other = found.channels
    rows = [f"{one} against {other}: {len(found.rows)} cases"]
    rows += [f"{kind.value:<16} {counts[kind]}" for kind in Kind]
    rows += [f"{'not compared':<16} {len(found.uncompared)}"] if found.uncompared else []
    p = "nothing flipped" if found.p_flips is None else f"exact p {found.p_flips:.3f}"
    differing = sum(row.verdict_differs for row in found.rows)
    rows.append(
        f"verdicts: {differing} differ, {found.flips[0]} pass only in {one}, {found.flips[1]} only in {other}, {p}"
    )
    for row in (*found.findings, *found.uncompared):
        place = f", turn {row.turn}" if row.turn else ""
        verdict = f" [{row.verdicts[0]} against {row.verdicts[1]}]" if row.verdict_differs else ""
        rows.append(
            f"  {row.case_id}{place}: {row.kind.value if row.kind else 'not compared'}{verdict} {row.detail}".rstrip()
        )
    return rows
