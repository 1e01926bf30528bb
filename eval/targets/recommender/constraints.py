"""What a case lays down for the answer: limits, drops, form of the conversation, language of the reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from app.catalog import Assessment, Catalog
from app.knowledge import Knowledge
from eval.facts import Check
from eval.records import Payload
from eval.targets.recommender.criteria import Criteria
from eval.text import words

LIST_LIMIT = 10
_ENGLISH = frozenset(
    "the a an and or of to for in on is are was it that this with i you your we what which can not no by from"
    " as at be have has do does would use here added dropped time total so how much more they".split()
)
_LEAST_FOREIGN = 3
"""Fewer function words of another language are names and quotations."""


def constraints(
    criteria: Criteria, payload: Payload, catalog: Catalog, knowledge: Knowledge, lexicon: Path
) -> tuple[Check, ...]:
    """Each constraint; None held where this answer cannot keep or break it.

    Args:
        criteria: of the case.
        payload: the judged answer.
        catalog: for times and languages.
        knowledge: tells reports, which nobody sits.
        lexicon: data/lexicon, with function words of other languages.
    """
    shown = [fact for key in payload.ids if (fact := catalog.get(key)) is not None]
    return (
        _against("the reply is in English", in_english(payload.ai_response, lexicon)),
        _against("at most ten are listed", len(payload.recommendations) <= LIST_LIMIT),
        *_exclusions(criteria, payload),
        *(_limits(criteria, payload, shown, knowledge) if payload.ids else ()),
        *_course(criteria, payload),
    )


def _against(what: str, held: bool | None) -> Check:
    return Check(what, held, contradicted=held is False)


def _exclusions(criteria: Criteria, payload: Payload) -> Iterable[Check]:
    for key in criteria.dropped:
        yield _against(f"{key} was dropped and stays out", key not in payload.ids)
    others = [key for key in criteria.must_not if key not in criteria.dropped]
    if others:
        wrong = [key for key in others if key in payload.ids]
        yield _against(f"nothing excluded is listed{': ' if wrong else ''}{', '.join(wrong)}", not wrong)
    for pattern in criteria.never_says:
        yield _against(f"never says {pattern}", not re.search(pattern, payload.ai_response, re.I))


def _limits(
    criteria: Criteria, payload: Payload, shown: Sequence[Assessment], knowledge: Knowledge
) -> Iterable[Check]:
    minutes = [a.minutes or 0 for a in shown if not knowledge.entries[a.id].is_report]
    if criteria.minutes_total is not None:
        yield _against(f"{criteria.minutes_total} minutes together", sum(minutes) <= criteria.minutes_total)
    if criteria.minutes_each is not None:
        yield _against(
            f"{criteria.minutes_each} minutes each", max(minutes, default=0) <= criteria.minutes_each
        )
    if criteria.languages:
        lacking = [a.id for a in shown if a.languages and not _offered(a, criteria.languages)]
        yield _against(f"offered in {' or '.join(criteria.languages)}", not lacking)
    if criteria.adaptive is not None:
        yield _against(f"adaptive: {criteria.adaptive}", all(a.adaptive is criteria.adaptive for a in shown))
    if criteria.most is not None:
        yield _against(f"at most {criteria.most}", len(payload.ids) <= criteria.most)


def _offered(assessment: Assessment, languages: tuple[str, ...]) -> bool:
    return any(name.startswith(languages) for name in assessment.languages)


def _course(criteria: Criteria, payload: Payload) -> Iterable[Check]:
    if criteria.ends is not None:
        words_ = "ends, because the user accepts" if criteria.ends else "does not end yet"
        yield _against(words_, bool(payload.ends) is criteria.ends)


def in_english(text: str, lexicon: Path) -> bool | None:
    """Whether English function words outnumber those of any other language; None for too few of either."""
    said = words(text)
    english = sum(word in _ENGLISH for word in said)
    others = max((sum(word in known for word in said) for known in _foreign(lexicon).values()), default=0)
    scripts = sum(any("\u0900" <= c <= "\u0dff" or "\u0400" <= c <= "\u04ff" for c in word) for word in said)
    foreign = max(others, scripts)
    if foreign < _LEAST_FOREIGN and english < _LEAST_FOREIGN:
        return None
    return foreign < _LEAST_FOREIGN or english >= foreign


@cache
def _foreign(lexicon: Path) -> Mapping[str, frozenset[str]]:
    rows = json.loads((lexicon / "reply_language.json").read_text(encoding="utf-8"))
    return {code: frozenset(row["words"]) - _ENGLISH for code, row in rows.items()}
