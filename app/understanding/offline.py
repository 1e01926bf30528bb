"""Read a whole conversation by rules: the default, and what a language model falls back on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from app.catalog import AssessmentId, Catalog
from app.knowledge import FamilyId, Knowledge
from app.records import (
    Act,
    History,
    Limits,
    ScopeIssue,
    Topic,
    Understanding,
    Weight,
)
from app.understanding.edits import Before, EditReader, MessageEdits
from app.understanding.lexicon import load_lexicon
from app.understanding.mentions import Kind, Mode
from app.understanding.query import search_query
from app.understanding.reading import Reader, Reading
from app.understanding.sentences import SentenceKind
from app.understanding.standing import ListReader, topic_asked
from app.understanding.state import State, fold_facts, fold_languages, fold_roles, settle_types

READINGS_KEPT = 2048
"""Messages whose reading is remembered; a reading of an ordinary message takes about 20 kB."""
CONTEXT_CHARS = 4000
"""Of what the user wrote before, this much helps to tell ambiguous words apart."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """One user message with what stood in the conversation before it."""

    reading: Reading
    standing: tuple[AssessmentId, ...]
    previous_list: tuple[AssessmentId, ...]
    """The list before the standing one."""
    asked: Topic | None
    """What the assistant message right before it asked; None if it asked nothing."""


class OfflineUnderstander:
    """Understands conversations by lexicon and rules. Stateless: readings are remembered by content only."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge, lexicon_dir: Path) -> None:
        self._catalog = catalog
        self._knowledge = knowledge
        self._lexicon = load_lexicon(lexicon_dir, catalog, knowledge)
        self._lists = ListReader(catalog, self._lexicon)
        self._edits = EditReader(catalog, knowledge)
        self._read = lru_cache(maxsize=READINGS_KEPT)(Reader(self._lexicon).read)
        self._read_list = lru_cache(maxsize=READINGS_KEPT)(self._lists.read)
        self._topic = lru_cache(maxsize=READINGS_KEPT)(lambda message: topic_asked(self._lexicon, message))

    def understand(self, history: History) -> Understanding:
        """What the whole conversation says, and what its last message asks for."""
        turns = self._turns(history)
        if not turns:
            return Understanding(act=Act.CLARIFY, has_content=False, message_count=len(history))
        turns = _since_restart(turns)
        state = State()
        before = _aim(state)
        compared: tuple[AssessmentId, ...] = ()
        edits = MessageEdits()
        for turn in turns:
            stood = Before(turn.standing, turn.previous_list, compared, edits.topic, bool(edits.advice_on))
            edits = self._edits.read(turn.reading, stood)
            before = _aim(state)
            self._fold(state, turn, edits)
            compared = edits.compared if edits.compares else (compared if not edits.changes else ())
        understanding = self._record(history, turns, state, edits, compared)
        aim_moved = bool(turns[-1].standing) and _aim(state) != before and not edits.accepts
        return replace(understanding, new_aim=aim_moved)

    # --- the conversation -----------------------------------------------------------------------

    def _turns(self, history: History) -> list[_Turn]:
        turns: list[_Turn] = []
        lists: list[tuple[AssessmentId, ...]] = [()]
        asked: Topic | None = None
        context = ""
        for message in history.messages:
            if message.role == "assistant":
                shown = self._read_list(message.content)
                if shown:
                    if shown != lists[-1]:
                        lists.append(shown)
                    asked = None
                elif turns and not _was_answered(turns[-1]):
                    asked = self._topic(message.content)
                continue
            before = lists[-2] if len(lists) > 1 else ()
            turns.append(_Turn(self._read(message.content, context), lists[-1], before, asked))
            context = f"{context}\n{message.content}"[-CONTEXT_CHARS:]
            asked = None
        return turns

    def _fold(self, state: State, turn: _Turn, edits: MessageEdits) -> None:
        reading, listed = turn.reading, bool(turn.standing)
        corrects = reading.has("correction") or edits.rejects
        roles = [m for m in reading.mentions if m.kind is Kind.ROLE]
        if listed and not (edits.refines and not edits.record and self._is_open(state)):
            gone = any(m.mode in (Mode.DROP, Mode.NOT) and m.ids[0] in state.families for m in roles)
            corrects = corrects or gone
            roles = [m for m in roles if edits.rejects or gone or _is_corrected(reading, m.start)]
        if roles:
            fold_roles(state, roles, reading, self._knowledge, corrects=corrects and not edits.accepts)
        fold_facts(state, reading, listed=listed, long=_is_long(reading))
        for skill in edits.unwanted_skills:
            state.unwant(skill, self._knowledge.skills[skill].types)
        if any(weight is Weight.MUST for _, weight, _ in edits.wanted_skills):
            state.restate_priorities()
        for skill, weight, typo in edits.wanted_skills:
            state.want(skill, weight, typo=typo, incidental=_is_long(reading))
            state.unwanted_types -= self._knowledge.skills[skill].types
        for assessment_id in edits.record.drop:
            state.drop(assessment_id)
        for assessment_id in edits.record.add:
            state.add(assessment_id)
        for assessment_id in edits.undone_drops:
            state.dropped.discard(assessment_id)
        if edits.record.only:
            state.dropped |= set(turn.standing) - set(edits.record.only)
            state.dropped -= set(edits.record.only)
        voice = self._is_voice(state)
        asked_test = turn.asked is Topic.TEST_LANGUAGE
        told = tuple(m for m in reading.languages if not listed or not _is_asked(reading, m.sentence))
        fold_languages(state, told, voice=voice or turn.asked is Topic.SPOKEN_LANGUAGE, asked_test=asked_test)
        accent = _accent(reading, turn.asked)
        if accent:
            state.accent = accent
        if state.language_strict and state.spoken_language and not state.languages:
            state.languages.append(state.spoken_language)
        if turn.asked is Topic.PURPOSE and reading.has("purpose", "development"):
            state.selects = False
        if not (listed and edits.accepts) and not edits.asks_only and not reading.scope:
            state.need_texts.append(reading.text.plain)

    def _is_open(self, state: State) -> bool:
        """Whether the job is not settled yet, neither in words nor by the skills asked for."""
        families = self._refined_families(state)
        return not families or self._knowledge.families[families[0]].generic

    def _is_voice(self, state: State) -> bool:
        """Whether the job is done by voice, so that a language named is the language of its calls."""
        plays = (
            play
            for key, rows in self._knowledge.plays.items()
            if key[0] in state.families[:1]
            for play in rows
        )
        wishes = (self._knowledge.skills[skill].kind == "spoken_language" for skill in state.skills)
        return any("spoken_language" in play.ask for play in plays) or any(wishes)

    # --- the record -----------------------------------------------------------------------------

    def _record(
        self,
        history: History,
        turns: Sequence[_Turn],
        state: State,
        edits: MessageEdits,
        compared: tuple[AssessmentId, ...],
    ) -> Understanding:
        last = turns[-1]
        reading = last.reading
        families = self._refined_families(state)
        asked = tuple(turn.asked for turn in turns if turn.asked is not None)
        issues = self._issues(last, edits)
        catalogue_languages = tuple(
            name for language in state.languages for name in self._lexicon.catalogue_languages[language]
        )
        return Understanding(
            act=_act(reading, last, edits, issues, has_need=bool(families or state.skills or state.added)),
            families=families,
            role_text=state.role_text,
            seniority=state.seniority,
            lead=state.lead,
            purpose=state.purpose,
            selects=state.selects,
            skills=tuple(state.skills.values()),
            unwanted_skills=frozenset(state.unwanted_skills),
            unwanted_types=settle_types(state, self._knowledge),
            limits=Limits(
                minutes_each=state.minutes_each,
                minutes_total=state.minutes_total,
                languages=tuple(state.languages),
                catalogue_languages=catalogue_languages,
                language_lifted=state.language_lifted,
                language_strict=state.language_strict,
                adaptive=state.adaptive,
                remote=state.remote,
                list_size=state.list_size,
                quick=state.quick,
            ),
            spoken_language=state.spoken_language,
            accent=state.accent,
            stack_side=state.stack_side,
            edits=edits.record,
            dropped=frozenset(state.dropped),
            added=tuple(state.added),
            named=edits.named,
            unknown_names=reading.unknown_names,
            standing=last.standing,
            undo_to=last.previous_list if edits.record.undo else (),
            compared=edits.compared or compared,
            advice_on=edits.advice_on,
            scope_issues=issues,
            asked=asked,
            no_preference=reading.has("no_preference") or _repeats(turns),
            go_ahead=reading.has("go_ahead") or any(turn.reading.has("go_ahead") for turn in turns),
            only_named=state.only_named,
            accepts=edits.accepts,
            rejects=edits.rejects,
            new_facts=edits.refines or (not last.standing and _brings_facts(reading)),
            has_content=not reading.text.is_empty,
            message_count=len(history),
            need_words=sum(len(text.split()) for text in state.need_texts),
            search_query=search_query(self._knowledge, families, state),
            reply_language=_reply_language(turns),
        )

    def _refined_families(self, state: State) -> tuple[FamilyId, ...]:
        """A family named in words, or implied by the skills; a generic title is made specific by its skills."""
        wished = [skill for skill, wish in state.skills.items() if wish.weight is not Weight.OCCASIONAL]
        known = self._knowledge.families
        if state.families and not known[state.families[0]].generic:
            return tuple(state.families)
        scores = {
            family.id: sum(
                2 if position == 0 else 1 for position, skill in enumerate(wished) if skill in family.skills
            )
            for family in known.values()
            if family.skills
        }
        best = max(scores.values(), default=0)
        if best == 0:
            return tuple(state.families)
        implied = min(family for family, score in scores.items() if score == best)
        return (implied, *state.families)

    def _issues(self, turn: _Turn, edits: MessageEdits) -> tuple[ScopeIssue, ...]:
        """What is declined. An order to the machine inside an honest need is passed over, not refused."""
        reading = turn.reading
        issues = list(reading.scope)
        order = reading.scope_sentence(ScopeIssue.STEERING)
        has_need = any(
            m.mode in (Mode.WANT, Mode.ADD) and reading.sentence_of(m.start) != order
            for m in reading.mentions
        )
        if ScopeIssue.STEERING in issues and has_need:
            issues.remove(ScopeIssue.STEERING)
        if not issues and _is_foreign(turn, edits):
            issues.append(ScopeIssue.OFF_TOPIC)
        return tuple(issues)


