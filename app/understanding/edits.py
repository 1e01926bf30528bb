"""What one message does to the list that stands: add, drop, replace, keep, choose, accept.

The last word wins: a later mention of the same thing in a message overrides an earlier one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.catalog import AssessmentId, Catalog
from app.knowledge import FamilyId, Knowledge, SkillId
from app.records import Edits, Pitch, Weight
from app.understanding.acceptance import accepts_kindly, accepts_outright, ends_in_question
from app.understanding.edit_draft import Before, EditDraft, is_quiet, is_told, unique, verbs_of, verdict_after
from app.understanding.mentions import Kind, Mention, Mode
from app.understanding.reading import Reading
from app.understanding.references import Ids, Resolver, Thing
from app.understanding.sentences import ASKING, SentenceKind
from app.understanding.unnamed import UnnamedReader

_FACTS = ("seniority", "purpose", "language_lifted", "quick", "lead", "stack_side", "accent")
"""Cue groups that tell something of the people or the setting."""
_LISTED = re.compile(
    r"\b(?:this|that|these|those|it|its|it's|that's|they|they're|list|tests?|shortlist|selection|all|are|looks?|seems?)\b"
)
"""Words for what was listed, before what is said against it."""
_AND = re.compile(r"\s*(?:and|also|plus|y|et|und|e|aur)\b")
_REPLACE_IT = re.compile(
    r"\b(?:replace|replacing|swap|switch|substitute|exchange)\s+(?:it|that|this|them|those|one)\b"
)


@dataclass(frozen=True, slots=True)
class MessageEdits:
    """What one message does, against the list that stood before it."""

    record: Edits = Edits()
    wanted_skills: tuple[tuple[SkillId, Weight | None, bool], ...] = ()
    """Skill, weight if one was said, and whether a typo was corrected to find it."""
    unwanted_skills: tuple[SkillId, ...] = ()
    undone_drops: Ids = ()
    named: Ids = ()
    compared: Ids = ()
    """What it asks to compare, or asks about."""
    compares: bool = False
    asks_about_items: bool = False
    advice_on: tuple[Thing, ...] = ()
    topic: tuple[Thing, ...] = ()
    """What "it" or "both" would mean in the next message."""
    accepts: bool = False
    rejects: bool = False
    pitch: Pitch | None = None
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


class EditReader:
    """Reads edits by resolving what is named against the standing list."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge) -> None:
        self._catalog = catalog
        self._knowledge = knowledge
        self._resolver = Resolver(catalog, knowledge)
        self._unnamed = UnnamedReader(catalog, self._resolver)

    def read(self, reading: Reading, before: Before) -> MessageEdits:
        """What `reading` does to the list that stood before it."""
        draft = EditDraft(reading, before, quiet=is_quiet(reading))
        narrowed = self._resolver.narrowed(reading, before.standing)
        for mention in reading.mentions:
            if mention.kind is not Kind.ROLE:
                self._mention(draft, narrowed.get(mention, mention))
        if before.standing:
            self._unnamed.read(draft, narrowed)
            self._choice(draft)
            self._selection(draft)
            self._instead(draft)
            self._rest_goes(draft)
            self._renew(draft)
        self._replacement(draft)
        return self._result(draft)

    def _result(self, draft: EditDraft) -> MessageEdits:
        reading, standing = draft.reading, draft.standing
        undo = bool(standing or draft.before.previous_list) and reading.has("undo")
        record = Edits(
            add=unique(a for a in draft.add if a not in draft.drop),
            add_skills=tuple(dict.fromkeys(draft.add_skills)),
            drop=unique(id_ for id_ in draft.drop if id_ not in draft.liked),
            replace=unique(draft.replace),
            shorter=bool(draft.replace) and reading.has("shorter"),
            only=unique(id_ for id_ in draft.only if id_ not in draft.drop),
            add_families=self._further_roles(draft),
            keep=unique(draft.keep),
            undo=undo,
            restart=reading.has("restart"),
        )
        asks = any(s.kind is SentenceKind.QUESTION for s in reading.sentences)
        compared = unique(draft.asked) if asks or reading.has("compare") else ()
        offers = len(compared) > 1 and " or " in draft.text
        compares = offers or (reading.has("compare") and bool(draft.asked or draft.chosen or standing))
        rejects = _rejects(draft, record)
        pitch = None if rejects or record else _pitch(draft)
        facts = _brings_facts(reading) or bool(draft.wanted) or pitch is not None
        refines = bool(standing) and facts and not any(s.kind in ASKING for s in reading.sentences)
        return MessageEdits(
            record=record,
            wanted_skills=tuple(draft.wanted),
            unwanted_skills=tuple(dict.fromkeys(draft.unwanted)),
            undone_drops=tuple(set(draft.before.previous_list) - set(standing)) if undo else (),
            named=unique(
                id_
                for m in reading.mentions
                if m.kind is Kind.NAME
                for id_ in self._resolver.best(m, standing)
            ),
            compared=compared,
            compares=compares and len(compared) > 1,
            asks_about_items=asks and bool(draft.asked or reading.has("about")),
            advice_on=tuple(dict.fromkeys(draft.advice)),
            topic=_topic(draft),
            accepts=not rejects and _accepts(draft, record, asks and not compares, facts),
            rejects=rejects,
            pitch=pitch,
            refines=refines,
        )

    # --- mentions -------------------------------------------------------------------------------

    def _mention(self, draft: EditDraft, mention: Mention) -> None:
        match mention.mode:
            case Mode.IGNORED:
                return
            case Mode.ASK:
                self._asked(draft, mention)
            case Mode.ADVICE:
                self._advice(draft, mention)
            case Mode.DROP | Mode.NOT:
                self._unwant(draft, mention)
            case Mode.REPLACE:
                here = self._resolver.on_list(mention, draft.standing, loose=True)
                draft.replace += here or self._resolver.best(mention, draft.standing)
            case Mode.KEEP:
                self._keep(draft, mention)
            case Mode.ONLY if draft.standing:
                here = self._resolver.on_list(mention, draft.standing)
                draft.only += here or self._resolver.best(mention, draft.standing, draft.text)
            case Mode.ADD:
                self._want(draft, mention)
            case _ if draft.standing:
                self._passing(draft, mention)
            case _:
                self._want(draft, mention)

    def _want(self, draft: EditDraft, mention: Mention) -> None:
        standing = draft.standing
        if mention.kind is Kind.NAME:
            best = self._resolver.best(mention, standing, draft.text)
            new = [id_ for id_ in best if id_ not in standing]
            draft.add += [*new, *self._reports_back(new, draft.before)]
            draft.liked += best
            return
        skill = SkillId(mention.ids[0])
        draft.wanted.append((skill, mention.weight, mention.typo))
        if skill in draft.unwanted:
            draft.unwanted.remove(skill)
        owned = self._resolver.owned(skill, standing)
        draft.liked += owned
        if standing and not owned:
            draft.add_skills.append(skill)

    def _reports_back(self, added: list[AssessmentId], before: Before) -> list[AssessmentId]:
        """An instrument that comes back brings the reports that went with it."""
        back = [id_ for id_ in added if id_ in before.previous_list]
        return [
            id_
            for id_ in before.previous_list
            if id_ not in before.standing and set(self._knowledge.entries[id_].instruments) & set(back)
        ]

    def _rest_goes(self, draft: EditDraft) -> None:
        """ "A and B, the rest can go": the list is what was named."""
        rest = [c for c in draft.reading.cues if ("all", "rest") in c.value]
        if draft.reading.has("staging"):
            return
        if rest and not draft.only and verdict_after(draft.reading, rest[-1].start) == "drop":
            liked = [id_ for id_ in draft.liked if id_ in draft.standing]
            draft.only = [*draft.chosen, *draft.keep, *liked]

    def _renew(self, draft: EditDraft) -> None:
        """ "I said Angular, not AngularJS": what is wanted needs a new test when its old one goes."""
        for skill, _, _ in draft.wanted:
            covering = [id_ for id_ in draft.standing if id_ in self._knowledge.skills[skill].tests]
            if covering and set(covering) <= set(draft.drop) and skill not in draft.unwanted:
                draft.add_skills.append(skill)

    def _unwant(self, draft: EditDraft, mention: Mention) -> None:
        here = self._resolver.on_list(mention, draft.standing, loose=True)
        if mention.kind is Kind.NAME:
            draft.drop += here or [AssessmentId(id_) for id_ in mention.ids]
        else:
            skill = SkillId(mention.ids[0])
            draft.unwanted.append(skill)
            draft.wanted = [wish for wish in draft.wanted if wish[0] != skill]
            if self._knowledge.skills[skill].kind != "behaviour":
                draft.drop += here
        draft.add = [a for a in draft.add if a not in draft.drop]

    def _keep(self, draft: EditDraft, mention: Mention) -> None:
        here = self._resolver.on_list(mention, draft.standing)
        draft.keep += here
        draft.drop = [a for a in draft.drop if a not in here]
        if not here:
            self._want(draft, mention)

    def _passing(self, draft: EditDraft, mention: Mention) -> None:
        """Named beside a standing list without an edit: a choice, or a new fact if nothing else is said."""
        here = self._resolver.on_list(mention, draft.standing)
        draft.chosen += here
        if mention.mode is Mode.CHOOSE:
            draft.liked += here
        if here:
            if (draft.quiet or draft.reading.has("reject")) and mention.kind is Kind.SKILL:
                draft.wanted.append((SkillId(mention.ids[0]), mention.weight, mention.typo))
        elif mention.mode is Mode.CHOOSE or draft.quiet or _goes_on(draft.reading, mention.start):
            self._want(draft, mention)

    def _asked(self, draft: EditDraft, mention: Mention) -> None:
        here = self._resolver.on_list(mention, draft.standing)
        draft.asked += here or self._resolver.best(mention, draft.standing, draft.text)
        draft.topic += self._resolver.meant(mention, draft.standing, draft.text)
        if not draft.standing and mention.kind is Kind.SKILL and not draft.reading.has("compare"):
            draft.wanted.append((SkillId(mention.ids[0]), mention.weight, mention.typo))

    def _advice(self, draft: EditDraft, mention: Mention) -> None:
        draft.advice += self._resolver.meant(mention, (), draft.text)
        if draft.reading.has("go_ahead") or not draft.standing:
            self._want(draft, mention)

    def _choice(self, draft: EditDraft) -> None:
        """Choosing one of two compared items drops the other; staging both keeps both."""
        reading = draft.reading
        rivals = [id_ for id_ in draft.before.compared if id_ in draft.standing]
        if len(rivals) < 2 or set(draft.drop) & set(rivals) or draft.only or reading.has("staging"):
            return
        picks = ("verb", "choose"), ("verb", "keep"), ("question", "request")
        if not any(reading.has(*cue) for cue in picks) and not reading.has("accept_strong"):
            return
        if _says_both(reading) or any(s.kind is SentenceKind.QUESTION for s in reading.sentences):
            return
        chosen = [id_ for id_ in (*draft.chosen, *draft.keep, *draft.add) if id_ in rivals]
        chosen = chosen or self._resolver.by_words(draft.text, rivals)
        if chosen and set(chosen) != set(rivals):
            draft.drop += [id_ for id_ in rivals if id_ not in chosen]

    def _selection(self, draft: EditDraft) -> None:
        """ "Go with A and B": two or more picked from the list are the list."""
        reading = draft.reading
        if draft.only or draft.add or draft.add_skills or reading.has("staging"):
            return
        if any(s.kind in ASKING for s in reading.sentences):
            return
        picked = [
            id_ for m in reading.mentions if m.mode is Mode.CHOOSE and m.kind is not Kind.ROLE
            for id_ in self._resolver.on_list(m, draft.standing)
        ]  # fmt: skip
        if len(set(picked)) < 2:
            return
        match, _, sentence = [found for found in verbs_of(reading) if found[1] == "choose"][-1]
        draft.only = [*picked, *self._resolver.by_words(draft.text[match.end : sentence.end], draft.standing)]
        draft.selected = True

    def _instead(self, draft: EditDraft) -> None:
        """ "You gave me A. Use B instead.": A, the one item of the list that is named beside, goes."""
        if not re.search(r"\b(?:instead\b(?! of)|rather)", draft.text) or not (draft.add or draft.add_skills):
            return
        families = {self._knowledge.entries[id_].family for id_ in draft.add}
        same = [id_ for id_ in draft.standing if self._knowledge.entries[id_].family in families]
        draft.drop += [id_ for id_ in same if id_ not in draft.liked]
        if draft.drop:
            return
        beside = unique(id_ for id_ in (*draft.chosen, *draft.asked) if id_ in draft.standing)
        if len(beside) == 1:
            draft.drop += beside

    def _replacement(self, draft: EditDraft) -> None:
        """Sort out what is replaced by what; "replace it with something shorter" names no substitute."""
        named = draft.add or draft.add_skills or draft.replace
        if (
            draft.drop
            and not named
            and draft.reading.has("verb", "replace")
            and _REPLACE_IT.search(draft.text)
        ):
            draft.replace, draft.drop = draft.drop, []
        same = [s for s in draft.add_skills if self._is_same_again(s, draft.replace)]
        draft.add_skills = [s for s in draft.add_skills if s not in same]
        there_already = set(draft.liked) - set(draft.replace) and not draft.reading.has("shorter")
        if draft.replace and (draft.add or draft.add_skills or there_already):
            draft.drop += [id_ for id_ in draft.replace if id_ not in draft.add]
            draft.replace = []

    def _is_same_again(self, skill: SkillId, replaced: list[AssessmentId]) -> bool:
        """ "Swap the OPQ for a quicker personality test" names no other test, only the same kind again."""
        return any(id_ in self._knowledge.skills[skill].tests[:1] for id_ in replaced)

    def _further_roles(self, draft: EditDraft) -> tuple[FamilyId, ...]:
        """ "Two cooks join as well": another job for the same list."""
        reading = draft.reading
        if not draft.standing or reading.has("correction") or reading.has("reject"):
            return ()
        adding = [reading.sentence_of(c.start) for c in reading.cues if ("verb", "add") in c.value]
        ids = [
            FamilyId(m.ids[0])
            for m in reading.mentions
            if m.kind is Kind.ROLE
            and (m.mode is Mode.ADD or (m.mode is Mode.WANT and reading.sentence_of(m.start) in adding))
        ]
        return tuple(dict.fromkeys(id_ for id_ in ids if not self._knowledge.families[id_].generic))


