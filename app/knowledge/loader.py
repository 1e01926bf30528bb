"""Read and cross-check data/knowledge/."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from app.catalog import AssessmentId, Catalog, Level, TestType
from app.errors import KnowledgeError
from app.knowledge.models import (
    Component,
    Entry,
    Family,
    FamilyId,
    GuardedForm,
    Knowledge,
    Part,
    Play,
    Purpose,
    Sitting,
    Skill,
    SkillId,
)

ANY_FAMILY = FamilyId("any")
"""The family whose plays serve roles that no other family knows."""

Row = Mapping[str, Any]
T = TypeVar("T")


class _Source:
    """Where a row stands, so that every complaint can name it."""

    def __init__(self, file: str, number: int) -> None:
        self.file = file
        self.number = number

    def fail(self, reason: str) -> KnowledgeError:
        return KnowledgeError(self.file, self.number, reason)


def load_knowledge(folder: Path, catalog: Catalog) -> Knowledge:
    """Read every file under `folder` and check it against `catalog`.

    Raises:
        KnowledgeError: malformed row, unknown id, dangling relation or missing item, with file and row.
    """
    entries = _load_entries(folder, catalog)
    skills = _index(_rows(folder / "skills.jsonl"), lambda row, _: _skill(row, catalog), "skill")
    families = _index(_rows(folder / "families.jsonl"), lambda row, _: _family(row, skills), "family")
    plays: dict[tuple[FamilyId, Purpose], list[Play]] = defaultdict(list)
    for source, row in _rows(folder / "playbook.jsonl"):
        play = _guard(source, lambda row=row: _play(row, catalog, skills, families))  # type: ignore[misc]
        plays[play.family, play.purpose].append(play)
    for purpose in Purpose:
        if (ANY_FAMILY, purpose) not in plays:
            raise KnowledgeError(
                "playbook.jsonl", 0, f"family 'any' has no row for purpose {purpose.value!r}"
            )
    _check_forms(skills)
    skills_of: dict[AssessmentId, set[SkillId]] = {assessment_id: set() for assessment_id in catalog.ids}
    for skill in skills.values():
        for assessment_id in skill.tests:
            skills_of[assessment_id].add(skill.id)
    members: dict[str, list[AssessmentId]] = defaultdict(list)
    for assessment_id in sorted(entries):
        members[entries[assessment_id].family].append(assessment_id)
    return Knowledge(
        entries=entries,
        skills=skills,
        families=families,
        plays={key: tuple(rows) for key, rows in plays.items()},
        skills_of={key: frozenset(value) for key, value in skills_of.items()},
        members={name: tuple(ids) for name, ids in members.items()},
        catalog=catalog,
    )


def _rows(path: Path) -> Iterator[tuple[_Source, Row]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as exc:
        raise KnowledgeError(path.name, 0, f"cannot be read: {exc}") from exc
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        source = _Source(path.name, number)
        try:
            row = json.loads(line)
        except ValueError as exc:
            raise source.fail(f"not JSON: {exc}") from exc
        if not isinstance(row, dict):
            raise source.fail("not a JSON object")
        yield source, row


def _guard(source: _Source, build: Callable[[], T]) -> T:
    """Turn whatever is wrong with a row into one complaint that names it."""
    try:
        return build()
    except KeyError as exc:
        raise source.fail(f"missing key or unknown id {exc}") from exc
    except (TypeError, ValueError) as exc:
        raise source.fail(str(exc)) from exc


def _index(
    rows: Iterator[tuple[_Source, Row]], build: Callable[[Row, _Source], T], what: str
) -> dict[Any, T]:
    records: dict[Any, T] = {}
    for source, row in rows:
        record = _guard(source, lambda row=row, source=source: build(row, source))  # type: ignore[misc]
        key = record.id  # type: ignore[attr-defined]
        if key in records:
            raise source.fail(f"{what} {key!r} occurs twice")
        records[key] = record
    return records


def _known(catalog: Catalog, ids: list[str]) -> tuple[AssessmentId, ...]:
    for assessment_id in ids:
        if assessment_id not in catalog:
            raise ValueError(f"unknown assessment {assessment_id!r}")
    return tuple(AssessmentId(assessment_id) for assessment_id in ids)


def _load_entries(folder: Path, catalog: Catalog) -> dict[AssessmentId, Entry]:
    entries: dict[AssessmentId, Entry] = {}
    for path in sorted((folder / "assessments").glob("*.jsonl")):
        for assessment_id, entry in _index(
            _rows(path), lambda row, _: _entry(row, catalog), "assessment"
        ).items():
            if assessment_id in entries:
                raise KnowledgeError(path.name, 0, f"assessment {assessment_id!r} stands in another file too")
            entries[assessment_id] = entry
    missing = [assessment_id for assessment_id in catalog.ids if assessment_id not in entries]
    if missing:
        raise KnowledgeError(
            "assessments/", 0, f"no entry for {len(missing)} assessments, first {missing[0]!r}"
        )
    return entries


def _entry(row: Row, catalog: Catalog) -> Entry:
    (assessment_id,) = _known(catalog, [row["id"]])
    entry = Entry(
        id=assessment_id,
        summary=row["summary"],
        topics=tuple(row["topics"]),
        aliases=tuple(row["aliases"]),
        evidence=frozenset(row["evidence"]),
        sitting=Sitting(row["sitting"]),
        instruments=_known(catalog, row["instruments"]),
        family=row["family"],
        variant=dict(row["variant"]),
        successor=_known(catalog, [row["successor"]])[0] if row["successor"] else None,
        suits=tuple(row["suits"]),
        use=frozenset(row["use"]),
    )
    if entry.is_report and not entry.instruments:
        raise ValueError(f"report {assessment_id!r} names no instrument")
    if assessment_id in entry.instruments or entry.successor == assessment_id:
        raise ValueError(f"{assessment_id!r} points at itself")
    return entry


def _skill(row: Row, catalog: Catalog) -> Skill:
    return Skill(
        id=SkillId(row["skill"]),
        label=row["label"],
        kind=row["kind"],
        forms=tuple(row["forms"]),
        guarded=tuple(
            GuardedForm(g["form"], g.get("case"), tuple(g.get("needs", ())), tuple(g.get("unless", ())))
            for g in row["guarded"]
        ),
        tests=_known(catalog, row["tests"]),
        nearest=_known(catalog, row["nearest"]),
        note=row["note"],
        types=frozenset(TestType(code) for code in row.get("types", ())),
    )


def _family(row: Row, skills: Mapping[SkillId, Skill]) -> Family:
    return Family(
        id=FamilyId(row["family"]),
        title=row["title"],
        roles=tuple(row["roles"]),
        skills=_known_skills(skills, row["skills"]),
        purpose=Purpose(row["purpose"]),
        levels=tuple(Level(code) for code in row["levels"]),
        generic=row["generic"],
    )


def _known_skills(skills: Mapping[SkillId, Skill], ids: list[str]) -> frozenset[SkillId]:
    for skill_id in ids:
        if skill_id not in skills:
            raise ValueError(f"unknown skill {skill_id!r}")
    return frozenset(SkillId(skill_id) for skill_id in ids)


def _play(
    row: Row, catalog: Catalog, skills: Mapping[SkillId, Skill], families: Mapping[FamilyId, Family]
) -> Play:
    family = FamilyId(row["family"])
    if family not in families:
        raise ValueError(f"unknown family {family!r}")
    return Play(
        family=family,
        purpose=Purpose(row["purpose"]),
        levels=frozenset(Level(code) for code in row["levels"]),
        components=tuple(_component(item, catalog, skills) for item in row["components"]),
        ask=tuple(row["ask"]),
        avoid=frozenset(_known(catalog, row["avoid"])),
        why=row["why"],
    )


def _component(item: Row, catalog: Catalog, skills: Mapping[SkillId, Skill]) -> Component:
    when = item.get("when", {})
    return Component(
        choices=_known(catalog, item["one_of"] if "one_of" in item else [item["id"]]),
        needs_naming=item.get("if_open") == "none",
        part=Part(item["part"]),
        why=item["why"],
        skills=_known_skills(skills, when.get("skills", [])),
        levels=frozenset(Level(code) for code in when.get("levels", [])),
    )


def _check_forms(skills: Mapping[SkillId, Skill]) -> None:
    owner: dict[str, SkillId] = {}
    for skill in skills.values():
        for form in (*skill.forms, *(guarded.form for guarded in skill.guarded)):
            key = " ".join(form.lower().split())
            if owner.setdefault(key, skill.id) != skill.id:
                raise KnowledgeError(
                    "skills.jsonl", 0, f"form {form!r} belongs to {owner[key]!r} and {skill.id!r}"
                )
