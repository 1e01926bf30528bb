"""What one message does to the list that stands: add, drop, replace, keep, choose, accept.

The last word wins: a later mention of the same thing in a message overrides an earlier one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from app.catalog import AssessmentId, Catalog, TestType
from app.knowledge import FamilyId, Knowledge, SkillId
from app.records import Edits, Weight
from app.understanding.mentions import Kind, Mention, Mode
from app.understanding.reading import Reading
from app.understanding.sentences import Sentence, SentenceKind
from app.understanding.text import words

Ids = tuple[AssessmentId, ...]


@dataclass(frozen=True, slots=True)
class MessageEdits:
    """What one message does, against the list that stood before it."""

    record: Edits = Edits()
    wanted_skills: tuple[tuple[SkillId, Weight | None, bool], ...] = ()
    unwanted_skills: tuple[SkillId, ...] = ()
    undone_drops: Ids = ()
    named: Ids = ()
    compared: Ids = ()
    """What it asks to compare, or asks about."""
    compares: bool = False
    asks_about_items: bool = False
    advice_on: tuple[AssessmentId | SkillId, ...] = ()
    topic: tuple[AssessmentId | SkillId, ...] = ()
    """What "it" or "both" would mean in the next message."""
    accepts: bool = False
    rejects: bool = False
    refines: bool = False
    """Brings facts that may change the list without naming an edit."""

    @property
    def changes(self) -> bool:
        """Whether the list may be another afterwards."""
        return bool(self.record) or self.refines or self.rejects

    @property
    def asks_only(self) -> bool:
        """Whether it only asks."""
        return (self.compares or self.asks_about_items) and not self.changes and not self.wanted_skills


@dataclass(slots=True)
class _Draft:
    """Edits while the message is walked."""

    add: list[AssessmentId] = field(default_factory=list)
    add_skills: list[SkillId] = field(default_factory=list)
    drop: list[AssessmentId] = field(default_factory=list)
    replace: list[AssessmentId] = field(default_factory=list)
    only: list[AssessmentId] = field(default_factory=list)
    keep: list[AssessmentId] = field(default_factory=list)
    wanted: list[tuple[SkillId, Weight | None, bool]] = field(default_factory=list)
    unwanted: list[SkillId] = field(default_factory=list)
    chosen: list[AssessmentId] = field(default_factory=list)
    asked: list[AssessmentId] = field(default_factory=list)
    advice: list[AssessmentId | SkillId] = field(default_factory=list)
    topic: list[AssessmentId | SkillId] = field(default_factory=list)
    liked: list[AssessmentId] = field(default_factory=list)
    """What the message names without wanting it away."""


class EditReader:
    """Reads edits by resolving what is named against the standing list."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge) -> None:
        self._catalog = catalog
        self._knowledge = knowledge

    def read(
        self,
        reading: Reading,
        standing: Ids,
        previous_list: Ids = (),
        compared: Ids = (),
        topic: tuple[AssessmentId | SkillId, ...] = (),
    ) -> MessageEdits:
        """What `reading` does to `standing`.

        Args:
            reading: the message.
            standing: the list before it.
            previous_list: the list before that one.
            compared: what an open comparison is about.
            topic: what the message before was about.
        """
        draft = _Draft()
        quiet = _is_quiet(reading)
        narrowed = self._narrowed(reading, standing)
        for mention in reading.mentions:
            if mention.kind is not Kind.ROLE:
                self._mention(draft, narrowed.get(mention, mention), reading, standing, quiet)
        if standing:
            self._by_pronoun(draft, reading, standing, topic)
            self._by_position(draft, reading, standing)
            self._by_fragment(draft, reading, standing)
            self._choice(draft, reading, standing, compared)
            self._selection(draft, reading, standing)
        self._pronoun_replacement(draft, reading)
        undo = bool(standing) and reading.has("undo")
        record = Edits(
            add=_unique(a for a in draft.add if a not in draft.drop),
            add_skills=tuple(dict.fromkeys(draft.add_skills)),
            drop=_unique(id_ for id_ in draft.drop if id_ not in draft.liked),
            replace=_unique(draft.replace),
            shorter=bool(draft.replace) and reading.has("shorter"),
            only=_unique(draft.only),
            add_families=self._further_roles(reading, standing),
            keep=_unique(draft.keep),
            undo=undo,
            restart=reading.has("restart"),
        )
        return self._finish(draft, record, reading, standing, previous_list, undo)

    def _finish(
        self, draft: _Draft, record: Edits, reading: Reading, standing: Ids, previous_list: Ids, undo: bool
    ) -> MessageEdits:
        asks = any(s.kind is SentenceKind.QUESTION for s in reading.sentences)
        advises = any(s.kind is SentenceKind.ADVICE for s in reading.sentences)
        compared = _unique(draft.asked) if asks or reading.has("compare") else ()
        offers = len(compared) > 1 and " or " in reading.text.folded
        compares = offers or (reading.has("compare") and bool(draft.asked or draft.chosen or standing))
        told_how = (
            bool(record)
            if not reading.has("reject", "yes")
            else bool(record.drop or record.only or record.replace)
        )
        rejects = bool(standing) and reading.has("reject") and not told_how
        touched = bool(record)
        accepts = not rejects and self._accepts(reading, touched, asks and not compares, draft)
        facts = ("seniority", "purpose", "language_lifted", "quick", "lead", "stack_side", "accent")
        limits = reading.limits
        has_limits = any(
            (limits.minutes_each, limits.minutes_total, limits.list_size, limits.adaptive is not None)
        )
        return MessageEdits(
            record=record,
            wanted_skills=tuple(draft.wanted),
            unwanted_skills=tuple(dict.fromkeys(draft.unwanted)),
            undone_drops=tuple(set(previous_list) - set(standing)) if undo else (),
            named=_unique(
                id_ for m in reading.mentions if m.kind is Kind.NAME for id_ in self._resolve(m, standing)[:1]
            ),
            compared=compared,
            compares=compares and len(compared) > 1,
            asks_about_items=asks and bool(draft.asked or reading.has("about")),
            advice_on=tuple(dict.fromkeys(draft.advice)),
            topic=tuple(
                dict.fromkeys(
                    [*draft.advice, *draft.topic, *draft.replace, *draft.drop, *draft.keep, *draft.add]
                )
            ),
            accepts=accepts,
            rejects=rejects,
            refines=bool(standing)
            and not (asks or advises)
            and (
                has_limits
                or bool(reading.languages)
                or any(reading.has(group) for group in facts)
                or bool(draft.wanted)
            ),
        )

    # --- mentions -------------------------------------------------------------------------------

    def _mention(self, draft: _Draft, mention: Mention, reading: Reading, standing: Ids, quiet: bool) -> None:
        mode = mention.mode
        sentence = reading.sentence_of(mention.start)
        if mode is Mode.IGNORED:
            return
        if mode is Mode.ASK:
            self._asked(draft, mention, standing, reading)
        elif mode is Mode.ADVICE:
            self._advice(draft, mention, reading, standing)
        elif mode in (Mode.DROP, Mode.NOT):
            self._unwant(draft, mention, standing)
        elif mode is Mode.REPLACE:
            draft.replace += (
                self._on_list(mention, standing, loose=True) or self._resolve(mention, standing)[:1]
            )
        elif mode is Mode.KEEP:
            self._keep(draft, mention, standing)
        elif mode is Mode.ONLY and standing:
            self._only(draft, mention, standing)
        elif standing and mode is not Mode.ADD:
            self._passing(draft, mention, standing, quiet, sentence)
        else:
            self._want(draft, mention, standing)

    def _want(self, draft: _Draft, mention: Mention, standing: Ids) -> None:
        if mention.kind is Kind.NAME:
            draft.add += [id_ for id_ in self._resolve(mention, standing)[:1] if id_ not in standing]
            draft.liked += self._resolve(mention, standing)[:1]
            return
        skill = SkillId(mention.ids[0])
        draft.wanted.append((skill, mention.weight, mention.typo))
        if skill in draft.unwanted:
            draft.unwanted.remove(skill)
        covered = [id_ for id_ in standing if id_ in self._knowledge.skills[skill].tests]
        draft.liked += covered
        if standing and mention.mode is Mode.ADD and not covered:
            draft.add_skills.append(skill)

    def _unwant(self, draft: _Draft, mention: Mention, standing: Ids) -> None:
        on_list = self._on_list(mention, standing, loose=True)
        if mention.kind is Kind.NAME:
            draft.drop += on_list or mention_ids(mention)
        else:
            skill = SkillId(mention.ids[0])
            draft.unwanted.append(skill)
            draft.wanted = [wish for wish in draft.wanted if wish[0] != skill]
            draft.drop += on_list
        draft.add = [a for a in draft.add if a not in draft.drop]

    def _keep(self, draft: _Draft, mention: Mention, standing: Ids) -> None:
        on_list = self._on_list(mention, standing)
        draft.keep += on_list
        draft.drop = [a for a in draft.drop if a not in on_list]
        if not on_list:
            self._want(draft, mention, standing)
            if mention.kind is Kind.SKILL and standing:
                draft.add_skills.append(SkillId(mention.ids[0]))

    def _only(self, draft: _Draft, mention: Mention, standing: Ids) -> None:
        on_list = self._on_list(mention, standing)
        named = self._resolve(mention, standing)[:1]
        draft.only += on_list or named

    def _passing(
        self, draft: _Draft, mention: Mention, standing: Ids, quiet: bool, sentence: Sentence | None
    ) -> None:
        """Named beside a standing list without an edit: a choice, or a new fact if nothing else is said."""
        on_list = self._on_list(mention, standing)
        draft.chosen += on_list
        draft.liked += on_list if mention.mode is Mode.CHOOSE else []
        if mention.mode is Mode.CHOOSE and not on_list:
            self._want(draft, replace(mention, mode=Mode.ADD), standing)
        elif quiet and on_list and mention.kind is Kind.SKILL:
            draft.wanted.append((SkillId(mention.ids[0]), mention.weight, mention.typo))
        elif quiet and (sentence is None or sentence.kind is not SentenceKind.QUESTION):
            self._want(draft, mention, standing)
            if mention.kind is Kind.SKILL:
                draft.add_skills.append(SkillId(mention.ids[0]))

    def _asked(self, draft: _Draft, mention: Mention, standing: Ids, reading: Reading) -> None:
        on_list = self._on_list(mention, standing)
        draft.asked += on_list or self._resolve(mention, standing)[:1]
        draft.topic += self._meant(mention, standing)
        if not standing and mention.kind is Kind.SKILL and not reading.has("compare"):
            draft.wanted.append((SkillId(mention.ids[0]), mention.weight, mention.typo))

    def _advice(self, draft: _Draft, mention: Mention, reading: Reading, standing: Ids) -> None:
        named = self._resolve(mention, standing)[:1]
        draft.advice += named if mention.kind is Kind.NAME else [SkillId(mention.ids[0])]
        if reading.has("go_ahead") or not standing:
            self._want(draft, mention, standing)
            if standing and mention.kind is Kind.SKILL:
                draft.add_skills.append(SkillId(mention.ids[0]))

    def _meant(self, mention: Mention, standing: Ids) -> list[AssessmentId | SkillId]:
        """What a mention stands for: assessments where it names some, else the skill."""
        on_list = self._on_list(mention, standing)
        if on_list or mention.kind is Kind.NAME:
            return [*(on_list or self._resolve(mention, standing)[:1])]
        return [SkillId(mention.ids[0])]

    # --- resolving ------------------------------------------------------------------------------

    def _resolve(self, mention: Mention, standing: Ids) -> list[AssessmentId]:
        """Ids a mention may mean, those on the list first."""
        if mention.kind is Kind.NAME:
            ids = [AssessmentId(id_) for id_ in mention.ids]
            return [id_ for id_ in ids if id_ in standing] + [id_ for id_ in ids if id_ not in standing]
        return list(self._knowledge.skills[SkillId(mention.ids[0])].tests)

    def _on_list(self, mention: Mention, standing: Ids, *, loose: bool = False) -> list[AssessmentId]:
        """What a mention means on the standing list; `loose`: also what gives the same kind of evidence."""
        if mention.kind is Kind.NAME:
            exact = [AssessmentId(id_) for id_ in mention.ids if id_ in standing]
            return exact or [
                id_
                for id_ in standing
                if self._family(id_) in {self._family(AssessmentId(m)) for m in mention.ids}
            ]
        skill = self._knowledge.skills[SkillId(mention.ids[0])]
        by_test = [id_ for id_ in standing if id_ in skill.tests]
        if by_test or skill.kind == "behaviour":
            return by_test
        if skill.types:
            return [id_ for id_ in standing if _is_of_kind(set(self._catalog[id_].types), skill.types)]
        if loose and skill.kind == "measure":
            kinds = {
                skill.id,
                *(self._knowledge.entries[skill.tests[0]].evidence if skill.tests else ()),
            } - _BROAD
            return [id_ for id_ in standing if kinds & self._knowledge.entries[id_].evidence]
        return [id_ for id_ in standing if id_ in skill.nearest]

    def _narrowed(self, reading: Reading, standing: Ids) -> dict[Mention, Mention]:
        """ "The Selenium coding exercise": neighbours that share one item on the list both mean that item."""
        found: dict[Mention, Mention] = {}
        named = [m for m in reading.mentions if m.kind is not Kind.ROLE]
        for first, second in pairwise(named) if standing else ():
            gap = reading.text.folded[first.end : second.start]
            if gap.strip() and gap.strip() not in ("-", "'s"):
                continue
            shared = [id_ for id_ in self._on_list(first, standing) if id_ in self._on_list(second, standing)]
            if shared:
                for mention in (first, second):
                    found[mention] = replace(mention, kind=Kind.NAME, ids=tuple(shared))
        return found

    def _family(self, assessment_id: AssessmentId) -> str:
        return self._knowledge.entries[assessment_id].family

    # --- references without a name --------------------------------------------------------------

    def _by_pronoun(
        self, draft: _Draft, reading: Reading, standing: Ids, topic: tuple[AssessmentId | SkillId, ...]
    ) -> None:
        """ "Add it", "use both", "drop that": what this message named before, else what the last one was about."""
        for match in reading.cues:
            verb = next((value for group, value in match.value if group == "verb"), None)
            sentence = reading.sentence_of(match.start)
            if verb is None or verb == "not" or sentence is None or sentence.kind in _ASKING:
                continue
            points = _POINTING.match(reading.text.folded[match.end : sentence.end])
            if not points and not _PRONOUNS & set(match.form.split()):
                continue
            if any(
                match.end <= m.start < match.end + 40 and m.start < sentence.end for m in reading.mentions
            ):
                continue
            narrowed = self._narrowed(reading, standing)
            before = [m for m in reading.mentions if m.end <= match.start and m.kind is not Kind.ROLE]
            if topic and verb in ("drop", "replace") and before and before[-1].start >= sentence.start:
                before = []  # "selling is the job, so drop that one": that one was asked about before
            meant = self._meant(narrowed.get(before[-1], before[-1]), standing) if before else list(topic)
            self._point(draft, verb, meant, standing)

    def _point(self, draft: _Draft, verb: str, meant: list[AssessmentId | SkillId], standing: Ids) -> None:
        ids = [AssessmentId(m) for m in meant if m in self._catalog]
        skills = [SkillId(m) for m in meant if m not in self._catalog]
        if verb in ("add", "choose"):
            draft.add += [id_ for id_ in ids if id_ not in standing]
            draft.add_skills += skills
            draft.wanted += [(skill, None, False) for skill in skills]
        elif verb == "drop":
            draft.drop += [id_ for id_ in ids if id_ in standing]
        elif verb == "replace":
            draft.replace += [id_ for id_ in ids if id_ in standing]
        elif verb == "keep":
            draft.keep += [id_ for id_ in ids if id_ in standing]

    def _by_position(self, draft: _Draft, reading: Reading, standing: Ids) -> None:
        """ "Drop the second one"."""
        for match in reading.cues:
            for group, value in match.value:
                if group != "all":
                    continue
                verb = _verb_before(reading, match.start)
                targets = _positions(value, standing)
                if verb == "drop":
                    draft.drop += targets
                elif verb == "replace":
                    draft.replace += targets
                elif verb == "keep":
                    draft.keep += targets

    def _by_fragment(self, draft: _Draft, reading: Reading, standing: Ids) -> None:
        """ "Drop the 8.0", "remove the phone one": a piece of a name that only one item on the list has."""
        if draft.drop or draft.replace or draft.only or draft.add or draft.add_skills:
            return
        for match in reading.cues:
            for group, value in match.value:
                if group == "verb" and value in ("drop", "replace", "keep"):
                    sentence = reading.sentence_of(match.start)
                    if sentence is None or sentence.kind in _ASKING:
                        continue
                    target = self._by_words(reading.text.folded[match.end : sentence.end], standing)
                    getattr(draft, value).extend(target)

    def _by_words(self, part: str, pool: Ids) -> list[AssessmentId]:
        """The items of `pool` that a piece of text names by words that are theirs alone."""
        said = set(words(part)) - _COMMON
        owners: dict[str, list[AssessmentId]] = {}
        for id_ in pool:
            for word in set(words(self._catalog[id_].name)) - _COMMON:
                owners.setdefault(word, []).append(id_)
        return list(dict.fromkeys(owners[word][0] for word in sorted(said) if len(owners.get(word, ())) == 1))

    def _choice(self, draft: _Draft, reading: Reading, standing: Ids, compared: Ids) -> None:
        """Choosing one of two compared items drops the other; staging both keeps both."""
        on_list = tuple(id_ for id_ in compared if id_ in standing)
        if (
            len(on_list) < 2
            or set(draft.drop) & set(on_list)
            or draft.only
            or reading.has("staging")
            or _says_both(reading)
        ):
            return
        picks = ("verb", "choose"), ("verb", "keep"), ("question", "request")
        if not (any(reading.has(*cue) for cue in picks) or reading.has("accept_strong")):
            return
        if any(s.kind is SentenceKind.QUESTION for s in reading.sentences):
            return
        chosen = [id_ for id_ in (*draft.chosen, *draft.keep, *draft.add) if id_ in on_list]
        chosen = chosen or [id_ for id_ in self._by_words(reading.text.folded, on_list)]
        if chosen and set(chosen) != set(on_list):
            draft.drop += [id_ for id_ in on_list if id_ not in chosen]
            draft.add = [id_ for id_ in draft.add if id_ not in on_list]

    def _further_roles(self, reading: Reading, standing: Ids) -> tuple[FamilyId, ...]:
        """ "Two cooks join as well": another job for the same list."""
        if not standing or reading.has("correction"):
            return ()
        adding = [reading.sentence_of(c.start) for c in reading.cues if {("verb", "add"), ("after", "add")} & set(c.value)]
        roles = [
            m for m in reading.mentions
            if m.kind is Kind.ROLE and m.mode in (Mode.WANT, Mode.ADD) and reading.sentence_of(m.start) in adding
        ]  # fmt: skip
        ids = [FamilyId(m.ids[0]) for m in roles]
        return tuple(dict.fromkeys(id_ for id_ in ids if not self._knowledge.families[id_].generic))

    def _selection(self, draft: _Draft, reading: Reading, standing: Ids) -> None:
        """ "Go with A and B": two or more picked from the list are the list."""
        if (
            draft.only
            or draft.add
            or reading.has("staging")
            or any(s.kind in _ASKING for s in reading.sentences)
        ):
            return
        picked = [
            id_ for m in reading.mentions if m.mode is Mode.CHOOSE and m.kind is not Kind.ROLE
            for id_ in self._on_list(m, standing)
        ]  # fmt: skip
        if len(set(picked)) > 1:
            verbs = [c.end for c in reading.cues if ("verb", "choose") in c.value]
            sentence = reading.sentence_of(verbs[-1] - 1)
            more = self._by_words(reading.text.folded[verbs[-1] : sentence.end], standing) if sentence else []
            draft.only = [*picked, *more]

    def _pronoun_replacement(self, draft: _Draft, reading: Reading) -> None:
        """ "Remove X and replace it with something shorter": X is to be replaced, not just dropped."""
        replaces = reading.has("verb", "replace") and _PRONOUN.search(reading.text.folded)
        if replaces and draft.drop and not draft.add and not draft.add_skills and not draft.replace:
            draft.replace, draft.drop = draft.drop, []
        draft.add_skills = [s for s in draft.add_skills if not self._same_again(s, draft.replace)]
        if draft.replace and (draft.add or draft.add_skills):
            draft.drop += [id_ for id_ in draft.replace if id_ not in draft.add]
            draft.replace = []

    def _same_again(self, skill: SkillId, replaced: list[AssessmentId]) -> bool:
        """ "Swap the OPQ for a quicker personality test" names no other test, only the same kind again."""
        return any(id_ in self._knowledge.skills[skill].tests[:1] for id_ in replaced)

    # --- acceptance -----------------------------------------------------------------------------

    def _accepts(self, reading: Reading, edited: bool, asks: bool, draft: _Draft) -> bool:
        if _has_strong(reading) or draft.only:
            return not asks or not _last_is_question(reading)
        if edited or asks or draft.advice or draft.wanted:
            return False
        return _has_weak(reading) and not _says_more(reading)