def _is_asked(reading: Reading, sentence: int) -> bool:
    return reading.sentences[sentence].kind in (SentenceKind.QUESTION, SentenceKind.ADVICE)


LONG_TEXT_CHARS = 500
"""A pasted job text rather than a message: what it names in passing is not what it asks for."""


def _is_long(reading: Reading) -> bool:
    return len(reading.text.plain) >= LONG_TEXT_CHARS


def _since_restart(turns: list[_Turn]) -> list[_Turn]:
    """The turns from the last "start over" on; what stood before it stands no more."""
    for index in range(len(turns) - 1, -1, -1):
        if turns[index].reading.has("restart"):
            first = turns[index]
            fresh = _Turn(first.reading, (), (), None)
            later = [
                turn if turn.standing != first.standing else _Turn(turn.reading, (), (), turn.asked)
                for turn in turns[index + 1 :]
            ]
            return [fresh, *later]
    return turns


def _was_answered(turn: _Turn) -> bool:
    """Whether the assistant's listless message after this turn was an answer or a refusal, not a question."""
    return bool(turn.reading.scope) or (bool(turn.standing) and _is_question(turn.reading))


def _aim(state: State) -> tuple[object, object]:
    """What decides which batteries are in question at all: the job and the purpose."""
    return (state.families[0] if state.families else None, state.purpose)


