"""Proves the labels consistent, and the held-out ones unchanged since they were fixed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

from app.catalog import Catalog, load_catalog
from app.config import load_settings
from app.errors import RecommenderError
from eval.datasets import CONVERSATIONS, load_conversations
from eval.errors import DatasetError
from eval.golden import GoldenCase, golden_path, load_golden
from eval.metrics import recall_at
from eval.records import Case
from eval.targets.registry import known_targets

HASHES = CONVERSATIONS / "test.sha256"
CHANGES = CONVERSATIONS / "test_changes.yaml"
EXCLUDED = Path(__file__).with_name("excluded.yaml")
LIST_LIMIT = 10
GOLDEN_LEAST = 120
STAGED = "staged"
"""Tag of a case in which the client's stages, and no longer the list, keep the limit of minutes."""


def lint(folder: Path = CONVERSATIONS) -> list[str]:
    """Every problem, in words; none if the labels can be trusted to agree with themselves.

    Raises:
        DatasetError: a file cannot be read at all, or the catalogue cannot.
    """
    try:
        catalog = load_catalog(load_settings().retrieval.data_dir / "catalog.json")
    except RecommenderError as exc:
        raise DatasetError(str(exc)) from exc
    cases = load_conversations(("dev", "test"), folder)
    problems = [f"{case.id}: {problem}" for case in cases for problem in check_case(case, catalog)]
    problems += _shared_openings(cases)
    return problems + check_hashes(folder)


def lint_golden() -> list[str]:
    """Every problem of the golden sets: labels, size, ids, questions asked twice, files that are stale.

    Raises:
        EvalError: a set or its target cannot be loaded.
    """
    problems = []
    for spec in known_targets().values():
        path = golden_path(spec.golden)
        cases, target = load_golden(path), spec.load()
        problems += [f"{case.id}: {problem}" for case in cases for problem in target.lint(case)]
        problems += [f"{path.name}: {problem}" for problem in check_golden(cases)]
        if spec.build_golden is not None and path.read_text(encoding="utf-8") != spec.build_golden():
            problems.append(f"{path.name} is stale: run python -m scripts.build_golden")
    return problems


def check_golden(cases: Sequence[GoldenCase]) -> Iterable[str]:
    """What is wrong with a set as a whole."""
    if len(cases) < GOLDEN_LEAST:
        yield f"{len(cases)} cases; fewer than {GOLDEN_LEAST} cannot show a difference of four points"
    asked: dict[str, str] = {}
    for case in cases:
        words = " ".join(message.content for message in case.messages).lower()
        if words in asked:
            yield f"{case.id} asks what {asked[words]} asks"
        asked.setdefault(words, case.id)
        if not case.tags or not case.family:
            yield f"{case.id} has no {'tags' if case.family else 'family'}"


def check_case(case: Case, catalog: Catalog) -> Iterable[str]:
    """What is wrong with the labels of one conversation."""
    final = case.final
    groups = {"must": final.must, "may": final.may, "must_not": final.must_not}
    wanted = [*final.must, *final.may, *(key for turn in case.turns for key in turn.expect.must)]
    unwanted = [*final.must_not, *(key for turn in case.turns for key in turn.expect.must_not)]
    known = excluded()
    yield from (f"{key} is not in the catalogue" for key in dict.fromkeys(wanted) if key not in catalog)
    yield from (
        f"{key} is neither in the catalogue nor excluded from it"
        for key in dict.fromkeys(unwanted)
        if key not in catalog and key not in known
    )
    for one, other in (("must", "may"), ("must", "must_not"), ("may", "must_not")):
        both = sorted(set(groups[one]) & set(groups[other]))
        if both:
            yield f"both {one} and {other}: {', '.join(both)}"
    for name, ids in groups.items():
        if len(set(ids)) != len(ids):
            yield f"{name} holds an id twice"
    if len(final.must) > LIST_LIMIT:
        yield f"{len(final.must)} required, a list holds {LIST_LIMIT}"
    if not case.reason:
        yield "no reason for the labels"
    yield from _turn_problems(case)
    yield from _limit_problems(case, catalog)


def excluded() -> frozenset[str]:
    """Products that the vendor has and the catalogue leaves out: a label may forbid them."""
    return frozenset(yaml.safe_load(EXCLUDED.read_text(encoding="utf-8")))