def _is_of_kind(types: set[TestType], wanted: frozenset[TestType]) -> bool:
    """Whether a test is of a kind; an interactive ability test is no simulation of work."""
    return bool(types & wanted) and (TestType.ABILITY not in types or TestType.ABILITY in wanted)


def mention_ids(mention: Mention) -> list[AssessmentId]:
    """All ids a name may mean: ruling out an ambiguous name rules out every reading of it."""
    return [AssessmentId(id_) for id_ in mention.ids]


_BROAD = frozenset(
    [
        "knowledge",
        "leading",
        "supporting",
        "interacting",
        "analysing",
        "creating",
        "organising",
        "adapting",
        "enterprising",
        "personality",
    ]
)
"""Evidence that too many assessments give to tell which one is meant."""
_ASKING = (SentenceKind.QUESTION, SentenceKind.ADVICE)
_PRONOUNS = frozenset({"it", "that", "them"})
_POINTING = re.compile(
    r"^\s*(?:also\s+)?(?:it|that|this|them|these|those|both|the (?:test|exercise|quiz|simulation|report|one))"
    r"(?:\s+(?:one|two|of them))?(?=\s*(?:$|[,.;!?\n]|for\b|with\b|then\b|in\b|out\b|too\b|please\b|and\b|but\b|as\b|again\b|instead\b|entirely\b))"
)
_PRONOUN = re.compile(
    r"\b(?:replace|replacing|swap|switch|substitute|exchange)\s+(?:it|that|this|them|those|one)\b"
)
_COMMON = frozenset(
    [
        "new",
        "the",
        "and",
        "of",
        "for",
        "with",
        "in",
        "a",
        "an",
        "test",
        "tests",
        "report",
        "solution",
        "simulation",
        "assessment",
        "us",
        "u.s",
        "shl",
        "verify",
        "interactive",
        "general",
        "spoken",
        "english",
        "first",
        "last",
        "only",
        "one",
        "ones",
        "list",
        "final",
        "drop",
        "remove",
        "keep",
        "out",
        "it",
        "is",
        "level",
        "programming",
    ]
)


