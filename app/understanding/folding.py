"""Fold the turns of a conversation, one after the other, into what it has established."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from app.catalog import Level
from app.knowledge import FamilyId, Knowledge, SkillId
from app.records import Topic, Weight
from app.understanding.conversation import Turn
from app.understanding.edits import MessageEdits
from app.understanding.mentions import Kind, LanguageMention, Mention, Mode
from app.understanding.reading import Reading
from app.understanding.sentences import ASKING
from app.understanding.state import State, fold_facts, fold_languages, fold_roles

LONG_TEXT_CHARS = 500
"""A pasted job text rather than a message: what it names in passing is not what it asks for."""

LEADING = {Level.SUPERVISOR, Level.FRONTLINE_MANAGER, Level.MANAGER, Level.DIRECTOR, Level.EXECUTIVE}


class Folder:
    """Folds turns with what the knowledge says of skills and families."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._on_the_phone = frozenset(
            family
            for (family, _), plays in knowledge.plays.items()
            if any("spoken_language" in play.ask for play in plays)
        )
        self._families_of: defaultdict[SkillId, list[FamilyId]] = defaultdict(list)
        for family in knowledge.families.values():
            for skill in family.skills:
                self._families_of[skill].append(family.id)

    def fold(self, state: State, turn: Turn, edits: MessageEdits) -> None:
        """Add to `state` what `turn` says."""
        listed, long = bool(turn.standing), len(turn.reading.text.plain) >= LONG_TEXT_CHARS
        self._roles(state, turn, edits)
        if not listed and not long:
            state.places += turn.reading.places
        fold_facts(state, turn.reading, listed=listed, long=long)
        if edits.pitch is not None and not self._leads_people(state):
            state.pitch(edits.pitch)
        self._wishes(state, edits, long=long)
        _list_edits(state, turn, edits)
        self._voice(state, turn)
        if turn.asked is Topic.PURPOSE and turn.reading.has("purpose", "development"):
            state.selects = False
        if not (listed and edits.accepts) and not edits.asks_only and not turn.reading.scope:
            state.need_texts.append(turn.reading.text.plain)

    def _roles(self, state: State, turn: Turn, edits: MessageEdits) -> None:
        """Once a list stands, only a correction, or a job that was still open, changes whom it is for."""
        reading = turn.reading
        corrects = reading.has("correction") or edits.rejects
        roles = [m for m in reading.mentions if m.kind is Kind.ROLE]
        renamed = reading.has("correction", "role")
        if renamed:  # "wrong job, the operators are sorted. It's the supervisors": what is named last
            roles = roles[-1:]
        if turn.standing and not (edits.refines and not edits.record and self._is_open(state)):
            gone = any(m.mode in (Mode.DROP, Mode.NOT) and m.ids[0] in state.families for m in roles)
            corrects = corrects or gone
            roles = [m for m in roles if edits.rejects or gone or renamed or _is_corrected(reading, m)]
        if roles:
            jobs = _to_fill(reading, roles)
            fold_roles(state, jobs, reading, self._knowledge, corrects=corrects and not edits.accepts)

    def _wishes(self, state: State, edits: MessageEdits, *, long: bool) -> None:
        for skill in edits.unwanted_skills:
            state.unwant(skill, self._knowledge.skills[skill].types)
        if any(weight is Weight.MUST for _, weight, _ in edits.wanted_skills):
            state.restate_priorities()
        for skill, weight, typo in edits.wanted_skills:
            state.want(skill, weight, typo=typo, incidental=long)
            state.unwanted_types -= self._knowledge.skills[skill].types

    def _voice(self, state: State, turn: Turn) -> None:
        """Languages and accents; what is asked about a test's languages, or said of one that is added, is no limit."""
        told = tuple(
            mention for mention in turn.reading.languages if not turn.standing or _limits_list(turn, mention)
        )
        voice = self._is_voice(state) or turn.asked is Topic.SPOKEN_LANGUAGE
        fold_languages(state, told, voice=voice, asked_test=turn.asked is Topic.TEST_LANGUAGE)
        state.accent = _accent(turn) or state.accent
        if state.language_strict and state.spoken_language and not state.languages:
            state.languages.append(state.spoken_language)

    def _is_voice(self, state: State) -> bool:
        """Whether the job is done by voice, so that a language named is the language of its calls."""
        return any(family in self._on_the_phone for family in self.families(state)[:1]) or any(
            self._knowledge.skills[skill].kind == "spoken_language" for skill in state.skills
        )

    def _leads_people(self, state: State) -> bool:
        """Whether the job is one of leading: its tests differ by role and have no easier or harder variant."""
        levels = {
            level for family in self.families(state)[:1] for level in self._knowledge.families[family].levels
        }
        return bool(levels & LEADING)

    def _is_open(self, state: State) -> bool:
        families = self.families(state)
        return not families or self._knowledge.families[families[0]].generic

    def families(self, state: State) -> tuple[FamilyId, ...]:
        """Families named in words; a generic title, or none, is made specific by the skills or the place."""
        named = self._by_skills(state)
        first = named[0] if named else ""
        by_place = [place.family for place in state.places if first in place.refines]
        return tuple(dict.fromkeys((*by_place[:1], *named)))

    def _by_skills(self, state: State) -> tuple[FamilyId, ...]:
        known = self._knowledge.families
        if state.families and not known[state.families[0]].generic:
            return tuple(state.families)
        wished = [skill for skill, wish in state.skills.items() if wish.weight is not Weight.OCCASIONAL]
        scores: Counter[FamilyId] = Counter()
        for place, skill in enumerate(wished):
            for family in self._families_of.get(skill, ()):
                scores[family] += 2 if place == 0 else 1
        implied = sorted(scores, key=lambda family: (-scores[family], family))[:1]
        return (*implied, *state.families)


