"""Write the reply: plain words from typed facts; the wire's list comes from ids alone."""

from __future__ import annotations

from collections.abc import Sequence

from app.catalog import Catalog
from app.knowledge import Knowledge
from app.records import Act, Decision, Gap, Pick, Reply, ScopeIssue, Shortlist, Source, Topic, Understanding
from app.replies.compare import Comparer
from app.replies.questions import DECLINES, QUESTIONS
from app.replies.words import join, plural, time_of
from app.requirements import requirements

_LANGUAGES = {"es": "Spanish", "fr": "French", "de": "German", "pt": "Portuguese", "hi": "Hindi"}


class TemplateReplier:
    """Writes every reply without a model."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge) -> None:
        self._catalog = catalog
        self._knowledge = knowledge
        self._comparer = Comparer(catalog, knowledge)

    def reply(self, understanding: Understanding, decision: Decision, shortlist: Shortlist) -> Reply:
        """The words and the list that go out."""
        if decision.act is Act.CLARIFY:
            topic = decision.ask or Topic.NEED
            prose = understanding.prose if understanding.prose_asks is topic else ""
            paragraphs = [prose or self._question(understanding, topic, shortlist)]
            return Reply(_text(understanding, paragraphs))
        if decision.act is Act.REFUSE:
            paragraphs = [_decline(understanding.scope_issues), _after_refusal(understanding)]
            return Reply(_text(understanding, paragraphs))
        if decision.act is Act.COMPARE:
            prose = understanding.prose if understanding.prose_asks is None else ""
            answer = prose or self._comparer.answer(understanding, shortlist)
            paragraphs = [self._unknown_note(understanding), answer]
            if shortlist.picks:
                paragraphs.append("Your shortlist stays as it is.")
            return Reply(_text(understanding, paragraphs), shortlist.ids)
        if not shortlist.picks:
            return Reply(_text(understanding, [self._nothing(understanding, shortlist)]))
        paragraphs = [
            _decline(understanding.scope_issues),
            self._unknown_note(understanding),
            self._lead(understanding, decision, shortlist),
            self._list(shortlist.picks),
            self._fine_print(understanding, decision, shortlist),
        ]
        return Reply(_text(understanding, paragraphs), shortlist.ids, decision.ends)

    # --- questions ------------------------------------------------------------------------------

    def _question(self, need: Understanding, topic: Topic, shortlist: Shortlist) -> str:
        facts = {
            Topic.ACCENT: self._accents,
            Topic.TEST_LANGUAGE: self._lacking,
            Topic.STACK_SIDE: self._areas,
            Topic.UNKNOWN_NAME: self._unknown,
        }
        if topic is Topic.NO_TEST:
            return QUESTIONS[topic].format(**self._no_test(shortlist.gaps))
        if topic in facts:
            return QUESTIONS[topic].format(**facts[topic](need))
        return QUESTIONS[topic]

    def _accents(self, need: Understanding) -> dict[str, str]:
        names = [
            self._catalog[id_].name
            for id_, entry in self._knowledge.entries.items()
            if "accent" in entry.variant and entry.variant["language"] in (need.spoken_language or "")
        ]
        return {"variants": join(sorted(names))}

    def _lacking(self, need: Understanding) -> dict[str, str]:
        lacking = [
            self._catalog[r.options[0]].name
            for r in requirements(need, self._knowledge)
            if r.options and all(need.limits.language_lacks(self._catalog[o].languages) for o in r.options)
        ]
        return {"language": join(need.limits.languages), "lacking": join(list(dict.fromkeys(lacking)))}

    def _areas(self, need: Understanding) -> dict[str, str]:
        labels = [s.label for w in need.skills if (s := self._knowledge.skills[w.skill]).is_subject]
        return {"count": str(len(labels)), "areas": join(labels)}

    def _no_test(self, gaps: Sequence[Gap]) -> dict[str, str]:
        missing = join([gap.what for gap in gaps], "or")
        names = [self._catalog[id_].name for gap in gaps for id_ in gap.nearest[:3]]
        return {
            "missing": f"The catalogue has no test for {missing}. {gaps[0].note}".strip(),
            "nearest": join(list(dict.fromkeys(names))),
        }

    def _unknown(self, need: Understanding) -> dict[str, str]:
        names = [f'"{name}"' for name in need.unknown_names]
        plural_ = len(names) > 1
        near = self._near(need)
        suggestion = f" Did you mean {join(near, 'or')}?" if near else " Which assessment do you mean?"
        return {
            "unknown": f"{join(names)} {'are' if plural_ else 'is'}",
            "pronoun": "them" if plural_ else "it",
            "suggestion": suggestion,
        }

    def _near(self, need: Understanding) -> list[str]:
        """Current assessments of the same brand, the usual one only."""
        found = []
        for name in need.unknown_names:
            brand = name.lower().split()[0].rstrip("0123456789") or name.lower()
            brand = "opq" if brand.startswith("opq") else "mq" if brand.startswith("mq") else brand
            found += [
                self._catalog[e.id].name
                for e in self._knowledge.entries.values()
                if (not e.is_report and brand in e.aliases) or f"{brand} g+" in e.aliases
            ]
        return list(dict.fromkeys(found))[:3]

    def _unknown_note(self, need: Understanding) -> str:
        if not need.unknown_names:
            return ""
        facts = self._unknown(need)
        return QUESTIONS[Topic.UNKNOWN_NAME].format(**facts)

    # --- lists ----------------------------------------------------------------------------------

    def _lead(self, need: Understanding, decision: Decision, shortlist: Shortlist) -> str:
        if decision.act is Act.CONFIRM:
            return (
                "Confirmed."
                if not shortlist.added and not shortlist.dropped
                else f"{self._changes(shortlist)} Confirmed."
            )
        if decision.act is Act.REFINE and need.standing:
            return self._changes(shortlist) or "The list is unchanged."
        for_whom = f" for {need.role_text}" if need.role_text else ""
        return f"Here is what I would use{for_whom}."

    def _changes(self, shortlist: Shortlist) -> str:
        parts = []
        if shortlist.added:
            parts.append(f"Added {join([self._catalog[i].name for i in shortlist.added])}.")
        if shortlist.dropped:
            parts.append(f"Dropped {join([self._catalog[i].name for i in shortlist.dropped])}.")
        return " ".join(parts)

    def _list(self, picks: Sequence[Pick]) -> str:
        """Our own list form; understanding reads it back by the numbers and the exact names."""
        lines = [f"Shortlist ({plural(len(picks), 'assessment')}):"]
        for number, pick in enumerate(picks, start=1):
            assessment = self._catalog[pick.id]
            is_report = self._knowledge.entries[pick.id].is_report
            lines.append(
                f"{number}. {assessment.name} ({assessment.test_type}; {time_of(assessment, is_report=is_report)}): {pick.why}"
            )
        return "\n".join(lines)

    def _fine_print(self, need: Understanding, decision: Decision, shortlist: Shortlist) -> str:
        lines = [self._time(shortlist.picks), *shortlist.notes]
        defaults = [self._catalog[p.id].name for p in shortlist.picks if p.source is Source.DEFAULT]
        if defaults and decision.act is not Act.CONFIRM:
            lines.append(f"Added by default: {join(defaults)}. Tell me to drop what you do not want.")
        if shortlist.language_gap:
            names = [self._catalog[i].name for i in shortlist.language_gap]
            lines.append(f"Not offered in {join(need.limits.languages)}: {join(names)}.")
        lines += [self._gap(gap) for gap in shortlist.gaps]
        if shortlist.assumptions and decision.act is not Act.CONFIRM:
            lines.append(f"Assumed: {'; '.join(shortlist.assumptions)}. Correct me if that is wrong.")
        return "\n".join(line for line in lines if line)

    def _time(self, picks: Sequence[Pick]) -> str:
        sat = [self._catalog[p.id] for p in picks if not self._knowledge.entries[p.id].is_report]
        known = sum(a.minutes or 0 for a in sat)
        unknown = [a.name for a in sat if a.minutes is None]
        if not sat:
            return ""
        text = f"Stated testing time in total: {known} minutes"
        return f"{text}; no time is stated for {join(unknown)}." if unknown else f"{text}."

    def _gap(self, gap: Gap) -> str:
        nearest = [self._catalog[i].name for i in gap.nearest[:2]]
        text = f"Not covered: {gap.what}"
        if gap.note:
            text += f" ({gap.note.rstrip('.')})"
        if nearest:
            text += f"; nearest: {join(nearest)}"
        return f"{text}."

    def _nothing(self, need: Understanding, shortlist: Shortlist) -> str:
        if need.edits.drop:
            return "Shortlist (0 assessments): that was the last one. Tell me what to measure instead, or say undo."
        gaps = [self._gap(gap) for gap in shortlist.gaps]
        return " ".join(
            ["Nothing in the catalogue fits within what you asked for.", *gaps, "Which limit could move?"]
        )


def _decline(issues: Sequence[ScopeIssue]) -> str:
    return DECLINES[issues[0]] if issues else ""


def _after_refusal(need: Understanding) -> str:
    if need.standing:
        return "Your shortlist is unchanged; tell me when you want to go on with it."
    return "Tell me whom you hire for, and I suggest assessments."


def _text(need: Understanding, paragraphs: Sequence[str]) -> str:
    if need.reply_language != "en":
        paragraphs = [f"You wrote in {_LANGUAGES[need.reply_language]}; I answer in English.", *paragraphs]
    return "\n\n".join(p for p in paragraphs if p)