def _unique(ids: Iterable[AssessmentId]) -> Ids:
    return tuple(dict.fromkeys(ids))


def _is_quiet(reading: Reading) -> bool:
    """Whether the message holds no edit, question or acceptance, so that what it names is a new fact."""
    verbs = {"drop", "replace", "keep", "only", "choose", "add"}
    if any(v in verbs for v in reading.values("verb")) or _has_strong(reading) or reading.has("staging"):
        return False
    return not any(s.kind in (SentenceKind.QUESTION, SentenceKind.ADVICE) for s in reading.sentences)


def _verb_before(reading: Reading, position: int) -> str | None:
    verbs = [
        (match.start, value) for match in reading.cues for group, value in match.value
        if group == "verb" and match.start < position
    ]  # fmt: skip
    return max(verbs)[1] if verbs else None


def _positions(value: str, standing: Ids) -> list[AssessmentId]:
    if value.isdigit():
        return list(standing[int(value) - 1 : int(value)])
    if value == "last":
        return list(standing[-1:])
    return list(standing) if value == "all" else []


def _says_both(reading: Reading) -> bool:
    return (
        reading.has("all", "both") or reading.has("all", "all") or reading.has("accept_strong", "keep_list")
    )


def _has_strong(reading: Reading) -> bool:
    return any(
        group == "accept_strong" and _is_stated(reading, match.start)
        for match in reading.cues
        for group, _ in match.value
    )


