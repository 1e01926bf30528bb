"""Recognise what the service declines, without refusing honest requests that contain such a word."""

from __future__ import annotations

import base64
import binascii
import re

from app.records import ScopeIssue
from app.understanding.lexicon import ScopePair, ScopeRule
from app.understanding.phrases import Match
from app.understanding.sentences import Sentence, SentenceKind
from app.understanding.text import Text, prepare

_ENCODED = re.compile(r"\b[A-Za-z0-9+/]{16,}={0,2}")
_ASKING_ONLY = frozenset({ScopeIssue.LEGAL, ScopeIssue.HR_ADVICE, ScopeIssue.SCORE_POLICY})
"""Declined only where something is asked: a job text may well mention a salary or a statute."""


def read_scope(
    rules: tuple[ScopeRule, ...], text: Text, sentences: tuple[Sentence, ...]
) -> dict[ScopeIssue, Sentence]:
    """What is to be declined, with the sentence that shows it."""
    found: dict[ScopeIssue, Sentence] = {}
    for sentence in sentences:
        part = text.folded[sentence.start : sentence.end]
        for rule in rules:
            issue = ScopeIssue(rule.issue)
            if issue in found or (issue in _ASKING_ONLY and sentence.kind is SentenceKind.STATEMENT):
                continue
            if _applies(rule, part):
                found[issue] = sentence
    if ScopeIssue.STEERING not in found and sentences and _hidden_order(rules, text.plain):
        found[ScopeIssue.STEERING] = sentences[0]
    return found


def _applies(rule: ScopeRule, part: str) -> bool:
    if rule.unless.find(part):
        return False
    if rule.phrases.find(part):
        return True
    return any(_near(pair, part) for pair in rule.pairs)


def _near(pair: ScopePair, part: str) -> bool:
    objects = pair.objects.find(part)
    if not objects:
        return False
    verbs = pair.verbs.find(part)
    return any(_words_between(part, verb, thing) <= pair.window_words for verb in verbs for thing in objects)


def _words_between(part: str, first: Match[str], second: Match[str]) -> int:
    if first.start > second.start:
        first, second = second, first
    return len(part[first.end : second.start].split())


def _hidden_order(rules: tuple[ScopeRule, ...], plain: str) -> bool:
    """Whether a base64 word of the message decodes to an attempt to steer the service."""
    steering = next(rule for rule in rules if rule.issue == ScopeIssue.STEERING)
    for match in _ENCODED.finditer(plain):
        try:
            decoded = base64.b64decode(match.group(), validate=True).decode("ascii")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if decoded.isprintable() and _applies(steering, prepare(decoded).folded):
            return True
    return False
