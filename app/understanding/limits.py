"""Hard constraints that a message states: minutes, number of tests, adaptive, remote."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.understanding.text import Text

_NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "forty five": 45, "fifty": 50, "sixty": 60, "ninety": 90,
}  # fmt: skip
_WORDS = "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
_AMOUNT = rf"(?P<amount>\d{{1,3}}|{_WORDS})"
_MINUTES = re.compile(
    rf"\b{_AMOUNT}\s*(?:\+\s*)?(?:minutes?|mins?|min|minutos?|minuten?)\b"
    r"|(?P<half>\bhalf an hour\b|\bhalf hour\b)"
    r"|(?P<hour_half>\b(?:an|one) hour and a half\b|\b1\.5 hours?\b|\b90 min\b)"
    r"|(?P<hour>\b(?:an|one|1) hour\b|\b60 min\b)"
    r"|(?P<hours>\b(?:two|2) hours\b)"
)
_UNITLESS = re.compile(
    rf"\b{_AMOUNT}(?=\s+(?:each|apiece|per test|per assessment|in total|total|altogether|overall|all in)\b)"
    r"(?P<half>(?!))?(?P<hour_half>(?!))?(?P<hour>(?!))?(?P<hours>(?!))?"
)
_JOINT = re.compile(r",|\band\b|\bbut\b|\bwith\b")
"""Between two amounts: what stands before it belongs to the first, what stands behind it to the second."""
_SENTENCE_END = re.compile(r"[.;!?\n](?=\s|$)")
_LIMITING = re.compile(
    r"\b(under|below|within|less than|no more than|not more than|no longer than|not longer than|at most|max|maximum"
    r"|up to|limit|limited|cap|capped|tops|budget|only have|have only|shorter than|not exceed|not take more|or less"
    r"|must fit|fit in|fits in|fit into|keep it to|keep it under|stay under|menos de|maximo|máximo|moins de"
    r"|höchstens|maximal|unter|weniger als|no máximo|testing time|time limit|minute limit|total time|total|in total"
    r"|longer than|exceed|altogether|all in|per candidate|for everything|overall)\b"
)
_EACH = re.compile(
    r"\b(each(?! (?:person|candidate|applicant|of them))|apiece|per test|per assessment|every test|each test|any single|any one test|single test|individually"
    r"|no (?:one |individual )?(?:test|assessment)\b(?=.{1,30}\b(?:longer|over|more|exceed|above|beyond|past))|none of (?:the tests|the assessments|them)"
    r"|individual tests?|(?:tests?|those|ones|anything|everything|things) (?:of|under|over|longer|shorter|below|above)|cada prueba|chaque test|je test|pro test)\b"
)
_OF_ONE_TEST = re.compile(
    r"\ba (?:\w+ )?(?:test|check|quiz|one|exercise|assessment)\b[^.;!?\n]{0,20}$"
    r"|\b(?:is there|are there|have you(?: got)?|do you have|you got|got)\s(?:any|anything|something|one|some|a)\b[^.;!?\n]{0,60}$"
    r"|\b(?:add|include|put in)\b[^.;!?\n]*\b(?:something|test|exercise|check|quiz|simulation|questionnaire)\b[^.;!?\n]{0,40}$"
)
"""What one test that is asked for, or asked about, should take is no limit on the others."""
_COUNT = re.compile(
    rf"\b(?:(?:no more than|at most|up to|max(?:imum)?(?: of)?|only|just|exactly|top|limit (?:it|the list) to|give me|"
    rf"keep it to|not more than|shortlist of|list of|cap it at|cap the list at|cap at|capped at)\s+(?:the\s+)?(?:best\s+)?)(?P<count>\d{{1,2}}|{_WORDS})"
    r"\s*(?:tests?|assessments?|items?|tools?|solutions?|products?|options?|recommendations?|best)?\b(?!\s*(?:min|hour|year|%|percent|people|candidates|agents|hires))"
)
_COUNT_ONLY = re.compile(
    rf"\b(?P<count>[1-9]|10|{_WORDS}) (?:tests?|assessments?|items?) (?:only|max|maximum|at most|tops|in all|in total)\b"
)
_COUNT_NEEDS_NOUN = re.compile(
    r"(?:only|just|exactly|give me|up to|at most|no more than|not more than|max|maximum)\b"
)
_NOUN = re.compile(
    r"(tests?|assessments?|items?|tools?|solutions?|products?|options?|recommendations?|best)$"
)
_ADAPTIVE = re.compile(
    r"(?<!\()\b(?P<no>not|non|no|without)?\s*(?:only\s+)?(?:computer\s+)?adaptive\b(?!\s+(?:mindset|leader|person))"
)
_REMOTE = re.compile(
    r"\b(?:remote(?:ly)? (?:tested|testing|proctored|administered|unproctored)|test(?:ed)? remotely|unsupervised online|take (?:it|them) (?:from home|at home))\b"
)
_YEARS = re.compile(
    rf"\b(?P<years>\d{{1,2}}|{_WORDS})\s*\+?\s*(?:(?:-|–|to|or)\s*(?:\d{{1,2}}|{_WORDS})\s*\+?\s*)?(?:years?|yrs?|años|ans|jahre|anos|saal)\b"
)

_HEADS = re.compile(
    r"\b(?P<heads>\d{1,3}(?:,\d{3})+|\d{2,6})\+?\s+(?:[\w-]+\s+){0,5}?(?:agents|candidates|applicants|people|hires|positions"
    r"|operators|associates|representatives|reps|workers|clerks|starters|graduates|staff|employees|cashiers|drivers"
    r"|assistants|technicians|openings|vacancies|apprentices|trainees|pickers|guards)\b"
)


@dataclass(frozen=True, slots=True)
class StatedLimits:
    """What one message says; None where it says nothing."""

    minutes_each: int | None = None
    minutes_total: int | None = None
    list_size: int | None = None
    adaptive: bool | None = None
    remote: bool | None = None
    years: int | None = None
    """Years of experience."""
    headcount: int | None = None
    """People to be tested."""


def read_limits(text: Text) -> StatedLimits:
    """Limits stated in `text`."""
    folded = text.folded
    each, total = _minutes(folded)
    years = _YEARS.search(text.plain.lower())  # folding would take the dash out of "3-5 years"
    adaptive = _ADAPTIVE.search(folded)
    heads = _HEADS.search(folded)
    return StatedLimits(
        minutes_each=each,
        minutes_total=total,
        list_size=_list_size(folded),
        adaptive=(adaptive["no"] is None) if adaptive and _demands(folded, adaptive.start()) else None,
        remote=True if _REMOTE.search(folded) else None,
        years=_number(years["years"]) if years else None,
        headcount=int(heads["heads"].replace(",", "")) if heads else None,
    )


def _demands(folded: str, position: int) -> bool:
    """Whether "adaptive" is wished for rather than asked about."""
    sentence_end = min(
        (i for i in (folded.find("?", position), folded.find(".", position)) if i >= 0), default=-1
    )
    return sentence_end < 0 or folded[sentence_end] != "?"


def _minutes(folded: str) -> tuple[int | None, int | None]:
    each = total = None
    stated = list(_MINUTES.finditer(folded))
    if stated:  # "15 minutes each, 60 in total": one unit serves both
        stated = sorted([*stated, *_UNITLESS.finditer(folded)], key=lambda match: match.start())
    spans = [(0, 0), *(match.span() for match in stated), (len(folded), len(folded))]
    for number, match in enumerate(stated):
        before = folded[max(0, spans[number][1], match.start() - 60) : match.start()]
        after = folded[match.end() : min(spans[number + 2][0], match.end() + 40)]
        if number:
            before = _JOINT.split(before)[-1]
        if number + 1 < len(stated):
            after = _JOINT.split(after)[0]
        around = _SENTENCE_END.split(before)[-1] + match.group() + after
        if not _LIMITING.search(around) and not _EACH.search(around):
            continue
        if _OF_ONE_TEST.search(folded[: match.start()]):
            continue
        minutes = _length(match)
        if _EACH.search(around):
            each = minutes
        else:
            total = minutes
    return each, total


def _length(match: re.Match[str]) -> int:
    if match["half"]:
        return 30
    if match["hour_half"]:
        return 90
    if match["hour"]:
        return 60
    if match["hours"]:
        return 120
    return _number(match["amount"])


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBER_WORDS[word]


def _list_size(folded: str) -> int | None:
    bare = _COUNT_ONLY.search(folded)
    if bare:
        return _number(bare["count"])
    for match in _COUNT.finditer(folded):
        rest, found = folded[match.end() :].lstrip(), match.group().strip()
        if _COUNT_NEEDS_NOUN.match(found) and not _NOUN.search(found) and rest[:1] not in (",", ".", ";", ""):
            continue
        count = _number(match["count"])
        if 1 <= count <= 10:
            return count
    return None
