"""What one conversation scores, from its turns and its labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.catalog import Catalog
from eval.metrics import f1, ndcg_at, precision_at, recall_at, reciprocal_rank
from eval.records import Case, Expectation, Payload, Result, Turn, failed, scored, unscored

LIST_LIMIT = 10
_URL = re.compile(r"(?:https?://|www\.)[^\s<>|)\]\"']+", re.I)

MEASURES = (
    "recall@10", "recall@5", "precision", "f1", "ndcg@10", "mrr", "list_length", "turns_to_first_list",
    "questions_asked", "groundedness", "expectations", "ending",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """The scores of a conversation and what they come from."""

    results: tuple[Result, ...]
    final_ids: tuple[str, ...]
    missed: tuple[str, ...]
    surplus: tuple[str, ...]
    forbidden: tuple[str, ...]


def score(case: Case, turns: Sequence[Turn], catalog: Catalog, *, whole: bool) -> Outcome:
    """Score what happened.

    Args:
        case: with the labels.
        turns: as far as the conversation went.
        catalog: what is true.
        whole: whether the conversation ran to where the user wanted it; an ending is only judged then.
    """
    lost = next((t for t in turns if t.payload.status == "unreachable"), None)
    if lost is not None or not turns:
        reason = f"turn {lost.number}: {lost.payload.error}" if lost else "nothing was said"
        return Outcome(tuple(failed(name, reason) for name in MEASURES), (), (), (), ())
    payloads = [turn.payload for turn in turns]
    shown = next((p.ids for p in reversed(payloads) if p.ids and not p.late), ())
    judged = shown[:LIST_LIMIT]
    known = {*case.final.must, *case.final.may}
    return Outcome(
        results=(*_ranking(case, shown), *_course(payloads, turns, case, catalog, whole=whole)),
        final_ids=shown,
        missed=tuple(key for key in case.final.must if key not in judged),
        surplus=tuple(key for key in shown if key not in known),
        forbidden=tuple(key for key in shown if key in case.final.must_not),
    )


def _ranking(case: Case, shown: Sequence[str]) -> Iterable[Result]:
    must, may = case.final.must, case.final.may
    recall, precision = recall_at(shown, must), precision_at(shown, must, may)
    no_label = "the labels require nothing"
    values = (
        ("recall@10", recall, no_label),
        ("recall@5", recall_at(shown, must, 5), no_label),
        ("precision", precision, "no list was shown"),
        ("f1", f1(recall, precision), no_label),
        ("ndcg@10", ndcg_at(shown, must, may), no_label),
        ("mrr", reciprocal_rank(shown, must), no_label),
    )
    for name, value, why in values:
        yield unscored(name, why) if value is None else scored(name, value)


def _course(
    payloads: Sequence[Payload], turns: Sequence[Turn], case: Case, catalog: Catalog, *, whole: bool
) -> Iterable[Result]:
    lengths = [len(p.ids) for p in payloads if p.ids]
    first = next((number for number, p in enumerate(payloads, 1) if p.ids), None)
    yield (scored("list_length", lengths[-1]) if lengths else unscored("list_length", "no list was shown"))
    yield (
        scored("turns_to_first_list", first)
        if first
        else unscored("turns_to_first_list", "no list was shown")
    )
    yield scored("questions_asked", sum(p.asks for p in payloads))
    yield groundedness(payloads, catalog)
    checked, unmet = sum(t.checked for t in turns), sum(len(t.unmet) for t in turns)
    yield (
        scored("expectations", 1 - unmet / checked, f"{checked - unmet} of {checked}")
        if checked
        else unscored("expectations", "no recorded turn was said")
    )
    if not whole:
        yield unscored("ending", "cut off before the user was done")
    else:
        yield scored("ending", float((payloads[-1].ends is True) == case.end))


def groundedness(payloads: Iterable[Payload], catalog: Catalog) -> Result:
    """Share of what was shown (list lines, addresses in the text) that is exactly as in the catalogue."""
    shown, invented = 0, []
    known_urls = {assessment.url.rstrip("/") for assessment in catalog}
    for payload in payloads:
        for line in payload.recommendations:
            shown += 1
            fact = catalog.get(line.id)
            if fact is None or (fact.name, fact.url, fact.test_type) != (line.name, line.url, line.test_type):
                invented.append(f"{line.name} <{line.url}> {line.test_type}")
        for url in _URL.findall(payload.ai_response):
            shown += 1
            if url.rstrip("/.,;:") not in known_urls:
                invented.append(url)
    if not shown:
        return unscored("groundedness", "nothing was claimed")
    share = 1 - len(invented) / shown
    return scored("groundedness", share, f"{shown} lines and addresses", tuple(invented))


def check(expect: Expectation, payload: Payload) -> tuple[int, tuple[str, ...]]:
    """How many expectations there were, and those not met, in words."""
    checks: list[tuple[bool, str]] = []
    if expect.list is not None:
        checks.append((bool(payload.ids) is expect.list, "a list" if expect.list else "no list"))
    if expect.end is not None:
        checks.append((bool(payload.ends) is expect.end, "the end" if expect.end else "no end yet"))
    if payload.ids or expect.list:
        checks += [(key in payload.ids, f"with {key}") for key in expect.must]
    checks += [(key not in payload.ids, f"without {key}") for key in expect.must_not]
    return len(checks), tuple(words for met, words in checks if not met)
