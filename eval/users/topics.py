"""Which topic a question is about, by the words that any service would use for it."""

from __future__ import annotations

import re
from typing import Literal

Topic = Literal[
    "spoken", "accent", "language", "minutes", "purpose", "lead", "level", "skills", "role", "go_ahead"
]

_WORDS: tuple[tuple[Topic, str], ...] = (
    ("accent", r"accent|variant of (?:the )?(?:spoken|english)"),
    ("go_ahead", r"shall i|should i (?:build|go|proceed|put)|want me to|is that (?:ok|fine|all right)|"
                 r"go ahead"),
    ("spoken", r"language (?:are|do|is|will) (?:the |your |their )?(?:calls?|callers?|customers?)|"
               r"spoken language|speak(?:s|ing)? (?:to|with|on)|calls? in\b"),
    ("purpose", r"selection or development|select(?:ing|ion)?\b.*\bdevelop|develop\w*\b.*\bselect|purpose|"
                r"choose people|what should the results decide|hiring or|already in (?:the )?role"),
    ("language", r"which languages?|what languages?|in english|language"),
    ("minutes", r"how (?:long|much time|many minutes)|time (?:limit|budget)|minutes"),
    ("lead", r"individual contributor|tech(?:nical)? lead|leads? (?:a team|others?)|"
             r"manages? (?:people|a team)"),
    ("level", r"\blevels?\b|seniority|how senior|years of experience|junior|graduate or"),
    ("skills", r"\bskills?\b|technolog|stack|day to day|matters? most|backend|frontend|measure|"
               r"what should the tests show"),
    ("role", r"\broles?\b|\bjob\b|position|who (?:is|are) (?:this|these|you|they)|whom|hiring for"),
)  # fmt: skip
_PATTERNS = tuple((topic, re.compile(words, re.I)) for topic, words in _WORDS)
_SENTENCE = re.compile(r"[^.!?\n]*\?")


def topics_asked(reply: str) -> tuple[Topic, ...]:
    """The topics of the questions in `reply`, the more particular first; none if nothing is recognised."""
    questions = " ".join(_SENTENCE.findall(reply))
    return tuple(topic for topic, pattern in _PATTERNS if pattern.search(questions))
