"""The form of a reply of the recommender: its kind, its parts, what makes it usable, relations in its list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from app.catalog import AssessmentId
from app.knowledge import Knowledge
from eval import no_data
from eval.facts import Check
from eval.no_data import TextClass
from eval.records import Payload
from eval.targets.recommender.criteria import Criteria
from eval.text import words

_NEXT = re.compile(
    r"\?|\b(?:tell me|please ask|ask (?:shl|your)|let me know|i can help|say undo|say the word|name (?:the|a|it)|could move|"
    r"stays as it is)\b",
    re.I,
)
_TOLD_TIME = re.compile(r"\bminutes?\b|\buntimed\b|\bnot stated\b|\bno testing time\b|\bhours?\b", re.I)
_TOTAL = re.compile(r"\btotal\b|\baltogether\b|\ball together\b|\bin all\b", re.I)
_ENDED = re.compile(r"[.!?:)\]”\"'…।]\s*$")
_NUMBERED = re.compile(r"^\s*\d{1,2}[.)]\s+\S")
_LEAST_REASON_WORDS = 2
_WORDS_WITHOUT_LIST = 130
_WORDS_AROUND_LIST = 70
_WORDS_FOR_EACH = 14


def form(criteria: Criteria, payload: Payload, before: Sequence[str]) -> Iterable[Check]:
    """Whether the answer is of the kind asked for, where `before` is the list that stood."""
    if criteria.list is not None:
        yield Check("shows a list" if criteria.list else "shows no list", bool(payload.ids) is criteria.list)
    if criteria.asks is not None:
        yield Check("asks back" if criteria.asks else "does not ask back", payload.asks is criteria.asks)
    if criteria.refuses is not None:
        yield Check("declines", declines(payload) is criteria.refuses)
    if criteria.same_list is not None and before:
        same = not payload.ids or set(payload.ids) == set(before)
        yield Check(
            "the list stays" if criteria.same_list else "the list changes", same is criteria.same_list
        )
    if criteria.nothing_fits is not None:
        said = no_data.classify(payload.ai_response, shows_data=bool(payload.ids))
        empty = said in (TextClass.FULL, TextClass.PARTIAL)
        yield Check(
            f"says that {'nothing' if criteria.nothing_fits else 'something'} fits",
            empty is criteria.nothing_fits,
        )


def declines(payload: Payload) -> bool:
    """Whether the words decline something."""
    return no_data.classify(payload.ai_response) is TextClass.REFUSAL


def facets(criteria: Criteria, payload: Payload, knowledge: Knowledge) -> Iterable[Check]:
    """Each part that was asked for: a required assessment or another edition of it, a point to be made."""
    families = {
        knowledge.entries[AssessmentId(key)].family for key in payload.ids if key in knowledge.entries
    }
    for key in criteria.must:
        yield Check(key, key in payload.ids or knowledge.entries[AssessmentId(key)].family in families)
    if criteria.any_of:
        yield Check(" or ".join(criteria.any_of), bool(set(criteria.any_of) & set(payload.ids)))
    for pattern in criteria.says:
        yield Check(f"says {pattern}", bool(re.search(pattern, payload.ai_response, re.I)))
    if criteria.list and not criteria.must:
        yield Check("a list", bool(payload.ids))
    if criteria.asks:
        yield Check("a question", "?" in payload.ai_response)


def relations(payload: Payload, knowledge: Knowledge, wanted: Sequence[str]) -> Iterable[Check]:
    """Relations in play between what is listed. What labels or user want together may stand together."""
    ids = [AssessmentId(each.id) for each in payload.recommendations if each.id in knowledge.entries]
    for key, times in Counter(ids).items():
        yield Check(f"{key} stands once", times == 1)
    shown = set(ids)
    for key in sorted(shown):
        entry = knowledge.entries[key]
        if entry.instruments:
            held = bool(shown & set(entry.instruments))
            yield Check(f"{key} stands beside what it is drawn from", held or key in wanted)
        if entry.successor in shown:
            yield Check(f"{key} does not stand beside its successor", key in wanted)
    groups = Counter(knowledge.entries[key].family for key in shown)
    for family, times in sorted(groups.items()):
        if times > 1:
            members = {key for key in shown if knowledge.entries[key].family == family}
            yield Check(f"one edition of {family}", len(members - set(wanted)) == 0)


def usefulness(payload: Payload) -> Iterable[Check]:
    """What lets the user act. A list that merely stands beside an answer in words needs no lines in it."""
    text = payload.ai_response.strip()
    lines = [line for line in text.splitlines() if _NUMBERED.match(line)]
    ends_in_line = bool(lines) and text.endswith(lines[-1].strip())
    yield Check("the text is whole", bool(text) and (ends_in_line or bool(_ENDED.search(text))))
    if payload.ids and (lines or not words(text)):
        told = [line for line in lines if _TOLD_TIME.search(line)]
        reasons = [line for line in lines if _reason_words(line) >= _LEAST_REASON_WORDS]
        yield Check("each line has a reason", len(reasons) >= len(payload.ids))
        yield Check("each line has a time", len(told) >= len(payload.ids))
        if len(payload.ids) > 1:
            yield Check("the total time is told", bool(_TOTAL.search(text)))
    elif not payload.ends:
        yield Check("says what to do next", bool(_NEXT.search(text)))


def _reason_words(line: str) -> int:
    return len(words(line.rpartition(":")[2])) if ":" in line else 0


def words_most(payload: Payload) -> int:
    """How many words of prose a fitting reply takes at most."""
    if not payload.ids:
        return _WORDS_WITHOUT_LIST
    return _WORDS_AROUND_LIST + _WORDS_FOR_EACH * len(payload.ids)
