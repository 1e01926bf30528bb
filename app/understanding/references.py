"""What a mention, a pronoun, a position or a piece of a name means on the list that stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from app.catalog import AssessmentId, Catalog, TestType
from app.knowledge import Knowledge, Skill, SkillId
from app.understanding.mentions import Kind, Mention
from app.understanding.reading import Reading
from app.understanding.text import words

Ids = tuple[AssessmentId, ...]
Thing = AssessmentId | SkillId

_NEAR_CHARS = 22
"""A version or edition said this close to a name belongs to it ("version 1.0 of the …")."""
_MINUTES = re.compile(r"\b(\d{1,3}) ?(?:minutes?|mins?)\b")
_COMMON_WORDS = frozenset(
    "new the and of for with in a an test tests report solution simulation assessment us u.s shl"
    " general spoken english first last only one ones list final drop remove keep out it is level"
    " programming".split()
)
_BROAD_EVIDENCE = frozenset(
    "knowledge leading supporting interacting analysing creating organising adapting enterprising"
    " personality".split()
)
"""Evidence that too many assessments give to tell which one is meant."""


class Resolver:
    """Turns words into assessments, those on the list first."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge) -> None:
        self._catalog = catalog
        self._knowledge = knowledge

    def best(self, mention: Mention, standing: Ids, text: str = "") -> list[AssessmentId]:
        """The one assessment a mention means, as a list of at most one."""
        if mention.kind is Kind.NAME:
            ids = [AssessmentId(id_) for id_ in mention.ids]
            found = [id_ for id_ in ids if id_ in standing] or ids
        else:
            found = list(self._knowledge.skills[SkillId(mention.ids[0])].tests)
        return [self._variant_said(found[0], mention, text)] if found else []

    def _variant_said(self, id_: AssessmentId, mention: Mention, text: str) -> AssessmentId:
        """The sibling whose version or edition stands beside the name ("classic Verify G+")."""
        beside = set(words(text[max(0, mention.start - _NEAR_CHARS) : mention.end + _NEAR_CHARS]))
        own = self._knowledge.entries[id_].variant
        if {own.get("version", ""), own.get("edition", "")} & beside:
            return id_
        for sibling in self._knowledge.siblings(id_):
            variant = self._knowledge.entries[sibling].variant
            if {variant.get("version", ""), variant.get("edition", "")} & beside:
                return sibling
        return id_

    def on_list(self, mention: Mention, standing: Ids, *, loose: bool = False) -> list[AssessmentId]:
        """What a mention means on the list; `loose`: also what gives the same kind of evidence."""
        if mention.kind is Kind.NAME:
            named = [AssessmentId(id_) for id_ in mention.ids]
            families = {self._knowledge.entries[id_].family for id_ in named}
            exact = [id_ for id_ in named if id_ in standing]
            return exact or [id_ for id_ in standing if self._knowledge.entries[id_].family in families]
        skill = self._knowledge.skills[SkillId(mention.ids[0])]
        by_test = self.owned(skill.id, standing) or [
            id_ for id_ in standing if id_ in skill.tests and not (loose and self._is_anothers(id_, skill))
        ]
        if by_test or skill.kind == "behaviour":
            return by_test
        if skill.types:
            return [id_ for id_ in standing if _is_of_kind(set(self._catalog[id_].types), skill.types)]
        if loose and skill.kind == "measure":
            kinds = {skill.id, *skill.id.split("_")} - _BROAD_EVIDENCE
            return [id_ for id_ in standing if kinds & self._knowledge.entries[id_].evidence]
        return [id_ for id_ in standing if id_ in skill.nearest]

    def owned(self, skill: SkillId, standing: Ids) -> list[AssessmentId]:
        """Items on the list that are about this skill first of all, not just among other things."""
        record = self._knowledge.skills[skill]
        return [
            id_
            for id_ in standing
            if id_ in record.tests and (id_ == record.tests[0] or self._bears(id_, record))
        ]

    def _is_anothers(self, id_: AssessmentId, skill: Skill) -> bool:
        """Whether an item bears another subject's name and a test that is not on the list bears this one's.

        Who drops Kubernetes does not mean the Docker test; who drops databases means the SQL test.
        """
        about = self._knowledge.skills_of[id_]
        others = [self._knowledge.skills[s] for s in about if s != skill.id]
        named = any(self._bears(id_, other) for other in others if other.is_subject)
        return named and skill.is_subject and any(self._bears(test, skill) for test in skill.tests)

    def _bears(self, id_: AssessmentId, skill: Skill) -> bool:
        return set(words(skill.label)) <= set(words(self._catalog[id_].name))

    def meant(self, mention: Mention, standing: Ids, text: str = "") -> list[Thing]:
        """What a mention stands for: assessments where it names some, else the skill."""
        here = self.on_list(mention, standing)
        if here or mention.kind is Kind.NAME:
            return [*(here or self.best(mention, standing, text))]
        return [SkillId(mention.ids[0])]

    def by_words(self, part: str, pool: Sequence[AssessmentId]) -> list[AssessmentId]:
        """The items of `pool` that a piece of text names by words that are theirs alone."""
        said = set(words(part)) - _COMMON_WORDS
        owners: dict[str, list[AssessmentId]] = {}
        for id_ in pool:
            for word in set(words(self._catalog[id_].name)) - _COMMON_WORDS:
                owners.setdefault(word, []).append(id_)
        return list(dict.fromkeys(owners[word][0] for word in sorted(said) if len(owners.get(word, ())) == 1))

    def by_minutes(self, meant: list[Thing], reading: Reading) -> list[Thing]:
        """ "35 minutes for Word is too much": of several, the one that takes that long."""
        stated = {int(number) for number in _MINUTES.findall(reading.text.folded)}
        fitting: list[Thing] = [m for m in meant if m in self._catalog and self._catalog[m].minutes in stated]
        return fitting if len(fitting) == 1 else meant

    def narrowed(self, reading: Reading, standing: Ids) -> dict[Mention, Mention]:
        """ "The Selenium coding exercise": neighbours that share one item on the list both mean that item."""
        found: dict[Mention, Mention] = {}
        named = [m for m in reading.mentions if m.kind is not Kind.ROLE]
        for first, second in pairwise(named) if standing else ():
            gap = reading.text.folded[first.end : second.start].strip()
            if gap not in ("", "'s", "–"):
                continue
            shared = [id_ for id_ in self.on_list(first, standing) if id_ in self.on_list(second, standing)]
            for mention in (first, second) if shared else ():
                found[mention] = replace(mention, kind=Kind.NAME, ids=tuple(shared))
        return found


def positions(value: str, standing: Ids) -> list[AssessmentId]:
    """Items that a position word means: "3", "last", "first_two", "all"."""
    if value.isdigit():
        return list(standing[int(value) - 1 : int(value)])
    counts = {"last": slice(-1, None), "first_two": slice(2), "first_three": slice(3),
              "last_two": slice(-2, None), "last_three": slice(-3, None), "all": slice(None)}  # fmt: skip
    return list(standing[counts[value]]) if value in counts else []


def _is_of_kind(types: set[TestType], wanted: frozenset[TestType]) -> bool:
    """Whether a test is of a kind; an interactive ability test is no simulation of work."""
    return bool(types & wanted) and (TestType.ABILITY not in types or TestType.ABILITY in wanted)
