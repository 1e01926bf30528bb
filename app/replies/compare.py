"""Answer questions about assessments from catalogue facts and our own knowledge only."""

from __future__ import annotations

from collections.abc import Sequence

from app.catalog import Assessment, AssessmentId, Catalog
from app.knowledge import Entry, Knowledge, SkillId
from app.records import Shortlist, Understanding
from app.replies.words import join, languages_of, plural, time_of, types_of

MOST_COMPARED = 4


class Comparer:
    """Writes comparisons and answers."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge) -> None:
        self._catalog = catalog
        self._knowledge = knowledge

    def answer(self, need: Understanding, shortlist: Shortlist) -> str:
        """What the last message asks about: advice, a comparison, one assessment, or the list as a whole."""
        if need.advice_on:
            return self._advice(need)
        asked = need.compared[:MOST_COMPARED] or need.named[:MOST_COMPARED]
        if len(asked) > 1:
            return self._comparison(asked)
        if asked:
            return self._about(asked[0], shortlist)
        return self._whole(shortlist)

    def _facts(self, id_: AssessmentId) -> tuple[Assessment, Entry]:
        return self._catalog[id_], self._knowledge.entries[id_]

    def describe(self, id_: AssessmentId) -> str:
        """One assessment in two sentences."""
        assessment, entry = self._facts(id_)
        facts = [
            types_of(assessment),
            time_of(assessment, is_report=entry.is_report),
            languages_of(assessment),
        ]
        if assessment.adaptive:
            facts.append("adaptive")
        return f"{assessment.name}: {entry.summary} ({'; '.join(facts)}.)"

    def _comparison(self, ids: Sequence[AssessmentId]) -> str:
        lines = [self.describe(id_) for id_ in ids]
        return "\n".join([*lines, f"In short: {self._difference(ids[0], ids[1])}"])

    def _difference(self, first: AssessmentId, second: AssessmentId) -> str:
        (a, a_entry), (b, b_entry) = self._facts(first), self._facts(second)
        points: list[str] = []
        for report, instrument in ((a_entry, b), (b_entry, a)):
            if instrument.id in report.instruments:
                name = self._catalog[report.id].name
                points.append(f"{instrument.name} is what people complete, {name} is a report drawn from it")
        if a_entry.family == b_entry.family:
            points.append(
                f"they measure the same and differ in {join(sorted({*a_entry.variant, *b_entry.variant})) or 'form'}"
            )
        if set(a.types) != set(b.types):
            points.append(f"the first is {types_of(a)}, the second {types_of(b)}")
        if a.minutes and b.minutes and a.minutes != b.minutes:
            shorter, longer = (a, b) if a.minutes < b.minutes else (b, a)
            points.append(f"{shorter.name} takes {longer.minutes - shorter.minutes} minutes less")  # type: ignore[operator]
        if a.languages and b.languages and len(a.languages) != len(b.languages):
            wider, count = (
                (a, len(a.languages)) if len(a.languages) > len(b.languages) else (b, len(b.languages))
            )
            points.append(f"{wider.name} is offered in more languages ({count})")
        if a.adaptive != b.adaptive:
            points.append(f"only {(a if a.adaptive else b).name} is adaptive")
        return join(points or ["the catalogue states the same facts for both; they differ in content"]) + "."

    def _about(self, id_: AssessmentId, shortlist: Shortlist) -> str:
        pick = next((p for p in shortlist.picks if p.id == id_), None)
        lines = [self.describe(id_)]
        if pick is not None:
            lines.append(f"It is on your list because it {_verb(pick.why)}. {self._unique(id_, shortlist)}")
            lines.append("The list also works without it: say so and I drop it.")
        others = [s for s in self._knowledge.siblings(id_) if s != id_]
        if others:
            lines.append(f"Close variants: {join([self._catalog[o].name for o in others[:3]])}.")
        return "\n".join(lines)

    def _unique(self, id_: AssessmentId, shortlist: Shortlist) -> str:
        """Whether anything else on the list gives the same evidence."""
        evidence = self._knowledge.entries[id_].evidence
        if evidence <= {"knowledge"}:
            return "No other test on the list covers that subject."
        same = [
            self._catalog[p.id].name
            for p in shortlist.picks
            if p.id != id_ and not self._knowledge.entries[p.id].is_report
            and evidence & self._knowledge.entries[p.id].evidence - {"knowledge"}
        ]  # fmt: skip
        if same:
            return f"It overlaps in part with {join(same[:2])}."
        return "Nothing else on the list measures that."

    def _advice(self, need: Understanding) -> str:
        lines = []
        for wish in need.advice_on:
            if wish in self._knowledge.entries:
                id_ = AssessmentId(wish)
            else:
                tests = self._knowledge.skills[SkillId(wish)].tests
                if not tests:
                    lines.append(
                        f"There is no test of {self._knowledge.skills[SkillId(wish)].label} in the catalogue."
                    )
                    continue
                id_ = tests[0]
            lines.append(self.describe(id_))
            if id_ in need.standing:
                lines.append("It is already on your list.")
            else:
                lines.append(self._fit(id_, need))
        return "\n".join(lines)

    def _fit(self, id_: AssessmentId, need: Understanding) -> str:
        evidence = self._knowledge.entries[id_].evidence - {"knowledge"}
        overlap = [
            self._catalog[s].name
            for s in need.standing
            if evidence & self._knowledge.entries[s].evidence and not self._knowledge.entries[s].is_report
        ]
        if overlap:
            return f'It overlaps with {join(overlap[:2])}, so I would add it only if that part matters a lot. Say "add it by name" and it is in.'
        return "Nothing on your list measures that, so it adds something. Tell me to add it and it is in."

    def _whole(self, shortlist: Shortlist) -> str:
        if not shortlist.picks:
            return "There is no list yet. Tell me the role and what matters in it, and I suggest one."
        rows = [self._facts(p.id) for p in shortlist.picks]
        known = sum(a.minutes or 0 for a, _ in rows)
        open_ = [a.name for a, e in rows if a.minutes is None and not e.is_report]
        lines = [
            f"The list has {plural(len(rows), 'assessment')} with {known} minutes of stated testing time."
        ]
        if open_:
            lines.append(f"No time is stated for {join(open_)}.")
        adaptive = [a.name for a, _ in rows if a.adaptive]
        if adaptive:
            lines.append(f"Adaptive: {join(adaptive)}.")
        lines.append(
            f"What each is for: {'; '.join(f'{self._catalog[p.id].name}: {p.why}' for p in shortlist.picks)}."
        )
        return "\n".join(lines)


def _verb(why: str) -> str:
    """Fit a reason into "because it …"."""
    first = why.split(" ", 1)[0]
    return why if first.endswith("s") and not first.endswith("ss") else f"is there for {why}"