def _turn_problems(case: Case) -> Iterable[str]:
    for number, turn in enumerate(case.turns, 1):
        expect = turn.expect
        both = sorted(set(expect.must) & set(expect.must_not))
        if both:
            yield f"turn {number}: both must and must_not: {', '.join(both)}"
        if expect.end and expect.list is False:
            yield f"turn {number}: an end without a list"
        if expect.end and number < len(case.turns):
            yield f"turn {number}: an end before the last turn"
        if not turn.user.strip():
            yield f"turn {number}: says nothing"
    last = case.turns[-1].expect
    if last.end is not None and last.end is not case.end:
        yield "the last turn and the conversation disagree about the end"
    gone = sorted(set(case.final.must) & set(last.must_not))
    if gone:
        yield f"required in the end but excluded in the last turn: {', '.join(gone)}"
    lost = sorted(set(last.must) & set(case.final.must_not))
    if lost:
        yield f"required in the last turn but excluded in the end: {', '.join(lost)}"
    if recall_at(case.final.must, case.final.must) == 0:
        yield "the labels do not satisfy themselves"


def _limit_problems(case: Case, catalog: Catalog) -> Iterable[str]:
    """The labels keep the limit of minutes that the facts state."""
    minutes = case.facts.get("minutes")
    if not isinstance(minutes, int) or STAGED in case.tags:
        return
    known = [catalog[key].minutes or 0 for key in case.final.must if key in catalog]
    if sum(known) > minutes:
        yield f"what is required takes {sum(known)} minutes, the facts allow {minutes}"


def _shared_openings(cases: Sequence[Case]) -> list[str]:
    seen: dict[str, str] = {}
    problems = []
    for case in cases:
        opening = " ".join(case.turns[0].user.lower().split())
        if opening in seen:
            problems.append(f"{case.id}: opens like {seen[opening]}")
        seen.setdefault(opening, case.id)
    return problems


# --- held-out labels ----------------------------------------------------------------------------


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every held-out conversation by file name."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((folder / "test").glob("*.yaml"))
    }


def write_hashes(folder: Path = CONVERSATIONS) -> int:
    """Fix the held-out conversations as they are; how many."""
    found = hashes(folder)
    (folder / HASHES.name).write_text(
        "".join(f"{digest}  {name}\n" for name, digest in found.items()), "utf-8"
    )
    return len(found)


def check_hashes(folder: Path = CONVERSATIONS) -> list[str]:
    """Held-out conversations that are not as they were fixed and have no reason on record."""
    file = folder / HASHES.name
    found = hashes(folder)
    if not file.exists():
        return (
            [f"{len(found)} held-out conversations are not fixed: run python -m eval fix-labels"]
            if found
            else []
        )
    fixed = dict(
        line.split(maxsplit=1)[::-1] for line in file.read_text("utf-8").splitlines() if line.strip()
    )
    excused = {(change["file"], change["sha256"]) for change in _changes(folder)}
    problems = []
    for name in sorted(fixed.keys() | found.keys()):
        if fixed.get(name) == found.get(name) or (name, found.get(name, "removed")) in excused:
            continue
        what = "removed" if name not in found else "new" if name not in fixed else "changed"
        digest = found.get(name, "removed")
        problems.append(
            f"{name}: {what} since the labels were fixed; {CHANGES.name} has no reason for {digest}"
        )
    return problems


def label_changes(folder: Path = CONVERSATIONS) -> tuple[str, ...]:
    """Changes of held-out labels with their reasons, for the report."""
    return tuple(f"{change['file']} ({change['date']}): {change['reason']}" for change in _changes(folder))


def _changes(folder: Path) -> list[dict[str, str]]:
    file = folder / CHANGES.name
    if not file.exists():
        return []
    rows = yaml.safe_load(file.read_text(encoding="utf-8")) or []
    wanted = {"file", "sha256", "date", "reason"}
    if any(not isinstance(row, dict) or row.keys() != wanted for row in rows):
        raise DatasetError(f"{CHANGES.name}: each change needs exactly {', '.join(sorted(wanted))}")
    return [{key: str(value) for key, value in row.items()} for row in rows]
