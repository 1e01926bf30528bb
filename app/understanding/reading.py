"""Read one message by itself: what it mentions, and what it does with it.

A reading depends on the message alone, so it may be remembered by content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from app.knowledge import GuardedForm
from app.records import ScopeIssue, Weight
from app.understanding.lexicon import Cue, Lexicon
from app.understanding.limits import StatedLimits, read_limits
from app.understanding.phrases import Match, longest
from app.understanding.scope import read_scope
from app.understanding.sentences import CueMatch, Sentence, SentenceKind, split
from app.understanding.spelling import Speller
from app.understanding.text import Text, fold, prepare, words


class Kind(StrEnum):
    """What a mention names."""

    SKILL = "skill"
    ROLE = "role"
    NAME = "name"


class Mode(StrEnum):
    """What the message does with a mention."""

    WANT = "want"
    """Stated as part of the need."""
    ADD = "add"
    DROP = "drop"
    NOT = "not"
    """Negated: "no personality", "Java definitely not"."""
    REPLACE = "replace"
    KEEP = "keep"
    ONLY = "only"
    CHOOSE = "choose"
    ASK = "ask"
    """Asked about."""
    ADVICE = "advice"
    """"Should we add X?"."""
    IGNORED = "ignored"
    """Named under a condition ("add X only where …")."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A skill, role or assessment named in a message, at [start, end) of its text."""

    kind: Kind
    ids: tuple[str, ...]
    """One id; several where a spoken name may mean either, the default first."""
    start: int
    end: int
    form: str
    mode: Mode = Mode.WANT
    weight: Weight | None = None
    typo: bool = False


