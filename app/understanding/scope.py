"""Recognise what the service declines, without refusing honest requests that contain such a word."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import replace
from itertools import pairwise

from app.records import ScopeIssue
from app.understanding.lexicon import ScopePair, ScopeRule
from app.understanding.sentences import Sentence, SentenceKind
from app.understanding.text import Text, prepare

_ENCODED = re.compile(r"\b[A-Za-z0-9+/]{16,}={0,2}")
_ASKING_ONLY = frozenset({ScopeIssue.LEGAL, ScopeIssue.HR_ADVICE, ScopeIssue.SCORE_POLICY})
"""Declined only where something is asked: a job text may well mention a salary or a statute."""
_ASKS_US = re.compile(
    r"\b(?:(?:tell|give|send|show|write|draft|quote|suggest|explain to|advise) (?:me|us)"
    r"|(?:i|we|i'd|we'd)(?: would)?(?: also)? (?:like|need|want|have) to know|let (?:me|us) know"
    r"|dis moi|dites (?:moi|nous)|sag mir|sagen sie (?:mir|uns)|dime|diganos|me diga|batao)\b"
    r"|^\W*(?:and |so |just |also |ok |now )*(?:confirm|explain|advise|(?:draft|quote|write) (?:a|an|the|our|my))\b"
)
"""An order that is a question by its sense: "tell me the price"."""


def read_scope(
    rules: tuple[ScopeRule, ...], text: Text, sentences: tuple[Sentence, ...]
) -> dict[ScopeIssue, Sentence]:
    """What is to be declined, with the sentence that shows it; in text order."""
    parts = [(sentence, text.folded[sentence.start : sentence.end]) for sentence in sentences]
    asking = [(s, part) for s, part in parts if s.kind is not SentenceKind.STATEMENT or _ASKS_US.search(part)]
    found: dict[ScopeIssue, Sentence] = {}
    for rule in rules:
        issue = ScopeIssue(rule.issue)
        shown_by = _first(rule, asking if issue in _ASKING_ONLY else parts)
        if shown_by is not None:
            found[issue] = shown_by
    if ScopeIssue.STEERING not in found and sentences and _hidden_order(rules, text.plain):
        found[ScopeIssue.STEERING] = sentences[0]
    return dict(sorted(found.items(), key=lambda item: item[1].start))


def _first(rule: ScopeRule, parts: list[tuple[Sentence, str]]) -> Sentence | None:
    """The first sentence that `rule` applies to; most pairs stand nowhere and are left out at once."""
    whole = "\n".join(part for _, part in parts)
    likely = replace(rule, pairs=tuple(pair for pair in rule.pairs if pair.objects.find(whole)))
    if not likely.pairs and not rule.phrases.find(whole):
        return None
    return next((sentence for sentence, part in parts if _applies(likely, part)), None)


def _applies(rule: ScopeRule, part: str) -> bool:
    shown = bool(rule.phrases.find(part)) or any(_near(pair, part) for pair in rule.pairs)
    return shown and not rule.unless.find(part)


def _near(pair: ScopePair, part: str) -> bool:
    """Whether an aim and an object stand near each other, in either order."""
    objects = pair.objects.find(part)
    if not objects:
        return False
    marks = sorted(
        [(match.start, match.end, "object") for match in objects]
        + [(match.start, match.end, "verb") for match in pair.verbs.find(part)]
    )
    return any(
        first != second and len(part[end:start].split()) <= pair.window_words
        for (_, end, first), (start, _, second) in pairwise(marks)
    )


def _hidden_order(rules: tuple[ScopeRule, ...], plain: str) -> bool:
    """Whether a base64 word of the message decodes to an attempt to steer the service."""
    steering = next(rule for rule in rules if rule.issue == ScopeIssue.STEERING)
    for match in _ENCODED.finditer(plain):
        try:
            decoded = base64.b64decode(match.group(), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if decoded.isprintable() and _applies(steering, prepare(decoded).folded):
            return True
    return False
