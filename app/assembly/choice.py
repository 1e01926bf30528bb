"""Choose one assessment among those that cover the same thing: the right level, language, accent and time."""

from __future__ import annotations

from enum import StrEnum

from app.catalog import Assessment, AssessmentId, Catalog, Level, TestType
from app.knowledge import Entry, Knowledge, Sitting, SkillId
from app.records import SENIORITY_LEVELS, Limits, Seniority, Source, Understanding
from app.requirements import Requirement, is_hands_on

_ENTRY_LIKE = frozenset({Seniority.ENTRY, Seniority.GRADUATE})
_VARIANT_ORDER: dict[str, tuple[str, ...]] = {
    "entry": ("entry", "intermediate", "advanced"),
    "mid": ("intermediate", "advanced", "entry"),
    "senior": ("advanced", "intermediate", "entry"),
}
_AUDIENCE: dict[Seniority | None, tuple[str, ...]] = {
    Seniority.ENTRY: ("graduate", "manager", "executive"),
    Seniority.GRADUATE: ("graduate", "manager", "executive"),
    Seniority.EXECUTIVE: ("executive", "manager", "graduate"),
}
OLD_VERSION = 3
"""Distance of a version that nobody asked for from the current one."""
_USUAL_AUDIENCE = ("manager", "graduate", "executive")
_REGIONS = {
    ("Spanish", "US"): "NA", ("Spanish", "LATAM"): "NA", ("Spanish", "EU"): "ES", ("French", "CA"): "CA",
    ("French", "US"): "CA", ("French", "ES"): "EU", ("French", "UK"): "EU",
}  # fmt: skip
"""Where a spoken test has no variant for a place, the one its callers would know."""


class Refusal(StrEnum):
    """Why an option may not be in the list."""

    DROPPED = "dropped"
    NOT_WANTED = "not wanted"
    TIME = "takes longer than the limit"
    ADAPTIVE = "not offered in the form asked for"
    LANGUAGE = "not offered in the language asked for"
    SPOKEN_LANGUAGE = "no spoken test in that language"


