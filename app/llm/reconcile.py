"""Merge a model's reading into what the rules saw. The rules' record is the base.

What the rules saw for certain stays: a drop, a limit, a refusal, an acceptance, a named product, an edit, the
standing list, the topics asked. The model fills what words alone cannot tell: the job behind a description,
skills in a paraphrase, level and purpose, what the last message wants where the rules found nothing in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from app.catalog import AssessmentId, TestType
from app.knowledge import Purpose
from app.llm.grounding import grounded
from app.llm.schema import Constraints, RouterAnswer
from app.llm.vocabulary import Vocabulary
from app.records import PARAGRAPH, Act, Edits, History, ScopeIssue, SkillWish, Topic, Understanding, Weight
from app.understanding.conversation import CONTEXT_CHARS
from app.understanding.text import words

MOST_NEW_SKILLS = 12
_NOT_SELECTION = frozenset({Purpose.DEVELOPMENT, Purpose.TALENT_AUDIT, Purpose.INTERNAL_MOBILITY})


@dataclass(frozen=True, slots=True)
class Merged:
    """The record to go on with, and the fields in which the model was overruled."""

    understanding: Understanding
    kept: tuple[str, ...] = ()


@dataclass(slots=True)
class _Draft:
    """Values to replace in the record, while it is merged."""

    seen: Understanding
    changes: dict[str, Any] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)

    def fill(self, name: str, value: Any) -> None:
        """Take `value` where the rules have none."""
        if value is None:
            return
        ours = getattr(self.seen, name)
        if ours is None:
            self.changes[name] = value
        elif ours != value:
            self.kept.append(name)

    def now(self) -> Understanding:
        """The record as far as it is merged."""
        return replace(self.seen, **self.changes)


class Reconciler:
    """Merges answers, with the vocabulary that turns their words into ids."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def merge(self, seen: Understanding, answer: RouterAnswer, history: History, facts: str) -> Merged:
        """One record from the rules' and the model's.

        Args:
            seen: what the rules read in `history`.
            answer: what the model read in it.
            history: the conversation.
            facts: the catalogue facts that the model was given.
        """
        draft = _Draft(seen)
        said = "\n".join(m.content for m in history.messages if m.role == "user")
        context = said[-CONTEXT_CHARS:]
        if seen.act not in (Act.REFUSE, Act.CONFIRM):
            self._people(draft, answer.constraints)
            self._skills(draft, answer.constraints, context)
            self._limits(draft, answer.constraints)
            self._speech(draft, answer.constraints)
            self._names(draft, answer, history)
            self._edits(draft, answer, context)
        self._act(draft, answer)
        self._query(draft, answer)
        self._prose(draft, answer, f"{facts}\n{said}")
        return Merged(draft.now(), tuple(dict.fromkeys(draft.kept)))

    def _people(self, draft: _Draft, said: Constraints) -> None:
        seen = draft.seen
        known = self._vocabulary.knowledge.families
        families = self._vocabulary.families(said.family, said.role)
        open_ = not seen.role_text or all(known[family].generic for family in seen.families)
        if families and families[0] not in seen.families:
            if open_ and not known[families[0]].generic:
                draft.changes["families"] = _unique(families, seen.families)
            else:
                draft.kept.append("families")
        if said.role and not seen.role_text and "families" in draft.changes:
            draft.changes["role_text"] = said.role
        purpose = said.purpose
        if seen.selects and purpose in _NOT_SELECTION and purpose is not seen.purpose:
            draft.kept.append("purpose")
            purpose = None
        draft.fill("seniority", said.seniority)
        draft.fill("purpose", purpose)
        draft.fill("lead", said.leads)
        draft.fill("stack_side", said.stack_side)

    def _skills(self, draft: _Draft, said: Constraints, context: str) -> None:
        seen = draft.seen
        unwanted = set(self._vocabulary.skills(said.unwanted_skills, context))
        firm = {wish.skill for wish in seen.skills if wish.weight is Weight.MUST} | set(seen.edits.add_skills)
        if unwanted & firm:
            draft.kept.append("skills")
        unwanted -= firm
        have = {wish.skill for wish in seen.skills}
        asked_types = [letter for letter in said.test_types if letter not in self._types_wished(seen)]
        measures = self._vocabulary.measures(asked_types)
        wanted = _unique(self._vocabulary.skills(said.skills, context), measures)
        if set(wanted) & seen.unwanted_skills:
            draft.kept.append("unwanted_skills")
        new = [s for s in wanted if s not in have | seen.unwanted_skills | unwanted][:MOST_NEW_SKILLS]
        wishes = [wish for wish in seen.skills if wish.skill not in unwanted]
        draft.changes["skills"] = (*wishes, *(SkillWish(skill) for skill in new))
        draft.changes["unwanted_skills"] = seen.unwanted_skills | unwanted
        draft.changes["unwanted_types"] = seen.unwanted_types | self._types(draft, said)

    def _types(self, draft: _Draft, said: Constraints) -> frozenset[TestType]:
        """Kinds of test to leave out, except those of a measure that is wished for."""
        needed = self._types_wished(draft.seen)
        out = frozenset(TestType(letter) for letter in said.unwanted_test_types)
        if out & needed:
            draft.kept.append("unwanted_types")
        return out - needed

    def _types_wished(self, seen: Understanding) -> set[TestType]:
        """Kinds of test that the rules saw a wish for."""
        knowledge = self._vocabulary.knowledge
        wished = [w.skill for w in seen.skills if knowledge.skills[w.skill].kind == "measure"]
        return {code for skill in wished for code in knowledge.types_of(skill)}

    def _limits(self, draft: _Draft, said: Constraints) -> None:
        ours = draft.seen.limits
        changes: dict[str, Any] = {}
        for name in ("minutes_each", "minutes_total", "list_size", "adaptive", "remote"):
            value = getattr(said, name)
            if value is None or getattr(ours, name) == value:
                continue
            if getattr(ours, name) is None:
                changes[name] = value
            else:
                draft.kept.append(name)
        if said.quick:
            changes["quick"] = True
        languages = self._vocabulary.languages(said.test_languages)
        foreign = tuple(language for language in languages if language != "English")
        if foreign and not ours.languages and not ours.language_lifted:
            changes["languages"] = foreign
            changes["catalogue_languages"] = self._vocabulary.catalogue_languages(foreign)
        draft.changes["limits"] = replace(ours, **changes)

    def _speech(self, draft: _Draft, said: Constraints) -> None:
        spoken = self._vocabulary.languages([said.spoken_language] if said.spoken_language else [])
        draft.fill("spoken_language", spoken[0] if spoken else None)
        draft.fill("accent", self._vocabulary.accent(said.accent))

    def _names(self, draft: _Draft, answer: RouterAnswer, history: History) -> None:
        """Names count only as the last message writes them; a placeholder ("the best one") is none."""
        seen = draft.seen
        last = history.messages[-1].content if history.messages else ""
        quoted = [name for name in answer.named_assessments if name.lower() in last.lower()]
        named = _unique(seen.named, self._vocabulary.assessments(quoted))
        draft.changes["named"] = named
        lost = [
            name
            for name in quoted
            if name in last
            and not self._vocabulary.assessments([name])
            and not self._vocabulary.skills([name], last)
            and _looks_like_a_product(name)
        ]
        if not seen.unknown_names and not seen.named:
            draft.changes["unknown_names"] = tuple(lost)

    def _edits(self, draft: _Draft, answer: RouterAnswer, context: str) -> None:
        """The rules' edits stand as they are; the model's count where the rules found none."""
        seen = draft.seen
        said = answer.edits
        unsure = bool(seen.standing) and not (seen.edits or seen.accepts or seen.rejects or seen.compared)
        if not unsure or answer.intent not in (Act.REFINE, None):
            return
        listed = frozenset(seen.standing)
        add = self._vocabulary.assessments(said.add)
        skills = self._vocabulary.skills(
            [e for e in said.add if not self._vocabulary.assessments([e])], context
        )
        drop, replaced = (
            _on(self._vocabulary.assessments(names), listed) for names in (said.drop, said.replace)
        )
        edits = Edits(
            add=tuple(i for i in add if i not in listed and i not in seen.dropped),
            add_skills=tuple(s for s in skills if s not in seen.unwanted_skills),
            drop=drop,
            replace=tuple(i for i in replaced if i not in drop),
            only=_on(self._vocabulary.assessments(said.only), listed),
            keep=_on(self._vocabulary.assessments(said.keep), listed),
            undo=said.undo and bool(seen.undo_to),
        )
        if not edits:
            return
        draft.changes["edits"] = edits
        draft.changes["dropped"] = seen.dropped | set(edits.drop)
        draft.changes["added"] = _unique((i for i in seen.added if i not in edits.drop), edits.add)
        have = {wish.skill for wish in draft.now().skills}
        new = [SkillWish(skill) for skill in edits.add_skills if skill not in have]
        draft.changes["skills"] = (*draft.now().skills, *new)
        draft.changes["act"] = Act.REFINE

    def _act(self, draft: _Draft, answer: RouterAnswer) -> None:
        seen, intent = draft.seen, answer.intent
        if intent in (None, Act.CLARIFY, seen.act) or "act" in draft.changes:
            return  # whether to ask is decided by the rules of policy, from what is known
        if not _is_open(seen, intent):
            draft.kept.append("act")
        elif intent is Act.REFUSE:
            draft.changes["act"] = Act.REFUSE
            draft.changes["scope_issues"] = tuple(answer.out_of_scope[:1]) or (ScopeIssue.OFF_TOPIC,)
        elif intent is Act.CONFIRM and seen.standing:
            draft.changes["act"], draft.changes["accepts"] = Act.CONFIRM, True
        elif intent is Act.COMPARE:
            self._compare(draft)

    def _compare(self, draft: _Draft) -> None:
        """A question needs something to be about."""
        named = draft.now().named
        if named or draft.now().unknown_names or draft.seen.standing:
            draft.changes["act"] = Act.COMPARE
            draft.changes["compared"] = named or draft.seen.compared

    def _query(self, draft: _Draft, answer: RouterAnswer) -> None:
        """Every distinct skill of the whole history, whoever found it, and then the rules' own query."""
        seen, knowledge = draft.seen, self._vocabulary.knowledge
        have = {wish.skill for wish in seen.skills}
        merged = draft.now()
        labels = [knowledge.skills[w.skill].label for w in merged.skills if w.skill not in have]
        new_families = [f for f in merged.families[:1] if f not in seen.families]
        labels += [knowledge.families[family].title for family in new_families]
        if set(words(answer.search_query)) - set(words(seen.search_query)):
            labels.append(answer.search_query)
        if labels:
            draft.changes["search_query"] = PARAGRAPH.join(filter(None, [*labels, seen.search_query]))

    def _prose(self, draft: _Draft, answer: RouterAnswer, known: str) -> None:
        prose = grounded(answer.reply_text, self._vocabulary, known)
        compared = draft.now().compared
        about = set(self._vocabulary.named_in(prose))
        if not prose or (draft.now().act is Act.COMPARE and not about.issuperset(compared)):
            if answer.reply_text:
                draft.kept.append("reply_text")
            return
        draft.changes["prose"] = prose
        draft.changes["prose_asks"] = self._asks(prose)

    def _asks(self, prose: str) -> Topic | None:
        return self._vocabulary.topic_of(prose) if prose.rstrip().endswith("?") else None


def _is_open(seen: Understanding, intent: Act | None) -> bool:
    """Whether the rules found nothing that settles what the last message asks for."""
    if seen.accepts or seen.rejects or seen.scope_issues:
        return False
    if seen.standing:
        return not (seen.edits or seen.named or seen.advice_on or seen.new_facts)
    named_only = not (seen.families or seen.skills)
    return named_only and (intent is Act.COMPARE or not (seen.added or seen.named or seen.new_facts))


def _looks_like_a_product(name: str) -> bool:
    """Capitals or digits beyond a first letter: what a placeholder ("default", "best one") lacks."""
    return any(char.isupper() or char.isdigit() for char in name[1:]) and not name.islower()


def _on(ids: tuple[AssessmentId, ...], listed: frozenset[AssessmentId]) -> tuple[AssessmentId, ...]:
    return tuple(assessment_id for assessment_id in ids if assessment_id in listed)


def _unique(*groups: Any) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(item for group in groups for item in group))
