"""Words and patterns, English and Hindi-English, by which questions are read; none names data."""

from __future__ import annotations

from typing import Final

HINDI: Final = frozenset(
    "kitna kitni kitne ka ki ke hai hain tha thi kya kaun kaunsa kaunsi batao bataiye dikhao mein sabse zyada kam "
    "bikri bika bike kahan kab chala tak se aur wale wali mujhe".split()
)
HARMLESS: Final = frozenset(
    "a all an and are at by do does each every for from give has have how i in is it list many me my name names number "
    "of on our please s show tell that the their there they to us we what which with you your count data currently now "
    "company total".split()
)
"""Words that do not narrow a list down."""
NUMBER: Final = (
    r"(?:₹|rs\.?|inr)?\s*(\d[\d,]*(?:\.\d+)?)\s*(lakhs?|lacs?|crores?|cr|k|thousand|hazaar|%|percent)?"
)
SCALE: Final = {
    "lakh": 100_000, "lac": 100_000, "crore": 10_000_000, "cr": 10_000_000, "k": 1000, "thousand": 1000, "hazaar": 1000,
}  # fmt: skip
NUMBER_WORDS: Final = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "ten": 10,
    "teen": 3,
    "paanch": 5,
    "das": 10,
}
OVER: Final = (
    rf"\b(?:above|over|more than|greater than|at least|exceeding|exceed|se zyada|se upar)\s+{NUMBER}"
)
UNDER: Final = rf"\b(?:below|under|less than|fewer than|at most|se kam|se neeche)\s+{NUMBER}"
OVER_HINDI: Final = rf"{NUMBER}\s+se (?:zyada|upar)"
UNDER_HINDI: Final = rf"{NUMBER}\s+se (?:kam|neeche)"
MOST: Final = (
    r"\b(?:top|best|highest|most|maximum|largest|biggest|leading|sabse zyada|sabse jyada|sabse achha)\b"
)
LEAST: Final = r"\b(?:bottom|worst|lowest|least|minimum|smallest|weakest|sabse kam|sabse kharab)\b"
YEAR_BEFORE: Final = (
    r"\b(?:yoy|year on year|year over year|same (?:period|month|quarter|week|day) last year)\b"
)
LAST_YEAR: Final = r"\b(?:last|pichhle|pichle) (?:year|saal)\b"
STEP_BEFORE: Final = r"\b(?:mom|month on month|wow|week on week|previous period|the period before)\b"
SHARE: Final = r"\b(?:share|contribution|contributes?|mix|proportion|hissa|what part)\b"
DEFINE: Final = (
    r"\b(?:define|definition|meaning of|what does .* mean|how is .* (?:calculated|computed)|ka matlab)\b"
)
LAST_RUN: Final = (
    r"\b(?:when (?:did|was) .*\brun|(?<!by )status of .*\brun|run status of|kab chal[ai]|last ran)\b"
)
COUNT: Final = r"\b(?:how many|number of|count of|kitne|kitni)\b"
LIST: Final = r"\b(?:list|show|which|name|what are|dikhao|kaun ?se|kaun ?si|batao)\b"
EACH: Final = r"\b(?:by|per|wise|each|every|across|for all|ke hisaab se|har)\b"
NOT_COVERED: Final = r"\bper (?:square|sq)|\b(?:first|second|third|fourth) (?:week|day|half)\b|\bmissed\b|\bwhy\b|\b(?:percentage|percent) of (?:bills|stores|units)\b|\bkyun\b"
"""What the rules have no answer to; a figure beside the question would mislead."""
HOW_IT_GOES: Final = r"\bhow (?:did|is|are|was|were|has|have)\b.*\b(?:do|doing|done)\b"
PERIOD_GRAINS: Final = frozenset({"day", "week", "month", "quarter", "fiscal year"})
TIMED: Final = frozenset({"festival", "promotion", "season"})
"""What has a time of its own, so that no other is taken for granted."""
ATTRIBUTES: Final = {
    "mrp": "mrp", "price": "mrp", "daam": "mrp", "unit cost": "unit_cost", "area": "area_sqft", "opened": "opened_on",
    "opening date": "opened_on", "lead time": "lead_time_days", "launched": "launched_on", "launch date": "launched_on",
    "positioning": "positioning", "status": "store_status", "style name": "style_name",
}  # fmt: skip