class Chooser:
    """Picks among options for one understanding."""

    def __init__(self, catalog: Catalog, knowledge: Knowledge, understanding: Understanding) -> None:
        self._catalog = catalog
        self._knowledge = knowledge
        self._need = understanding

    def choose(self, requirement: Requirement) -> AssessmentId | None:
        """The best option that is allowed; None if none is."""
        allowed = [
            o
            for o in requirement.options
            if self.refusal(o, named=requirement.source is Source.NAMED) is None
        ]
        if not allowed:
            return None
        pool = self._one_mode(requirement, allowed)
        return min(pool, key=lambda option: self._rank(option, requirement.options.index(option)))

    def best_sibling(self, assessment_id: AssessmentId) -> AssessmentId:
        """The variant of `assessment_id` that fits this need best; itself if it fits as well as any."""
        siblings = [
            s for s in self._knowledge.siblings(assessment_id) if self.refusal(s, named=False) is None
        ]
        if not siblings:
            return assessment_id
        own = self.fit(assessment_id) if assessment_id in siblings else None
        best = min(siblings, key=lambda s: (self.fit(s) + self._version(s), s))
        return best if own is None or self.fit(best) < own else assessment_id

    def _one_mode(self, requirement: Requirement, allowed: list[AssessmentId]) -> list[AssessmentId]:
        """Variants of the usual choice; for a kind of measure, whatever is meant for the level."""
        entries = self._knowledge.entries
        if requirement.source is Source.MEASURE:
            level_fit = [o for o in allowed if self._meant_for_level(o)]
            if (
                allowed[0] not in level_fit
            ):  # what is made for few levels, theirs among them, before what serves all
                level_fit.sort(key=lambda o: len(self._catalog[o].levels) or len(Level))
            allowed = level_fit or allowed
        allowed = [o for o in allowed if self._belongs(o)] or allowed
        if self._need.limits.quick:
            quick = [o for o in allowed if not is_hands_on(self._knowledge, o)]
            allowed = quick or allowed
        family = entries[allowed[0]].family
        return [o for o in allowed if entries[o].family == family]

    def _meant_for_level(self, option: AssessmentId) -> bool:
        levels, wanted = self._catalog[option].levels, self._levels()
        return not wanted or not levels or bool(wanted & set(levels))

    def _levels(self) -> set[Level]:
        """The catalogue levels of the people: what was said, else what is usual for the job."""
        if self._need.seniority is not None:
            return set(SENIORITY_LEVELS[self._need.seniority])
        families = self._need.families[:1]
        return {level for family in families for level in self._knowledge.families[family].levels}

    def _rank(self, option: AssessmentId, position: int) -> tuple[int, int]:
        version = (
            0 if position == 0 else self._version(option)
        )  # the usual choice may be a version that was named
        return (self.fit(option) + version, position)

    def _belongs(self, option: AssessmentId) -> bool:
        """Whether a report's instrument is on the list already."""
        return bool(set(self._knowledge.entries[option].instruments) & set(self._need.standing))

    def fit(self, option: AssessmentId) -> int:
        """Distance of a variant from the need; 0 is best."""
        entry = self._knowledge.entries[option]
        return self._level_distance(entry) + self._accent_distance(entry) + self._language_distance(option)

    def _level_distance(self, entry: Entry) -> int:
        level = entry.variant.get("level")
        if level is None:
            return 0
        if level in _USUAL_AUDIENCE:
            return _AUDIENCE.get(self._seniority(), _USUAL_AUDIENCE).index(level)
        band = (
            "mid"
            if self._need.seniority is None
            else "entry"
            if self._need.seniority in _ENTRY_LIKE
            else ("mid" if self._need.seniority is Seniority.MID else "senior")
        )
        return _VARIANT_ORDER[band].index(level)

    def _seniority(self) -> Seniority | None:
        """What was said of the people's level, else what the job leaves no doubt about."""
        if self._need.seniority is not None or not self._need.families:
            return self._need.seniority
        levels = set(self._knowledge.families[self._need.families[0]].levels)
        fitting = [s for s, usual in SENIORITY_LEVELS.items() if levels and levels <= set(usual)]
        return fitting[0] if fitting else None

    def _version(self, option: AssessmentId) -> int:
        """A named old version loses against the current one unless it is asked for."""
        entry = self._knowledge.entries[option]
        if option in self._need.added or option in self._need.named:
            return -1
        entries = self._knowledge.entries
        superseded = entry.successor is not None and entries[entry.successor].family == entry.family
        special = "version" in entry.variant and any(
            "version" not in entries[s].variant for s in self._knowledge.siblings(option)
        )
        edition = entry.variant.get("edition") in ("essentials", "pro")
        return OLD_VERSION * int(superseded or special) + int(edition)

    def _accent_distance(self, entry: Entry) -> int:
        if "accent" not in entry.variant:
            spelling = entry.variant.get("language", "").removesuffix(" English")
            return 2 * int(
                spelling in ("UK", "US")
                and self._need.accent in ("UK", "US")
                and spelling != self._need.accent
            )
        spoken = self._need.spoken_language or "English"
        if spoken.endswith("French"):
            spoken = "French"
        if not spoken.startswith(entry.variant["language"]):
            return 8
        accent = self._need.accent
        if accent is None:
            return 0
        return 0 if entry.variant["accent"] == _REGIONS.get((spoken, accent), accent) else 2

    def _language_distance(self, option: AssessmentId) -> int:
        return 0 if self._need.limits.language_ok(self._catalog[option].languages) else 4

    # --- what may not be in the list ------------------------------------------------------------

    def refusal(self, option: AssessmentId, *, named: bool) -> Refusal | None:
        """Why `option` may not be in the list, or None.

        Args:
            option: an assessment.
            named: whether the user put it there; then only a drop or a hard limit takes it out.
        """
        need, assessment = self._need, self._catalog[option]
        if option in need.dropped:
            return Refusal.DROPPED
        if not named and self._is_unwanted(option):
            return Refusal.NOT_WANTED
        if self._takes_too_long(assessment):
            return Refusal.TIME
        sat = self._knowledge.entries[option].sitting is Sitting.CANDIDATE
        if need.limits.adaptive is not None and sat and assessment.adaptive != need.limits.adaptive:
            return Refusal.ADAPTIVE
        if not self._language_ok(option):
            return Refusal.LANGUAGE
        return None if self._voice_matches(option) else Refusal.SPOKEN_LANGUAGE

    def _takes_too_long(self, assessment: Assessment) -> bool:
        """Unknown minutes never exclude; the reply calls them unknown."""
        limits, minutes = self._need.limits, assessment.minutes or 0
        return any(minutes > limit for limit in (limits.minutes_each, limits.minutes_total) if limit)

    def _is_unwanted(self, option: AssessmentId) -> bool:
        types, unwanted = set(self._catalog[option].types), self._need.unwanted_types
        hands_on = bool((types - unwanted) & {TestType.KNOWLEDGE, TestType.SIMULATION})
        if types & unwanted and not (hands_on and TestType.PERSONALITY not in unwanted):
            return True
        ruled_out = {
            test
            for skill in self._need.unwanted_skills
            if self._knowledge.skills[skill].kind != "behaviour"
            for test in self._ruled_out(skill)
        }
        return option in ruled_out and not self._wanted_otherwise(option)

    def _ruled_out(self, skill: SkillId) -> tuple[AssessmentId, ...]:
        """What "no X" excludes: every test of a kind of measure, the variants of a subject's usual test."""
        record = self._knowledge.skills[skill]
        if not record.is_subject or not record.tests:
            return record.tests
        return self._knowledge.siblings(record.tests[0])

    def _wanted_otherwise(self, option: AssessmentId) -> bool:
        return any(option in self._knowledge.skills[wish.skill].tests for wish in self._need.skills)

    def _voice_matches(self, option: AssessmentId) -> bool:
        """Spoken tests, and simulated calls that exist in one language only, need the language of the job's calls."""
        variant, spoken = self._knowledge.entries[option].variant, self._need.spoken_language
        calls = variant["language"] if "accent" in variant else variant.get("calls")
        return calls is None or spoken is None or calls in spoken

    def _language_ok(self, option: AssessmentId) -> bool:
        limits = self._need.limits
        if not limits.languages or self._knowledge.entries[option].is_report:
            return True
        assessment = self._catalog[option]
        if not limits.language_lacks(assessment.languages):
            return True
        return limits.language_lifted and _is_knowledge(assessment.types)


def _is_knowledge(types: tuple[TestType, ...]) -> bool:
    return TestType.KNOWLEDGE in types or TestType.SIMULATION in types


def limits_text(limits: Limits) -> str:
    """The limits in words, for notes."""
    parts = []
    if limits.minutes_total:
        parts.append(f"{limits.minutes_total} minutes in total")
    if limits.minutes_each:
        parts.append(f"{limits.minutes_each} minutes for each test")
    return " and ".join(parts)