def _goes_on(reading: Reading, position: int) -> bool:
    """Whether the sentence adds to the one before ("And numerical reasoning")."""
    sentence = reading.sentence_of(position)
    return sentence is not None and _AND.match(reading.text.folded[sentence.start : sentence.end]) is not None


def _topic(draft: EditDraft) -> tuple[Thing, ...]:
    edited = [*draft.replace, *draft.drop, *draft.keep, *draft.add]
    return tuple(dict.fromkeys([*draft.advice, *draft.topic, *edited])) or draft.before.topic


def _brings_facts(reading: Reading) -> bool:
    limits = reading.limits
    stated = (limits.minutes_each, limits.minutes_total, limits.list_size, limits.adaptive, limits.remote)
    return (
        any(limit is not None for limit in stated)
        or bool(reading.languages)
        or any(reading.has(group) for group in _FACTS)
    )


def _rejects(draft: EditDraft, record: Edits) -> bool:
    """Turned down, without saying how to mend it."""
    if not draft.standing or not draft.reading.has("reject"):
        return False
    if draft.reading.has("reject", "yes"):
        return not (record.drop or record.only or record.replace)
    return not record and any(
        ("reject", "soft") in match.value and _is_about_list(draft.reading, match.start)
        for match in draft.reading.cues
    )


