"""Items of the list that a message means without naming them: by pronoun, by position, by a piece of a name."""

from __future__ import annotations

import re

from app.catalog import AssessmentId, Catalog
from app.knowledge import SkillId
from app.understanding.edit_draft import EditDraft, is_told, verb_around, verbs_of
from app.understanding.mentions import Kind, Mention, Mode
from app.understanding.references import Resolver, Thing, positions
from app.understanding.sentences import CueMatch, Sentence

_PRONOUNS = frozenset({"it", "that", "them", "both", "these", "those"})
_POINTING = re.compile(
    r"^\s*(?:also\s+)?(?:it|that|this|them|these|those|both|(?:the|that|this) (?:test|exercise|quiz|simulation|questionnaire|assessment|report|one))"
    r"(?:\s+(?:one|two|of them))?"
    r"(?=\s*(?:$|[,.;!?\n]|(?:for|with|then|in|out|off|too|please|and|but|as|again|instead|entirely)\b))"
)
_AWAY = re.compile(r"\b(?:out|off|away)\b")
_CLAUSE_END = re.compile(r"\s*(?:$|[,.;!?\n)])")
_LIST_VERBS = ("drop", "replace", "keep")


class UnnamedReader:
    """Reads edits of what is meant but not named, into a draft."""

    def __init__(self, catalog: Catalog, resolver: Resolver) -> None:
        self._catalog = catalog
        self._resolver = resolver

    def read(self, draft: EditDraft, narrowed: dict[Mention, Mention]) -> None:
        """Add to `draft` what pronouns, a bare yes, positions and pieces of names mean."""
        self._by_pronoun(draft, narrowed)
        self._by_bare_yes(draft)
        self._by_position(draft)
        self._by_fragment(draft)

    def _by_pronoun(self, draft: EditDraft, narrowed: dict[Mention, Mention]) -> None:
        """ "Add it", "use both": what this message named before, else what the last one was about."""
        for match, verb, sentence in verbs_of(draft.reading):
            points = _POINTING.match(draft.text[match.end : sentence.end])
            if not points and not _PRONOUNS & set(match.form.split()):
                continue
            clause = re.split(r"[,;:(]", draft.text[match.end : sentence.end])[0]
            clause_end = match.end + len(clause)
            if match.form.startswith("leave") and _AWAY.search(clause):  # "leave that questionnaire out"
                verb = "drop"
            object_is_said = bool(points) and verb == "replace"  # "swap it for X": X is no object
            if not object_is_said and any(match.end <= m.start < clause_end for m in draft.reading.mentions):
                continue
            meant = self._antecedent(draft, narrowed, match, verb, sentence)
            self._point(draft, verb, meant)

    def _antecedent(
        self,
        draft: EditDraft,
        narrowed: dict[Mention, Mention],
        match: CueMatch,
        verb: str,
        sentence: Sentence,
    ) -> list[Thing]:
        away = (Mode.NOT, Mode.DROP) if verb in ("add", "choose") else ()
        named = [
            m
            for m in draft.reading.mentions
            if m.end <= match.start and m.kind is not Kind.ROLE and m.mode not in away
        ]
        turned_down = bool(named) and named[-1].mode in (Mode.NOT, Mode.DROP)
        beside = bool(named) and named[-1].start >= sentence.start and not turned_down
        if draft.before.topic and verb in ("drop", "replace") and beside:
            named = []  # "selling is the job, so drop that one": that one was asked about before
        if not named:
            before = self._resolver.by_words(draft.text[: match.start], draft.standing)
            return list(draft.before.topic) or [*before]
        count = 2 if "both" in draft.text[match.start : match.end + 6] else 1
        meant = [
            thing
            for mention in named[-count:]
            for thing in self._resolver.meant(narrowed.get(mention, mention), draft.standing, draft.text)
        ]
        return self._resolver.by_minutes(meant, draft.reading)

    def _point(self, draft: EditDraft, verb: str, meant: list[Thing]) -> None:
        """Do to `meant` what `verb` says."""
        ids = [AssessmentId(m) for m in meant if m in self._catalog]
        here = [id_ for id_ in ids if id_ in draft.standing]
        if verb in ("add", "choose"):
            draft.add += [id_ for id_ in ids if id_ not in draft.standing]
            skills = [SkillId(m) for m in meant if m not in self._catalog]
            draft.add_skills += skills
            draft.wanted += [(skill, None, False) for skill in skills]
        elif verb == "drop":
            draft.drop += here
        elif verb == "replace":
            draft.replace += here
        elif verb == "keep":
            draft.keep += here
            draft.drop = [id_ for id_ in draft.drop if id_ not in here]

    def _by_bare_yes(self, draft: EditDraft) -> None:
        """ "Yes please" after "should I also add X?" adds X."""
        if not draft.before.advised or draft.has_edit() or draft.advice or draft.asked:
            return
        if draft.reading.has("go_ahead") or draft.text.strip(" .!") in (
            "yes",
            "yes please",
            "ok yes",
            "sure",
            "yep",
        ):
            self._point(draft, "add", list(draft.before.topic))

    def _by_position(self, draft: EditDraft) -> None:
        """ "Drop the second one", "the first two can come off"."""
        for match in draft.reading.cues:
            for value in (value for group, value in match.value if group == "all"):
                verb = verb_around(draft.reading, match.start)
                if verb in _LIST_VERBS:
                    getattr(draft, verb).extend(positions(value, draft.standing))

    def _by_fragment(self, draft: EditDraft) -> None:
        """ "Drop the 8.0", "no polymer test": a piece of a name that only one item on the list has."""
        for match, verb, sentence in verbs_of(draft.reading):
            negated = verb == "not" and not draft.text[sentence.start : match.start].strip()
            if verb not in _LIST_VERBS and not negated:
                continue
            rest = re.split(r"[,;:(]", draft.text[match.end : sentence.end])[0]
            if any(match.end <= m.start < match.end + len(rest) for m in draft.reading.mentions):
                continue
            found = self._resolver.by_words(rest, draft.standing)
            getattr(draft, "drop" if negated else verb).extend(found)
        self._by_verdict(draft)

    def _by_verdict(self, draft: EditDraft) -> None:
        """ "The 8.0 one is off": a verdict behind a piece of a name."""
        for match in draft.reading.cues:
            if ("after", "drop") not in match.value or not is_told(draft.reading, match.start):
                continue
            clause = re.split(r"[,;:.!?\n]", draft.text[: match.start])[-1]
            if not _CLAUSE_END.match(draft.text[match.end :]):
                continue
            if not any(match.start - len(clause) <= m.start < match.start for m in draft.reading.mentions):
                draft.drop += self._resolver.by_words(clause, draft.standing)