_DENIED = re.compile(r"\b(?:not|don't|dont|before we|can't|cannot|isn't|until|unless|if)\s+(?:\w+\s+)?$")


def _is_stated(reading: Reading, position: int) -> bool:
    sentence = reading.sentence_of(position)
    if sentence is None or sentence.kind in (SentenceKind.QUESTION, SentenceKind.ADVICE):
        return False
    return _DENIED.search(reading.text.folded[max(0, position - 24) : position]) is None


_BEFORE_WEAK = re.compile(
    r"(?:^|[.!?;,\n:]\s*|– |\b(?:and|but|well|so|yes|ok|okay|great|perfect|it's|its|all|very|really|looks)\s+)$"
)
_AFTER_WEAK = re.compile(
    r"^\s*(?:$|[.!?;,\n:)]|– |and\b|for (?:me|us|now)\b|from (?:my|our) (?:side|end)\b|by (?:me|us)\b|here\b|indeed\b|with (?:that|this|it|me|us)\b|to me\b|then\b|so\b|thanks\b|thank\b|now\b)"
)


def _has_weak(reading: Reading) -> bool:
    folded = reading.text.folded
    for match in reading.cues:
        if ("accept_weak", "yes") not in match.value or not _is_stated(reading, match.start):
            continue
        if _BEFORE_WEAK.search(folded[: match.start]) and _AFTER_WEAK.match(folded[match.end :]):
            return True
    return False


EXTRA_WORDS = 5
"""So many words beside the friendly ones are small talk ("that works for us, many thanks to you all")."""
_FRIENDLY = frozenset({"accept_weak", "accept_strong", "greeting"})


def _says_more(reading: Reading) -> bool:
    """Whether a sentence beside the friendly word says something of its own ("Ok. It has to be hands-on")."""
    extra = 0
    for sentence in reading.sentences:
        inside = [c for c in reading.cues if sentence.start <= c.start < sentence.end]
        groups = {group for cue in inside for group, _ in cue.value}
        if groups & {"staging", "next_step", "no_preference", "go_ahead"}:
            continue
        said = sum(len(c.form.split()) for c in inside if {g for g, _ in c.value} & _FRIENDLY)
        extra += max(0, len(reading.text.folded[sentence.start : sentence.end].split()) - said)
    return extra > EXTRA_WORDS


def _last_is_question(reading: Reading) -> bool:
    return bool(reading.sentences) and reading.sentences[-1].kind is SentenceKind.QUESTION