def _pitch(draft: EditDraft) -> Pitch | None:
    """Whether the list is called too easy or too hard."""
    told = [
        value
        for match in draft.reading.cues
        for group, value in match.value
        if group == "pitch" and is_told(draft.reading, match.start)
    ]
    if not draft.standing or not told:
        return None
    return "harder" if told[-1] == "harder" else "easier"


def _is_about_list(reading: Reading, position: int) -> bool:
    """Whether the subject of a complaint is the list ("these are too hard") and nothing else that is named."""
    sentence = reading.sentence_of(position)
    said = reading.text.folded[sentence.start if sentence else 0 : position]
    clause = re.split(r"[,;:]", said)[-1]
    return not clause.strip() or _LISTED.search(clause) is not None


def _says_both(reading: Reading) -> bool:
    return (
        reading.has("all", "both") or reading.has("all", "all") or reading.has("accept_strong", "keep_list")
    )


def _accepts(draft: EditDraft, record: Edits, asks: bool, facts: bool) -> bool:
    reading = draft.reading
    if draft.selected or accepts_outright(reading, keeping_counts=not record):
        return not (asks and ends_in_question(reading))
    if record or asks or draft.advice or draft.wanted or facts:
        return False
    return accepts_kindly(reading) or (bool(draft.standing) and reading.has("go_ahead"))
