"""Load data/lexicon/ and build the phrase indexes that reading uses."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from app.catalog import AssessmentId, Catalog
from app.errors import KnowledgeError
from app.knowledge import FamilyId, GuardedForm, Knowledge, SkillId
from app.understanding.forms import Variants, turned
from app.understanding.phrases import PhraseIndex
from app.understanding.text import pattern

Cue = tuple[str, str]
"""Group and value of a cue phrase, such as ("verb", "drop")."""


@dataclass(frozen=True, slots=True)
class ScopePair:
    """An aim and an object that are declined when they stand near each other."""

    verbs: PhraseIndex[str]
    objects: PhraseIndex[str]
    window_words: int


@dataclass(frozen=True, slots=True)
class ScopeRule:
    """How one kind of out-of-scope request is recognised."""

    issue: str
    pairs: tuple[ScopePair, ...]
    phrases: PhraseIndex[str]
    unless: PhraseIndex[str]


@dataclass(frozen=True, slots=True)
class Place:
    """A place of work that tells the job where no title does, or makes a general title specific."""

    family: FamilyId
    refines: frozenset[str]
    """Families that it makes specific; "" where no job is named."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All phrases the service understands."""

    cues: PhraseIndex[tuple[Cue, ...]]
    skills: PhraseIndex[SkillId]
    guarded: PhraseIndex[tuple[tuple[SkillId, GuardedForm], ...]]
    roles: PhraseIndex[FamilyId]
    places: PhraseIndex[Place]
    names: PhraseIndex[tuple[AssessmentId, ...]]
    """Product names and aliases; several ids where one spoken name may mean either, the default first."""
    list_names: PhraseIndex[AssessmentId]
    """Exact catalogue names only, to read a list back."""
    languages: PhraseIndex[str]
    capital_languages: frozenset[str]
    """Names that are everyday words unless written with a capital ("Polish")."""
    catalogue_languages: Mapping[str, tuple[str, ...]]
    scope: tuple[ScopeRule, ...]
    asked: PhraseIndex[str]
    reply_words: Mapping[str, frozenset[str]]
    language_names: Mapping[str, str]
    spellings: Mapping[str, str]
    """Single words that a typo may be corrected to, with what they mean: "skill", "role" or "name"."""
    known_words: frozenset[str]

    @property
    def indexes(self) -> tuple[PhraseIndex[Any], ...]:
        """Every index whose words are spelt right by definition."""
        scope = (
            index
            for rule in self.scope
            for index in (
                rule.phrases,
                rule.unless,
                *(part for pair in rule.pairs for part in (pair.verbs, pair.objects)),
            )
        )
        return (self.skills, self.roles, self.names, self.cues, self.languages, *scope)


_SUFFIX = re.compile(r"\s*\((?:new|r1|r2)\)\s*$", re.I)
_PAREN = re.compile(r"\s*\([^)]*\)")


def load_lexicon(folder: Path, catalog: Catalog, knowledge: Knowledge) -> Lexicon:
    """Read every file of data/lexicon/ and index it with the names of skills, roles and assessments.

    Raises:
        KnowledgeError: a file is missing or malformed.
    """
    spellings = _read(folder, "spellings.json")
    variants = Variants(spellings["either"], spellings["short_titles"])
    forms = {
        form: skill.id for skill in knowledge.skills.values() for form in variants.of_phrases(skill.forms)
    }
    pairs = {turned(form): skill for form, skill in forms.items() if turned(form) not in forms}
    skills = PhraseIndex(forms | pairs)
    guarded: dict[str, list[tuple[SkillId, GuardedForm]]] = defaultdict(list)
    for skill in knowledge.skills.values():
        for form in skill.guarded:
            guarded[pattern(form.form)].append((skill.id, form))
    roles = PhraseIndex(
        {
            role: family.id
            for family in knowledge.families.values()
            for role in variants.of_titles(family.roles)
        }
    )
    places = {
        phrase: Place(FamilyId(family), frozenset(row["refines"]))
        for family, row in _read(folder, "places.json").items()
        for phrase in row["places"]
    }
    _check_places(places.values(), knowledge)
    languages = _read(folder, "languages.json")
    replies = _read(folder, "reply_language.json")
    return Lexicon(
        cues=_cues(_read(folder, name) for name in ("edits.json", "acts.json", "need.json")),
        skills=skills,
        guarded=PhraseIndex({form: tuple(found) for form, found in guarded.items()}),
        roles=roles,
        places=PhraseIndex(places),
        names=_names(catalog, knowledge, skills.forms | roles.forms | frozenset(guarded)),
        list_names=PhraseIndex({assessment.name: assessment.id for assessment in catalog}),
        languages=PhraseIndex(
            {name: language for language, row in languages.items() for name in row["names"]}
        ),
        capital_languages=frozenset(name for row in languages.values() for name in row.get("capital", ())),
        catalogue_languages={language: tuple(row["catalogue"]) for language, row in languages.items()},
        scope=tuple(_scope_rule(issue, row) for issue, row in _read(folder, "scope.json").items()),
        asked=PhraseIndex(
            {p: topic for topic, phrases in _read(folder, "asked.json").items() for p in phrases}
        ),
        reply_words={code: frozenset(row["words"]) for code, row in replies.items()},
        language_names={code: row["name"] for code, row in replies.items()},
        spellings=_spellings(skills, roles),
        known_words=_known_words(folder),
    )


