"""From a draft to the shortlist: instruments, limits, order, and what to say with it."""

from __future__ import annotations

from collections.abc import Sequence

from app.assembly.choice import limits_text
from app.assembly.draft import PRIORITY, Draft
from app.assembly.order import in_order, with_instruments
from app.catalog import AssessmentId
from app.records import Pick, Shortlist, Source, Topic

LIST_LIMIT = 10


def finish(draft: Draft) -> Shortlist:
    """The list as it goes out, at most ten picks."""
    need = draft.need
    picks = with_instruments(draft.picks, draft.knowledge, need)
    picks = _within_size(draft, _within_time(draft, picks))
    picks = in_order(picks, draft.knowledge, draft.catalog, keep=need.standing)
    ids = tuple(pick.id for pick in picks)
    return Shortlist(
        picks=tuple(picks),
        gaps=tuple(dict.fromkeys(draft.gaps)),
        assumptions=tuple(_assumptions(draft, ids)),
        notes=tuple(dict.fromkeys(draft.notes)),
        added=tuple(id_ for id_ in ids if need.standing and id_ not in need.standing),
        dropped=tuple(id_ for id_ in need.standing if id_ not in ids),
        language_gap=_language_gap(draft, ids),
    )


def _importance(draft: Draft, pick: Pick) -> int:
    return draft.priority.get(pick.id, PRIORITY[Source.PLAYBOOK])


def _within_time(draft: Draft, picks: list[Pick]) -> list[Pick]:
    """Keep what matters most within the total; unknown minutes do not count, and the reply says so."""
    budget = draft.need.limits.minutes_total
    if budget is None:
        return picks
    kept: set[AssessmentId] = set()
    spent = 0
    for pick in sorted(picks, key=lambda p: (_importance(draft, p), draft.catalog[p.id].minutes or 0)):
        minutes = draft.catalog[pick.id].minutes or 0
        if spent + minutes <= budget:
            kept.add(pick.id)
            spent += minutes
        else:
            draft.notes.append(
                f"{draft.catalog[pick.id].name} did not fit into {limits_text(draft.need.limits)}."
            )
    return [pick for pick in picks if pick.id in kept]


def _within_size(draft: Draft, picks: list[Pick]) -> list[Pick]:
    size = min(draft.need.limits.list_size or LIST_LIMIT, LIST_LIMIT)
    if len(picks) <= size:
        return picks
    best = sorted(picks, key=lambda p: _importance(draft, p))[:size]
    if draft.need.limits.list_size is None:
        left = [draft.catalog[p.id].name for p in picks if p not in best]
        draft.notes.append(f"A list holds at most ten; left out: {', '.join(left)}.")
    return [pick for pick in picks if pick in best]


def _assumptions(draft: Draft, ids: Sequence[AssessmentId]) -> list[str]:
    need, entries = draft.need, draft.knowledge.entries
    found = []
    if need.seniority is None and any("level" in entries[id_].variant for id_ in ids):
        found.append("no level was given, so I took experienced people")
    if need.accent is None and any("accent" in entries[id_].variant for id_ in ids):
        found.append("no accent was given, so I took the most usual variant of the spoken test")
    if Topic.PURPOSE in need.asked and need.purpose is None and not need.selects:
        found.append("this is for choosing people, not for developing them")
    if not need.families and not need.skills and not need.added:
        found.append("the role is still open, so this is a general professional battery")
    return found


def _language_gap(draft: Draft, ids: Sequence[AssessmentId]) -> tuple[AssessmentId, ...]:
    limits = draft.need.limits
    if not limits.languages:
        return ()
    return tuple(id_ for id_ in ids if limits.language_lacks(draft.catalog[id_].languages))