@dataclass(frozen=True, slots=True)
class LanguageMention:
    """A human language named in a message."""

    language: str
    use: str
    """"spoken", "test", "native" or "" when nothing around it says."""
    sentence: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What one user message says by itself."""

    text: Text
    sentences: tuple[Sentence, ...] = ()
    mentions: tuple[Mention, ...] = ()
    cues: tuple[CueMatch, ...] = ()
    limits: StatedLimits = StatedLimits()
    languages: tuple[LanguageMention, ...] = ()
    scope: tuple[ScopeIssue, ...] = ()
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
        text = self._speller.repair(written)
        names = self._lexicon.names.find(text.folded)
        cues = tuple(_outside(self._lexicon.cues.find(text.folded), names))
        sentences = split(text, cues, names)
        company = fold(context)
        lifted = [c for c in cues if {("language_lifted", "yes"), ("language_strict", "yes")} & set(c.value)]
        mentions = [m for m in self._mentions(text, names, company) if not any(c.start < m.end and m.start <= c.end for c in lifted)]
        if text is not written:
            known = {mention.form for mention in self._mentions(written, self._lexicon.names.find(written.folded), company)}
            mentions = [replace(m, typo=m.form not in known) for m in mentions]
        scope = read_scope(self._lexicon.scope, text, sentences)
        return Reading(
            text=text,
            sentences=sentences,
            mentions=tuple(_with_modes(text, sentences, cues, mentions)),
            cues=cues,
            limits=read_limits(text),
            languages=self._languages(text, sentences, mentions, lifted),
            scope=tuple(scope),
            unknown_names=_unknown_names(text, names),
            reply_language=self._language_of(text),
        )

    def _mentions(self, text: Text, names: Iterable[Match[tuple[str, ...]]], company: str) -> list[Mention]:
        lexicon = self._lexicon
        found = [Mention(Kind.NAME, match.value, match.start, match.end, match.form) for match in names]
        skills = longest([*lexicon.skills.find(text.folded), *self._guarded(text, company)])
        found += [
            Mention(Kind.SKILL, (match.value,), match.start, match.end, match.form)
            for match in _outside(skills, names)
        ]
        found += [
            Mention(Kind.ROLE, (match.value,), match.start, match.end, match.form)
            for match in _outside(lexicon.roles.find(text.folded), names)
        ]
        return sorted(found, key=lambda mention: (mention.start, mention.kind))

    def _guarded(self, text: Text, company: str) -> list[Match[str]]:
        found: list[Match[str]] = []
        for match in self._lexicon.guarded.find(text.folded):
            for skill, guard in match.value:
                if _allows(guard, text, match, company):
                    found.append(Match(match.start, match.end, skill, match.form))
                    break
        return found

    def _languages(
        self, text: Text, sentences: tuple[Sentence, ...], mentions: Iterable[Mention], settled: list[CueMatch]
    ) -> tuple[LanguageMention, ...]:
        inside = [m for m in mentions if m.kind is not Kind.ROLE]
        found = []
        for match in self._lexicon.languages.find(text.folded):
            if any(m.start <= match.start and match.end <= m.end and m.kind is Kind.NAME for m in inside):
                continue
            if match.value == "English" and any(c.start <= match.start and match.end <= c.end for c in settled):
                continue
            number = next((i for i, s in enumerate(sentences) if s.start <= match.start < s.end), 0)
            found.append(LanguageMention(match.value, _language_use(text.folded, match), number))
        return tuple(found)

    def _language_of(self, text: Text) -> str:
        tokens = words(text.plain)
        if any("\u0900" <= char <= "\u097f" for char in text.plain):
            return "hi"
        if len(tokens) < 4:
            return "en"
        scores = {
            code: sum(token in common for token in tokens) / len(tokens)
            for code, common in self._lexicon.reply_words.items()
        }
        best = max(scores, key=lambda code: (scores[code], code))
        return best if scores[best] >= 0.25 else "en"


def _outside(matches: Iterable[Match], names: Iterable[Match]) -> list[Match]:  # type: ignore[type-arg]
    """Matches that do not lie inside a product name."""
    spans = [(name.start, name.end) for name in names]
    return [m for m in matches if not any(start <= m.start and m.end <= end for start, end in spans)]


def _allows(guard: GuardedForm, text: Text, match: Match[object], company: str) -> bool:
    """Whether the company that an ambiguous form keeps lets it count."""
    if guard.case is not None and text.plain[match.start : match.end] != guard.case:
        return False
    folded = text.folded
    if any(_has_phrase(folded, phrase) for phrase in guard.unless):
        return False
    return not guard.needs or any(
        _has_phrase(folded, phrase, match) or (bool(company) and _has_phrase(company, phrase)) for phrase in guard.needs
    )


def _has_phrase(folded: str, phrase: str, beside: Match[object] | None = None) -> bool:
    needle = " ".join(phrase.lower().replace("-", " ").replace("/", " ").split())
    position = folded.find(needle)
    while position >= 0:
        before = folded[position - 1] if position else " "
        after = folded[position + len(needle)] if position + len(needle) < len(folded) else " "
        overlaps = beside is not None and position < beside.end and beside.start < position + len(needle)
        grown = after == "s" and not folded[position + len(needle) + 1 : position + len(needle) + 2].isalnum()
        if not before.isalnum() and (not after.isalnum() or grown) and (not overlaps or len(needle) > beside.end - beside.start):  # type: ignore[union-attr]
            return True
        position = folded.find(needle, position + 1)
    return False


_BRAND = re.compile(
    r"\b(opq\s?\d*[a-z]?\d*[a-z]?|mq[a-z]?\d+|verify [a-z+]+(?: [a-z+]+)?|svar [a-z]+|automata [a-z]+|writex [a-z]+)(?![\w+])"
)
_BRAND_ALONE = frozenset({"opq", "mq"})
_NOT_A_NAME = frozenset(
    "and or the a an is are was for with to of in on as test tests that it if can be by from too please"
    " that's we i they our your their his her at when whether how what".split()
)


def _unknown_names(text: Text, names: Iterable[Match[tuple[str, ...]]]) -> tuple[str, ...]:
    """What is built like a product name but is none ("OPQ64x", "Verify Ultra")."""
    spans = [(name.start, name.end) for name in names]
    unknown = []
    for match in _BRAND.finditer(text.folded):
        if any(start < match.end() and match.start() < end for start, end in spans):
            continue
        spoken = text.plain[match.start() : match.end()]
        if " " in spoken and not _looks_like_a_name(spoken):
            continue
        if match.group() in _BRAND_ALONE:
            continue
        unknown.append(_trim(spoken))
    return tuple(dict.fromkeys(unknown))


def _looks_like_a_name(spoken: str) -> bool:
    first, second, *_ = spoken.split()
    return first[0].isupper() and second[0].isupper() and second.lower() not in _NOT_A_NAME


def _trim(spoken: str) -> str:
    kept = spoken.split()
    while len(kept) > 2 and (kept[-1].lower() in _NOT_A_NAME or kept[-1].islower()):
        kept.pop()
    return " ".join(kept)


_SPOKEN_NEAR = re.compile(
    r"\b(call|calls|caller|callers|calling|speak|speaks|speaking|spoken|phone|voice|accent|inbound|outbound|talk"
    r"|talks|conversation|conversations|hablen|hablan|parlent|sprechen|falam|bolte|verbal fluency|fluency)\b"
)
_TEST_BEFORE = re.compile(
    r"(\b(in|en|auf|em|into|versions? in|available in|only|assessed in|tested in|take (?:it|them|the tests?) in)\s(?:the\s)?$)"
)
_TEST_AFTER = re.compile(r"^\s?(version|versions|language version|tests?|assessments?|only|edition|language)\b")
_NATIVE = re.compile(r"^\s?(speaker|speakers|native|natives|mother tongue|candidates|applicants|staff|workers|employees)\b")


def _language_use(folded: str, match: Match[str]) -> str:
    before, after = folded[max(0, match.start - 40) : match.start], folded[match.end : match.end + 40]
    if match.form.startswith("in ") or _TEST_BEFORE.search(before) or _TEST_AFTER.match(after):
        near = re.split(r"[.;!?\n]", before)[-1]
        return "spoken" if _SPOKEN_NEAR.search(near) else "test"
    if _SPOKEN_NEAR.search(before[-28:]) or _SPOKEN_NEAR.search(after[:28]):
        return "spoken"
    return "native" if _NATIVE.match(after) else ""


# --- what a message does with its mentions ---------------------------------------------------------

_CLAUSE = re.compile(r",| but | while | whereas |\(|\)|:")
_VERB_MODES = {"add": Mode.ADD, "drop": Mode.DROP, "not": Mode.NOT, "replace": Mode.REPLACE, "keep": Mode.KEEP,
               "only": Mode.ONLY, "choose": Mode.CHOOSE}  # fmt: skip


def _with_modes(
    text: Text, sentences: tuple[Sentence, ...], cues: tuple[CueMatch, ...], mentions: list[Mention]
) -> list[Mention]:
    read: list[Mention] = []
    carried: Weight | None = None
    for sentence in sentences:
        inside = [m for m in mentions if sentence.start <= m.start < sentence.end]
        cues_here = [c for c in cues if sentence.start <= c.start < sentence.end]
        weight = _heading_weight(sentence, inside, cues_here)
        if sentence.heading:
            carried = weight
        moded = _modes(text, sentence, cues_here, inside)
        read += [_weigh(text, m, cues_here, inside, carried) for m in moded]
    return read


def _heading_weight(sentence: Sentence, inside: list[Mention], cues: list[CueMatch]) -> Weight | None:
    found = [Weight(value) for cue in cues for group, value in cue.value if group == "weight"]
    return found[-1] if sentence.heading and found and not inside else None


def _modes(text: Text, sentence: Sentence, cues: list[CueMatch], mentions: list[Mention]) -> list[Mention]:
    """Walk the sentence from left to right, giving each mention what the last verb says."""
    events = sorted(
        [*((c.start, 0, c) for c in cues), *((m.start, 1, m) for m in mentions)]
        + [(sentence.start + c.start(), 2, c) for c in _CLAUSE.finditer(text.folded[sentence.start : sentence.end])],
        key=lambda event: (event[0], event[1]),
    )
    walk = _Walk(text, sentence)
    for _, kind, event in events:
        if kind == 0:
            walk.cue(event)
        elif kind == 1:
            walk.mention(event)
        else:
            walk.clause(sentence.start + event.end())
    return walk.read


class _Walk:
    """State while walking one sentence."""

    def __init__(self, text: Text, sentence: Sentence) -> None:
        self.text = text
        self.sentence = sentence
        self.read: list[Mention] = []
        self.mode = _resting_mode(sentence.kind)
        self.clause_start = 0  # index into `read`
        self.conditional = False
        self.fresh_negation = False

    def cue(self, cue: CueMatch) -> None:
        for group, value in cue.value:
            if group == "verb":
                self._verb(value, cue)
            elif group == "after":
                self._after(value, cue)
            elif group == "link" and self.mode is Mode.REPLACE and self.read and self.read[-1].mode is Mode.REPLACE:
                self.mode = Mode.ADD
            elif group == "only_where":
                self._only_where()

    def _verb(self, value: str, cue: CueMatch) -> None:
        mode = _VERB_MODES[value]
        if self.sentence.kind is SentenceKind.ADVICE or (self.sentence.kind is SentenceKind.QUESTION and value != "not"):
            return
        if value in ("add", "choose") and _negated(self.text.folded, cue.start):
            mode = Mode.DROP
        elif value in ("drop", "replace") and _negated(self.text.folded, cue.start):
            mode = Mode.KEEP
        if value == "drop" and self.text.folded[cue.start : cue.end].startswith(("instead of", "rather than", "in place of")):
            self._set_clause(Mode.WANT, Mode.ADD)
        if mode is Mode.CHOOSE and self.mode in (Mode.ADD, Mode.DROP, Mode.REPLACE, Mode.KEEP):
            return
        if mode is Mode.NOT and self.mode is Mode.DROP:
            return
        self.mode = mode

    def _after(self, value: str, cue: CueMatch) -> None:
        """"REST out", "Java definitely not": said of what stands right before it."""
        if self.sentence.kind is not SentenceKind.STATEMENT or not self.read or len(self.read) <= self.clause_start:
            return
        gap = self.text.folded[self.read[-1].end : cue.start]
        if len(gap.split()) > (2 if value == "drop" else 0) or (value == "add" and not _ends_clause(self.text.folded, cue.end)):
            return
        if value == "drop" and cue.form in ("no", "out", "off", "in") and not _ends_clause(self.text.folded, cue.end):
            return
        self._set_clause(None, Mode.DROP if value == "drop" else Mode.ADD)
        self.mode = _resting_mode(self.sentence.kind)

    def _set_clause(self, only: Mode | None, mode: Mode) -> None:
        self.read[self.clause_start :] = [
            replace(m, mode=mode) if only in (None, m.mode) else m for m in self.read[self.clause_start :]
        ]

    def _only_where(self) -> None:
        self.conditional = True
        for index in range(len(self.read) - 1, -1, -1):
            if self.read[index].mode is not Mode.ADD:
                break
            self.read[index] = replace(self.read[index], mode=Mode.IGNORED)

    def mention(self, mention: Mention) -> None:
        mode = Mode.IGNORED if self.conditional and self.mode is Mode.ADD else self.mode
        self.read.append(replace(mention, mode=mode))

    def clause(self, end: int) -> None:
        self.clause_start = len(self.read)
        if self.mode is Mode.NOT or _NEW_CLAUSE.match(self.text.folded[end : end + 60]):
            self.mode = _resting_mode(self.sentence.kind)


def _resting_mode(kind: SentenceKind) -> Mode:
    return {SentenceKind.QUESTION: Mode.ASK, SentenceKind.ADVICE: Mode.ADVICE}.get(kind, Mode.WANT)


_NEW_CLAUSE = re.compile(
    r"\s*(?:and |but |as |since |because )?(?:the |our |their |my )?(?:[\w+#.]+ ){1,4}?"
    r"(?:is|are|was|were|stays?|remains?|matters?|counts?|will|should|must|can|covers?|comes?|has|have|do|does|feels?|looks?)\b"
)
_NEGATION = re.compile(r"(?:\b(?:not|never|no need to|don't|dont|do not|didn't|won't|wouldn't|shouldn't|needn't|without)\s+(?:\w+\s+)?)$")
_END = re.compile(r"\s*(?:(?:again|too|then|now|please|instead|altogether|entirely|completely|as well|after all)\b\s*)?(?:$|[,.;!?\n)]|and\b|but\b|– )")


def _negated(folded: str, start: int) -> bool:
    return _NEGATION.search(folded[max(0, start - 24) : start]) is not None


def _ends_clause(folded: str, end: int) -> bool:
    return _END.match(folded[end:]) is not None


def _weigh(
    text: Text, mention: Mention, cues: list[CueMatch], mentions: list[Mention], carried: Weight | None
) -> Mention:
    """The weight that the nearest weight word gives to a mention."""
    weights = [(cue, Weight(value)) for cue in cues for group, value in cue.value if group == "weight"]
    best: Weight | None = carried
    for cue, weight in weights:
        if _reaches(text.folded, cue, mention, mentions, weights):
            best = weight
    return replace(mention, weight=best) if best is not None else mention


def _reaches(
    folded: str, cue: CueMatch, mention: Mention, mentions: list[Mention], weights: list[tuple[CueMatch, Weight]]
) -> bool:
    """A weight word covers the mentions of its clause before it, or else those that follow it."""
    before = [m for m in mentions if m.end <= cue.start and not _CLAUSE.search(folded[m.end : cue.start])]
    after_here = [m for m in mentions if m.start >= cue.end and not _CLAUSE.search(folded[cue.end : m.start])]
    if before and not after_here:
        listed = [m for m in mentions if m.end <= cue.start and _is_list(folded, m, cue, mentions)]
        return mention in before or mention in listed
    later = [other.start for other, _ in weights if other.start > cue.start]
    return mention.start >= cue.end and (not later or mention.start < min(later))


def _is_list(folded: str, mention: Mention, cue: CueMatch, mentions: list[Mention]) -> bool:
    """Whether only other mentions, commas and "and" stand between `mention` and the weight word's clause."""
    between = folded[mention.end : cue.start]
    for other in mentions:
        if other.start >= mention.end and other.end <= cue.start:
            between = between.replace(other.form, " ")
    return re.fullmatch(r"[\s,&]*(?:(?:and|or|is|are|both|all|would be|skills?|experience|knowledge|strong)[\s,&]*)*", between) is not None


def has_cue(cues: Iterable[CueMatch], wanted: Cue) -> bool:
    """Whether `wanted` is among the cues."""
    return any(wanted in cue.value for cue in cues)
