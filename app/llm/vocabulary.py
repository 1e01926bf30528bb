"""From a model's words to ids of ours, by the phrases that the offline router reads with."""

from __future__ import annotations

from collections.abc import Iterable

from app.catalog import AssessmentId, Catalog
from app.knowledge import FamilyId, Knowledge, SkillId
from app.records import Topic
from app.understanding.lexicon import Lexicon
from app.understanding.mentions import Kind
from app.understanding.reading import Reader
from app.understanding.standing import ListReader, topic_asked
from app.understanding.text import fold, pattern, prepare


class Vocabulary:
    """Looks words up. What it does not know, it leaves out; it never takes the nearest."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge, lexicon: Lexicon) -> None:
        self.catalog = catalog
        self.knowledge = knowledge
        self._lexicon = lexicon
        self._reader = Reader(lexicon)
        self._lists = ListReader(catalog, lexicon)
        self._accents = frozenset(
            entry.variant["accent"] for entry in knowledge.entries.values() if "accent" in entry.variant
        )

    def skills(self, words: Iterable[str], context: str) -> tuple[SkillId, ...]:
        """Skills meant by `words`, each an id or a spoken form; `context` settles ambiguous forms."""
        found: list[SkillId] = []
        for word in words:
            if word in self.knowledge.skills:
                found.append(SkillId(word))
                continue
            mentions = self._reader.read(word, context).mentions
            found += [SkillId(m.ids[0]) for m in mentions if m.kind is Kind.SKILL and not m.typo]
        return tuple(dict.fromkeys(found))

    def measures(self, letters: Iterable[str]) -> tuple[SkillId, ...]:
        """The measure that stands for each kind of test and for nothing else, where there is one."""
        known = self.knowledge.skills.values()
        found = [
            s.id
            for letter in letters
            for s in known
            if s.kind == "measure" and s.tests and s.types == {letter}
        ]
        return tuple(dict.fromkeys(found))

    def families(self, *words: str | None) -> tuple[FamilyId, ...]:
        """Job families meant by `words`, each an id or a job title; None is passed over."""
        found: list[FamilyId] = []
        for word in filter(None, words):
            if word in self.knowledge.families:
                found.append(FamilyId(word))
            else:
                found += [match.value for match in self._lexicon.roles.find(prepare(word).folded)]
        return tuple(dict.fromkeys(found))

    def assessments(self, names: Iterable[str]) -> tuple[AssessmentId, ...]:
        """Assessments whose id, name or alias is exactly one of `names`."""
        found: list[AssessmentId] = []
        for name in names:
            if (listed := self.catalog.get(name)) is not None:
                found.append(listed.id)
                continue
            form = pattern(name)
            match = self._lexicon.names.find(form)
            if len(match) == 1 and (match[0].start, match[0].end) == (0, len(form)):
                found.append(match[0].value[0])
        return tuple(dict.fromkeys(found))

    def named_in(self, text: str) -> tuple[AssessmentId, ...]:
        """Assessments that `text` names."""
        return tuple(
            dict.fromkeys(match.value[0] for match in self._lexicon.names.find(prepare(text).folded))
        )

    def unknown_in(self, text: str) -> tuple[str, ...]:
        """What `text` names like a product that the catalogue does not have."""
        return self._reader.read(text).unknown_names

    def languages(self, names: Iterable[str]) -> tuple[str, ...]:
        """Human languages meant by `names`, as the service calls them."""
        return tuple(
            dict.fromkeys(match.value for name in names for match in self._lexicon.languages.find(fold(name)))
        )

    def catalogue_languages(self, languages: Iterable[str]) -> tuple[tuple[str, ...], ...]:
        """For each of `languages` the catalogue's names that satisfy it."""
        return tuple(self._lexicon.catalogue_languages[language] for language in languages)

    def accent(self, word: str | None) -> str | None:
        """The accent of a spoken test, None when there is none called so."""
        return next((accent for accent in sorted(self._accents) if word and fold(accent) == fold(word)), None)

    def topic_of(self, question: str) -> Topic:
        """What an assistant message is taken to ask, when the conversation is read the next time."""
        return topic_asked(self._lexicon, question)

    def reads_as_list(self, text: str) -> bool:
        """Whether an assistant message would be taken for a shortlist."""
        return bool(self._lists.read(text))