def _is_question(reading: Reading) -> bool:
    return any(s.kind in (SentenceKind.QUESTION, SentenceKind.ADVICE) for s in reading.sentences)


def _act(
    reading: Reading, turn: _Turn, edits: MessageEdits, issues: tuple[ScopeIssue, ...], *, has_need: bool
) -> Act:
    if reading.text.is_empty:
        return Act.CLARIFY
    if issues:
        return Act.REFINE if edits.record and turn.standing else Act.REFUSE
    if turn.standing:
        return _act_on_list(reading, edits)
    if reading.has("compare") and (edits.compares or reading.unknown_names):
        return Act.COMPARE
    if reading.has("restart") and not has_need:
        return Act.CLARIFY
    if edits.named and not has_need and _is_question(reading):
        return Act.COMPARE
    return Act.RECOMMEND


def _act_on_list(reading: Reading, edits: MessageEdits) -> Act:
    if edits.rejects:
        return Act.REFINE
    if edits.accepts:
        return Act.CONFIRM
    if edits.record or edits.refines:
        return Act.REFINE
    if edits.compares or edits.asks_about_items or edits.advice_on or _is_question(reading):
        return Act.COMPARE
    return Act.REFINE


_POINTS_BACK = re.compile(r"\b(?:it|that|this|these|those|they|them|one|ones)\b")


