"""How much each thing named matters: must, nice to have, occasional."""

from __future__ import annotations

import re
from dataclasses import replace

from app.records import Weight
from app.understanding.mentions import Mention
from app.understanding.sentences import CLAUSE, CueMatch, Sentence
from app.understanding.text import Text


def heading_weight(sentence: Sentence, inside: list[Mention], cues: list[CueMatch]) -> Weight | None:
    """The weight that a heading ("Nice to have:") gives to the lines below it."""
    found = [Weight(value) for cue in cues for group, value in cue.value if group == "weight"]
    return found[-1] if sentence.heading and found and not inside else None


def weigh(
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
    folded: str,
    cue: CueMatch,
    mention: Mention,
    mentions: list[Mention],
    weights: list[tuple[CueMatch, Weight]],
) -> bool:
    """A weight word covers the mentions of its clause before it, or else those that follow it."""
    before = [m for m in mentions if m.end <= cue.start and not CLAUSE.search(folded[m.end : cue.start])]
    after_here = [m for m in mentions if m.start >= cue.end and not CLAUSE.search(folded[cue.end : m.start])]
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
    return (
        re.fullmatch(
            r"[\s,&]*(?:(?:and|or|is|are|both|all|would be|skills?|experience|knowledge|strong)[\s,&]*)*",
            between,
        )
        is not None
    )