def _to_fill(reading: Reading, roles: list[Mention]) -> list[Mention]:
    """ "Promote our best call handlers to team leader": of a promotion's jobs the last is the one to fill."""
    for cue in reading.cues:
        sentence = reading.sentence_of(cue.start) if ("promotion", "up") in cue.value else None
        named = [m for m in roles if sentence and sentence.start <= m.start < sentence.end]
        if named:
            return named[-1:]
    return roles


def _list_edits(state: State, turn: Turn, edits: MessageEdits) -> None:
    for assessment_id in edits.record.drop:
        state.drop(assessment_id)
    for assessment_id in edits.record.add:
        state.add(assessment_id)
    state.dropped -= set(edits.undone_drops)
    if edits.record.only:
        state.dropped |= set(turn.standing)
        state.dropped -= set(edits.record.only)


_EVERY_TEST = re.compile(r"\b(?:all|everything|every|each|they|these|tests|assessments|list)\b")


def _limits_list(turn: Turn, mention: LanguageMention) -> bool:
    """Whether a language said of a standing list is told of all of it ("add the typing test in Arabic" is not)."""
    reading = turn.reading
    sentence = reading.sentences[mention.sentence]
    adds = any(
        m.kind is not Kind.ROLE
        and sentence.start <= m.start < sentence.end
        and m.mode in (Mode.ADD, Mode.WANT)
        for m in reading.mentions
    )
    one = (
        adds
        and mention.use == "test"
        and not _EVERY_TEST.search(reading.text.folded[sentence.start : sentence.end])
    )
    return sentence.kind not in ASKING and not (one and bool(turn.reading.values("verb")))


def _is_corrected(reading: Reading, mention: Mention) -> bool:
    """Whether a correction stands in the sentence that names it ("actually they are nurses")."""
    return _shares_sentence(reading, mention.start, "correction")


def _shares_sentence(reading: Reading, position: int, group: str) -> bool:
    sentence = reading.sentence_of(position)
    return sentence is not None and any(
        group == found and sentence.start <= match.start < sentence.end
        for match in reading.cues
        for found, _ in match.value
    )


def _accent(turn: Turn) -> str | None:
    """The first accent told; "us" counts in capitals, and nothing that its sentence turns down."""
    reading = turn.reading
    for match in reading.cues:
        for value in (value for group, value in match.value if group == "accent"):
            written = reading.text.plain[match.start : match.end]
            pronoun = match.form in ("us", "au", "aus") and not written.isupper()
            if (turn.asked is Topic.ACCENT or not pronoun) and not _shares_sentence(
                reading, match.start, "reject"
            ):
                return value
    return None