_OUR_FIELD = frozenset(
    "domain seniority purpose go_ahead no_preference about compare staging quick accent reject".split()
)
"""Cue groups that show a question to be about hiring, testing or the list."""


def _is_foreign(turn: _Turn, edits: MessageEdits) -> bool:
    """A question with nothing of our field in it; an answer to our own question is never foreign."""
    reading = turn.reading
    if turn.asked is not None or reading.mentions or reading.unknown_names or reading.languages:
        return False
    if edits.record or edits.accepts or " for " in reading.text.folded:
        return False
    if any(reading.has(group) for group in _OUR_FIELD):
        return False
    if turn.standing and _POINTS_BACK.search(reading.text.folded):
        return False
    return any(s.kind is SentenceKind.QUESTION for s in reading.sentences)


def _brings_facts(reading: Reading) -> bool:
    facts = ("seniority", "purpose", "lead", "stack_side", "quick", "language_lifted")
    return (
        bool(reading.languages)
        or any(reading.has(group) for group in facts)
        or any(m.kind is Kind.ROLE for m in reading.mentions)
    )


def _accent(reading: Reading, asked: Topic | None) -> str | None:
    for match in reading.cues:
        for group, value in match.value:
            if group != "accent":
                continue
            written = reading.text.plain[match.start : match.end]
            if _is_turned_down(reading, match.start):
                continue
            if match.form in ("us", "au", "aus") and not written.isupper() and asked is not Topic.ACCENT:
                continue
            return value
    return None


def _is_corrected(reading: Reading, position: int) -> bool:
    """Whether a correction stands in the sentence that names it ("actually they are nurses")."""
    sentence = reading.sentence_of(position)
    return sentence is not None and any(
        ("correction", "yes") in match.value and sentence.start <= match.start < sentence.end
        for match in reading.cues
    )


def _is_turned_down(reading: Reading, position: int) -> bool:
    """Whether the sentence rejects what it names ("Latin American wording is no good here")."""
    sentence = reading.sentence_of(position)
    return sentence is not None and any(
        group == "reject" and sentence.start <= match.start < sentence.end
        for match in reading.cues
        for group, _ in match.value
    )


def _repeats(turns: Sequence[_Turn]) -> bool:
    """Whether the last message brings no fact that an earlier one did not bring: asking again is no use."""
    if len(turns) < 2 or turns[-1].asked is None:
        return False
    said = {(m.kind, m.ids) for turn in turns[:-1] for m in turn.reading.mentions}
    now = {(m.kind, m.ids) for m in turns[-1].reading.mentions}
    return bool(now) and now <= said and not turns[-1].reading.has("weight")


def _reply_language(turns: Iterable[_Turn]) -> str:
    found = [turn.reading.reply_language for turn in turns]
    return next((code for code in reversed(found) if code != "en"), "en")
