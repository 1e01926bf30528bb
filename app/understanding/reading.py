"""Read one message by itself: what it mentions, and what it does with it.

A reading depends on the message and its context alone, so it may be remembered by content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.knowledge import SkillId
from app.records import ScopeIssue
from app.understanding.guards import allows
from app.understanding.languages import is_denied, language_use, listed, written_language
from app.understanding.lexicon import Lexicon, Place
from app.understanding.limits import StatedLimits, read_limits
from app.understanding.mentions import Kind, LanguageMention, Mention
from app.understanding.modes import with_modes
from app.understanding.phrases import Match, longest
from app.understanding.scope import read_scope
from app.understanding.sentences import CueMatch, Sentence, split
from app.understanding.spelling import Speller
from app.understanding.text import Text, fold, prepare
from app.understanding.unknown import unknown_names


@dataclass(frozen=True, slots=True)
class Reading:
    """What one user message says by itself."""

    text: Text
    sentences: tuple[Sentence, ...] = ()
    mentions: tuple[Mention, ...] = ()
    cues: tuple[CueMatch, ...] = ()
    limits: StatedLimits = StatedLimits()
    languages: tuple[LanguageMention, ...] = ()
    scope: Mapping[ScopeIssue, Sentence] = field(default_factory=dict)
    """What is declined, with the sentence that shows it."""
    places: tuple[Place, ...] = ()
    """Places of work it names."""
    unknown_names: tuple[str, ...] = ()
    reply_language: str = "en"

    def has(self, group: str, value: str | None = None) -> bool:
        """Whether a cue of this group (and value) stands anywhere in the message."""
        return any(g == group and value in (None, v) for match in self.cues for g, v in match.value)

    def values(self, group: str) -> list[str]:
        """Values of the group's cues, in text order."""
        return [v for match in self.cues for g, v in match.value if g == group]

    def sentence_of(self, position: int) -> Sentence | None:
        """The sentence that holds `position`."""
        return next((s for s in self.sentences if s.start <= position < s.end), None)


class Reader:
    """Reads messages with a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._speller = Speller(lexicon)

    def read(self, raw: str, context: str = "") -> Reading:
        """Read one message. Pure: the same text in the same context gives the same reading.

        Args:
            raw: the message as it was sent.
            context: what the user wrote before; it only helps to tell ambiguous words apart.
        """
        written = prepare(raw)
        if written.is_empty:
            return Reading(written)
        language = written_language(written, self._lexicon.reply_words)
        text = self._speller.repair(written) if language == "en" else written
        names = self._lexicon.names.find(text.folded)
        cues = tuple(_outside(self._lexicon.cues.find(text.folded), names))
        sentences = split(text, cues, names)
        company = fold(context)
        lifted = [c for c in cues if {("language_lifted", "yes"), ("language_strict", "yes")} & set(c.value)]
        unknown = unknown_names(text, names)
        mentions = [
            m
            for m in self._mentions(text, names, company)
            if not any(u.start <= m.start and m.end <= u.end for u in unknown)
            and not any(c.start < m.end and m.start <= c.end for c in lifted)
        ]
        if text is not written:
            known = {
                mention.form
                for mention in self._mentions(written, self._lexicon.names.find(written.folded), company)
            }
            mentions = [replace(m, typo=m.form not in known) for m in mentions]
        scope = read_scope(self._lexicon.scope, text, sentences)
        return Reading(
            text=text,
            sentences=sentences,
            mentions=tuple(with_modes(text, sentences, cues, mentions)),
            cues=cues,
            limits=read_limits(text),
            languages=self._languages(text, sentences, mentions, lifted),
            scope=scope,
            places=tuple(match.value for match in self._lexicon.places.find(text.folded)),
            unknown_names=tuple(dict.fromkeys(name.value for name in unknown)),
            reply_language=language,
        )

    def _mentions(self, text: Text, names: Iterable[Match[Any]], company: str) -> list[Mention]:
        lexicon = self._lexicon
        found = [Mention(Kind.NAME, match.value, match.start, match.end, match.form) for match in names]
        skills: list[Match[SkillId]] = longest(
            [*lexicon.skills.find(text.folded), *self._guarded(text, company)]
        )
        found += [
            Mention(Kind.SKILL, (match.value,), match.start, match.end, match.form)
            for match in _outside(skills, names)
        ]
        found += [
            Mention(Kind.ROLE, (match.value,), match.start, match.end, match.form)
            for match in _outside(lexicon.roles.find(text.folded), names)
            if not _is_colleague(text, match)
        ]
        return sorted(found, key=lambda mention: (mention.start, mention.kind))

    def _guarded(self, text: Text, company: str) -> list[Match[SkillId]]:
        found: list[Match[SkillId]] = []
        for match in self._lexicon.guarded.find(text.folded):
            for skill, guard in match.value:
                if allows(guard, text, match, company):
                    found.append(Match(match.start, match.end, skill, match.form))
                    break
        return found

    def _languages(
        self,
        text: Text,
        sentences: tuple[Sentence, ...],
        mentions: Iterable[Mention],
        settled: list[CueMatch],
    ) -> tuple[LanguageMention, ...]:
        names = [m for m in mentions if m.kind is Kind.NAME]
        found: list[tuple[Match[str], str]] = []
        for match in self._lexicon.languages.find(text.folded):
            if any(m.start <= match.start and match.end <= m.end for m in names):
                continue
            lower = match.form in self._lexicon.capital_languages and text.plain[match.start].islower()
            if lower or is_denied(text.folded, match):
                continue
            known = match.value == "English" and any(
                c.start <= match.start and match.end <= c.end for c in settled
            )
            found.append((match, "known" if known else language_use(text.folded, match)))
        return tuple(listed(text.folded, found, sentences))


_COLLEAGUE = re.compile(r"\b(?:our|my|his|her|their|your)\s+$")
_GROUP = re.compile(r"(?:s|team|staff|people|department|organi[sz]ation|force|crew|men|unit|function)$")


def _is_colleague(text: Text, match: Match[Any]) -> bool:
    """ "Our supervisor" is somebody who works with the people to be tested, not one of them."""
    return bool(_COLLEAGUE.search(text.folded[: match.start])) and not _GROUP.search(match.form)


def _outside(matches: Iterable[Match[Any]], names: Iterable[Match[Any]]) -> list[Match[Any]]:
    """Matches that do not lie inside a product name."""
    spans = [(name.start, name.end) for name in names]
    return [m for m in matches if not any(start <= m.start and m.end <= end for start, end in spans)]