def _read(folder: Path, name: str) -> dict[str, Any]:
    try:
        data = json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise KnowledgeError(name, 0, f"cannot be read: {exc}") from exc
    if not isinstance(data, dict):
        raise KnowledgeError(name, 0, "not a JSON object")
    return data


def _check_places(places: Iterable[Place], knowledge: Knowledge) -> None:
    for place in places:
        for family in (place.family, *(place.refines - {""})):
            if family not in knowledge.families:
                raise KnowledgeError("places.json", 0, f"unknown job family {family!r}")


_UNMARKED = re.compile(r"\b(that|it|i|let|what|don|doesn|isn)'(s|m|t)\b")
"""Contractions that stay words of their own without the mark ("thats fine"); "we're" and "we'll" do not."""


def _cues(files: Iterable[Mapping[str, Mapping[str, list[str]]]]) -> PhraseIndex[tuple[Cue, ...]]:
    cues: dict[str, list[Cue]] = defaultdict(list)
    for groups in files:
        for group, value, phrase in _phrases(groups):
            cue, form = (group, value), pattern(phrase)
            for each in (form, _UNMARKED.sub(r"\1\2", form)):
                if cue not in cues[each]:
                    cues[each].append(cue)
    return PhraseIndex({form: tuple(found) for form, found in cues.items()})


def _phrases(groups: Mapping[str, Mapping[str, Any]]) -> Iterable[tuple[str, str, str]]:
    """(group, value, phrase) of one file; "combine" crosses its lists ("go with" x "that list")."""
    for group, values in groups.items():
        for value, phrases in values.items():
            if group == "combine":
                target, _, name = value.partition(".")
                yield from ((target, name, " ".join(parts)) for parts in product(*phrases))
            else:
                yield from ((group, value, phrase) for phrase in phrases)


def _names(
    catalog: Catalog, knowledge: Knowledge, taken: frozenset[str]
) -> PhraseIndex[tuple[AssessmentId, ...]]:
    """Names and aliases; a bare technology name stays a skill, so that level and mode can choose the test."""
    forms: dict[str, list[AssessmentId]] = defaultdict(list)
    for entry in knowledge.entries.values():
        for alias in entry.aliases:
            form = pattern(alias)
            if form not in taken:
                forms[form].append(entry.id)
    for assessment in catalog:
        bare = _SUFFIX.sub("", assessment.name)
        for name in (
            assessment.name,
            bare,
            _PAREN.sub("", assessment.name),
            bare.replace(" - ", " ").replace(" – ", " "),
        ):
            form = pattern(name)
            exact = form == pattern(assessment.name)
            if not exact and form in taken:
                continue
            if assessment.id not in forms[form]:
                forms[form].insert(0 if exact else len(forms[form]), assessment.id)
    return PhraseIndex({form: tuple(ids) for form, ids in forms.items() if ids})


def _scope_rule(issue: str, row: Mapping[str, Any]) -> ScopeRule:
    return ScopeRule(
        issue=issue,
        pairs=tuple(
            ScopePair(
                PhraseIndex(dict.fromkeys(pair["verbs"], "verb")),
                PhraseIndex(dict.fromkeys(pair["objects"], "object")),
                pair["window"],
            )
            for pair in row["pairs"]
        ),
        phrases=PhraseIndex(dict.fromkeys(row["phrases"], issue)),
        unless=PhraseIndex(dict.fromkeys(row["unless"], issue)),
    )


MIN_CORRECTABLE = 5
"""Shorter words have too many neighbours to be corrected safely."""


def _spellings(skills: PhraseIndex[SkillId], roles: PhraseIndex[FamilyId]) -> dict[str, str]:
    words: dict[str, str] = {}
    for form in roles.forms:
        for word in form.split():
            if len(word) >= MIN_CORRECTABLE and word.isascii() and word.isalpha():
                words[word] = "role"
    for form in skills.forms:
        for word in form.split():
            if len(word) >= MIN_CORRECTABLE and word.isascii() and word.isalpha():
                words[word] = "skill"
    return words


def _known_words(folder: Path) -> frozenset[str]:
    try:
        return frozenset((folder / "known_words.txt").read_text(encoding="utf-8").split())
    except OSError as exc:
        raise KnowledgeError(
            "known_words.txt", 0, f"cannot be read: {exc}; run scripts/build_lexicon.py"
        ) from exc
