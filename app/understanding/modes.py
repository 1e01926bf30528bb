"""What a message does with each thing it names: wants, adds, drops, keeps, asks about.

A sentence is read from left to right; a verb holds until the next verb, "not" only to the end of its clause.
"""

from __future__ import annotations

import re
from dataclasses import replace

from app.records import Weight
from app.understanding.mentions import Mention, Mode
from app.understanding.sentences import CLAUSE, CueMatch, Sentence, SentenceKind
from app.understanding.text import Text
from app.understanding.weights import heading_weight, weigh

_VERB_MODES = {"add": Mode.ADD, "drop": Mode.DROP, "not": Mode.NOT, "replace": Mode.REPLACE, "keep": Mode.KEEP,
               "only": Mode.ONLY, "choose": Mode.CHOOSE}  # fmt: skip


def with_modes(
    text: Text, sentences: tuple[Sentence, ...], cues: tuple[CueMatch, ...], mentions: list[Mention]
) -> list[Mention]:
    read: list[Mention] = []
    carried: Weight | None = None
    for sentence in sentences:
        inside = [m for m in mentions if sentence.start <= m.start < sentence.end]
        cues_here = [c for c in cues if sentence.start <= c.start < sentence.end]
        weight = heading_weight(sentence, inside, cues_here)
        if sentence.heading:
            carried = weight
        moded = _modes(text, sentence, cues_here, inside)
        read += [weigh(text, m, cues_here, inside, carried) for m in moded]
    return read


def _modes(text: Text, sentence: Sentence, cues: list[CueMatch], mentions: list[Mention]) -> list[Mention]:
    """Walk the sentence from left to right, giving each mention what the last verb says."""
    events = sorted(
        [*((c.start, 0, c) for c in cues), *((m.start, 1, m) for m in mentions)]
        + [
            (sentence.start + c.start(), 2, c)
            for c in CLAUSE.finditer(text.folded[sentence.start : sentence.end])
        ],
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
            elif (
                group == "link"
                and self.mode is Mode.REPLACE
                and self.read
                and self.read[-1].mode is Mode.REPLACE
            ):
                self.mode = Mode.ADD
            elif group == "only_where":
                self._only_where()

    def _verb(self, value: str, cue: CueMatch) -> None:
        mode = _VERB_MODES[value]
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

    def _after(self, value: str, cue: CueMatch) -> None:
        """ "REST out", "Java definitely not": said of what stands right before it."""
        if (
            self.sentence.kind is not SentenceKind.STATEMENT
            or not self.read
            or len(self.read) <= self.clause_start
        ):
            return
        gap = self.text.folded[self.read[-1].end : cue.start]
        if len(gap.split()) > (2 if value == "drop" else 0) or (
            value == "add" and not _ends_clause(self.text.folded, cue.end)
        ):
            return
        if (
            value == "drop"
            and cue.form in ("no", "out", "off", "in")
            and not _ends_clause(self.text.folded, cue.end)
        ):
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
        if self.mode is Mode.NOT or _NEWCLAUSE.match(self.text.folded[end : end + 60]):
            self.mode = _resting_mode(self.sentence.kind)


def _resting_mode(kind: SentenceKind) -> Mode:
    return {SentenceKind.QUESTION: Mode.ASK, SentenceKind.ADVICE: Mode.ADVICE}.get(kind, Mode.WANT)


_NEWCLAUSE = re.compile(
    r"\s*(?:and |but |as |since |because )?(?:the |our |their |my )?(?:[\w+#.]+ ){1,4}?"
    r"(?:is|are|was|were|stays?|remains?|matters?|counts?|will|should|must|can|covers?|comes?|has|have|do|does|feels?|looks?)\b"
)
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
