"""What a message does with each thing it names: wants, adds, drops, keeps, asks about.

A sentence is read from left to right; a verb holds until the next verb, "not" only to the end of its clause.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from operator import itemgetter

from app.records import Weight
from app.understanding.mentions import Mention, Mode
from app.understanding.sentences import ASKING, CLAUSE, CueMatch, Sentence, SentenceKind
from app.understanding.text import Text, words
from app.understanding.weights import heading_weight, weigh

_VERB_MODES = {"add": Mode.ADD, "drop": Mode.DROP, "not": Mode.NOT, "replace": Mode.REPLACE, "keep": Mode.KEEP,
               "only": Mode.ONLY, "choose": Mode.CHOOSE}  # fmt: skip


def with_modes(
    text: Text, sentences: tuple[Sentence, ...], cues: tuple[CueMatch, ...], mentions: list[Mention]
) -> list[Mention]:
    """The mentions with what the message does with them and how much they matter."""
    read: list[Mention] = []
    answers = _answered_at_once(text, sentences)
    carried: Weight | None = None
    for sentence in sentences:
        inside = [m for m in mentions if sentence.start <= m.start < sentence.end]
        cues_here = [c for c in cues if sentence.start <= c.start < sentence.end]
        weight = heading_weight(sentence, inside, cues_here)
        if sentence.heading:
            carried = weight
        moded = [
            replace(m, mode=answers.get(sentence, m.mode)) for m in _modes(text, sentence, cues_here, inside)
        ]
        read += [weigh(text, m, cues_here, inside, carried) for m in moded]
    return read


_ANSWERED_WORDS = 3
_ANSWER = re.compile(r"\s*(no|nope|nein|non|yes|yep|ja|oui|sí|si)\b")


def _answered_at_once(text: Text, sentences: tuple[Sentence, ...]) -> dict[Sentence, Mode]:
    """ "Personality? No.": a short question that its next sentence answers is an order."""
    found: dict[Sentence, Mode] = {}
    for asked, reply in pairwise(sentences):
        answer = _ANSWER.match(text.folded[reply.start : reply.end])
        short = len(text.folded[asked.start : asked.end].split()) <= _ANSWERED_WORDS
        if asked.kind is SentenceKind.QUESTION and answer and short:
            found[asked] = Mode.DROP if answer[1] in ("no", "nope", "nein", "non") else Mode.ADD
    return found


def _modes(text: Text, sentence: Sentence, cues: list[CueMatch], mentions: list[Mention]) -> list[Mention]:
    """Walk the sentence from left to right, giving each mention what the last verb says."""
    walk = _Walk(text, sentence)
    steps: list[tuple[int, int, Callable[[], None]]] = []
    steps += [(cue.start, 0, partial(walk.cue, cue)) for cue in cues]
    steps += [(mention.start, 1, partial(walk.mention, mention)) for mention in mentions]
    for comma in CLAUSE.finditer(text.folded, sentence.start, sentence.end):
        if not any(cue.start < comma.start() < cue.end for cue in cues):
            steps.append((comma.start(), 2, partial(walk.clause, comma.end())))
    for _, _, step in sorted(steps, key=itemgetter(0, 1)):
        step()
    if _names_only(text, sentence, walk.read):
        return [replace(m, mode=Mode.ONLY) for m in walk.read]
    return walk.read


_JUST = re.compile(r"\W*(?:(?:ok|okay|no|so|then|in that case|please)\W+)*(?:just|only)\s+(?:the\s+)?$")
_BESIDE_NAMES = frozenset(
    "and the test tests one ones exam assessment assessments then please for now".split()
)


def _names_only(text: Text, sentence: Sentence, mentions: list[Mention]) -> bool:
    """Whether the sentence is "just A and B": what it names is all that is wanted."""
    if not mentions or any(m.mode is not Mode.WANT for m in mentions):
        return False
    if not _JUST.fullmatch(text.folded[sentence.start : mentions[0].start]):
        return False
    gaps = [text.folded[one.end : other.start] for one, other in pairwise(mentions)]
    rest = [*gaps, text.folded[mentions[-1].end : sentence.end]]
    return all(set(words(gap)) <= _BESIDE_NAMES for gap in rest)


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
            elif group == "link" and self.mode is Mode.REPLACE and self._has_object(cue):
                self.mode = Mode.ADD
            elif group == "only_where":
                self._only_where()
            elif group == "recast":
                self._recast()
            elif group == "strict":
                self._strict()
            elif group == "than":
                self._than()

    def _verb(self, value: str, cue: CueMatch) -> None:
        mode = _VERB_MODES[value]
        if value == "only" and _BESIDES.match(self.text.folded, self.sentence.start):
            return
        if self.sentence.kind is SentenceKind.ADVICE or (
            self.sentence.kind is SentenceKind.QUESTION and value != "not"
        ):
            return
        if value in ("add", "choose") and _negated(self.text.folded, cue.start):
            mode = Mode.DROP
        elif value in ("drop", "replace") and _negated(self.text.folded, cue.start):
            mode = Mode.KEEP
        if value == "drop" and self.text.folded[cue.start : cue.end].startswith(
            ("instead of", "rather than", "in place of")
        ):
            self._set_clause(Mode.WANT, Mode.ADD)
        if mode is Mode.CHOOSE and self.mode in (Mode.ADD, Mode.DROP, Mode.REPLACE, Mode.KEEP):
            return
        if mode is Mode.NOT and self.mode is Mode.DROP:
            return
        self.mode = mode

    def _has_object(self, link: CueMatch) -> bool:
        """Whether what is to be replaced was named before the link, or stands there as a pronoun."""
        named = bool(self.read) and self.read[-1].mode is Mode.REPLACE
        return named or _PRONOUN_BEFORE.search(self.text.folded[: link.start]) is not None

    def _after(self, value: str, cue: CueMatch) -> None:
        """ "REST out", "Java definitely not": said of what stands right before it."""
        if (
            self.sentence.kind not in (SentenceKind.STATEMENT, SentenceKind.REQUEST)
            or not self.read
            or len(self.read) <= self.clause_start
        ):
            return
        ends = _ends_clause(self.text.folded, cue.end)
        if cue.form.endswith(" not") and not ends:  # "and definitely not C#" is said of what follows
            self.mode = Mode.NOT
            return
        gap = self.text.folded[self.read[-1].end : cue.start]
        if len(gap.split()) > (2 if value == "drop" else 0) or (value == "add" and not ends):
            return
        if value == "drop" and cue.form in ("no", "out", "off", "in") and not ends:
            return
        self._set_clause(None, {"drop": Mode.DROP, "add": Mode.ADD, "keep": Mode.KEEP}[value])
        self.mode = _resting_mode(self.sentence.kind)

    def _set_clause(self, only: Mode | None, mode: Mode) -> None:
        self.read[self.clause_start :] = [
            replace(m, mode=mode) if only in (None, m.mode) else m for m in self.read[self.clause_start :]
        ]

    def _recast(self) -> None:
        """ "Add Docker, or rather Kubernetes": what was named last is taken back."""
        if self.read and self.sentence.kind is SentenceKind.STATEMENT:
            self.mode = self.read[-1].mode
            self.read[-1] = replace(self.read[-1], mode=Mode.IGNORED)

    def _strict(self) -> None:
        """ "A and B, nothing else": the list is what was named."""
        if self.sentence.kind not in ASKING:
            self.read = [
                replace(m, mode=Mode.ONLY) if m.mode in (Mode.WANT, Mode.CHOOSE, Mode.KEEP) else m
                for m in self.read
            ]

    def _than(self) -> None:
        """ "I'd rather have A than B": A is wanted, B is not."""
        if "rather" in self.text.folded[self.sentence.start : self.sentence.end] and self.read:
            self.read = [
                replace(m, mode=Mode.ADD) if m.mode in (Mode.WANT, Mode.CHOOSE) else m for m in self.read
            ]
            self.mode = Mode.DROP

    def _only_where(self) -> None:
        self.conditional = True
        for index in range(len(self.read) - 1, -1, -1):
            if self.read[index].mode is not Mode.ADD:
                break
            self.read[index] = replace(self.read[index], mode=Mode.IGNORED)

    def mention(self, mention: Mention) -> None:
        mode = Mode.IGNORED if self.conditional and self.mode is Mode.ADD else self.mode
        if mode is Mode.NOT and _TRAINED.search(self.text.folded[: mention.start]):
            mode = Mode.IGNORED
        self.read.append(replace(mention, mode=mode))

    def clause(self, end: int) -> None:
        self.clause_start = len(self.read)
        if self.mode is Mode.NOT or _NEW_CLAUSE.match(self.text.folded[end : end + 60]):
            self.mode = _resting_mode(self.sentence.kind)


def _resting_mode(kind: SentenceKind) -> Mode:
    return {SentenceKind.QUESTION: Mode.ASK, SentenceKind.ADVICE: Mode.ADVICE}.get(kind, Mode.WANT)


_NEW_CLAUSE = re.compile(
    r"\s*(?:and |but |as |since |because )?"
    r"(?:(?:they|we|he|she|i|you|there)(?:'ll|'ve|'re|'d|'s|'m)?\b|(?:it|that|this|these|those)(?:'s| is| are)\b"
    r"|(?:the |our |their |my )?(?:[\w+#.]+ ){1,4}?(?:is|are|was|were|stays?|remains?|matters?|counts?|will|should"
    r"|must|can|covers?|comes?|has|have|do|does|feels?|looks?)\b)"
)
"""A comma that opens a sentence of its own, not the next item of a list."""
_PRONOUN_BEFORE = re.compile(r"\b(?:it|that|this|them|these|those|that one|this one)\s+(?:out\s+)?$")
_BESIDES = re.compile(
    r"\s*(?:and\s|but\s)?(?:beside|besides|apart from|aside from|other than|in addition|on top of)\b"
)
""" "Besides that I just want people who are reliable" adds."""
_TRAINED = re.compile(
    r"\b(?:trained|certified|qualified|accredited)\s(?:on|in|for|to use)\s(?:the\s|an?\s)?$"
)
""" "The manager was never trained on OPQ" says who reads it, not that it is unwanted."""
_NEGATION = re.compile(
    r"(?:\b(?:not|never|no need to|don't|dont|do not|didn't|won't|wouldn't|shouldn't|needn't|without)\s+(?:\w+\s+)?)$"
)
_END = re.compile(
    r"\s*(?:(?:again|too|then|now|please|instead|altogether|entirely|completely|as well|after all)\b\s*)?(?:$|[,.;!?\n)]|and\b|but\b|– )"
)


def _negated(folded: str, start: int) -> bool:
    return _NEGATION.search(folded[max(0, start - 24) : start]) is not None


def _ends_clause(folded: str, end: int) -> bool:
    return _END.match(folded[end:]) is not None
