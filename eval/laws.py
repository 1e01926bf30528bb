"""Metamorphic laws: how the answer may and may not change when the conversation is changed in a known way.

Conversations are generated, with a seed, from the facts of the labelled ones: role, level, skills, purpose.
No label is needed to see that a law is broken.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from app.catalog import Catalog
from eval.adapters.base import Adapter
from eval.metrics import kept_share
from eval.records import Case, ChatMessage, LawResult, Payload, Status
from eval.replay import NO_REPLY

PARAPHRASES = Path(__file__).with_name("paraphrases.yaml")
KEPT_AT_LEAST = 0.8
CASES = 40

_IRRELEVANT = (
    "We moved into a new building last spring.",
    "Our founder likes to go sailing.",
    "The canteen has just been repainted.",
    "It has been raining here all week.",
    "My colleague is on holiday until Monday.",
)
_COMPANIES = ("Brightwater Ltd", "Kestrel & Sons", "Nordhafen AG", "Alder Partners", "Tamarind Foods")
_MORE = (
    "They work in a team of eight.",
    "It is a permanent position.",
    "They will be based in one of our offices.",
    "We expect about forty applicants.",
)
_CONFIRMATIONS = ("Perfect.", "OK, thanks.", "Good, that works.", "Yes.", "Great, let's go with that.")


@dataclass(frozen=True, slots=True)
class Seed:
    """A generated need."""

    id: str
    role: str
    level: str
    skills: tuple[str, ...]
    purpose: str

    def text(self, skills: Sequence[str] | None = None, company: str = "") -> str:
        """The opening message."""
        listed = _and(self.skills if skills is None else skills)
        who = f"We at {company} are" if company else "We are"
        needed = f" They need {listed}." if listed else ""
        need = f"{who} looking for tests for this role: {self.role}. Level: {self.level}.{needed}"
        return f"{need} It is for {self.purpose}."


def generate(cases: Sequence[Case], seed: int, n: int = CASES) -> tuple[Seed, ...]:
    """Up to `n` needs: the facts of a labelled conversation each, with some of its skills in random order."""
    rng = random.Random(seed)  # noqa: S311 - variety, not secrecy
    pool = [case for case in cases if case.facts.get("role")]
    chosen = rng.sample(pool, min(n, len(pool)))
    return tuple(_seed(case, rng) for case in chosen)


def _seed(case: Case, rng: random.Random) -> Seed:
    known = case.facts.get("skills", ())
    skills = [str(skill) for skill in known] if isinstance(known, tuple) else []
    kept = rng.sample(skills, rng.randint(min(2, len(skills)), len(skills)))
    facts = {key: str(case.facts.get(key) or default) for key, default in _DEFAULTS.items()}
    return Seed(case.id, facts["role"], facts["level"], tuple(kept), facts["purpose"])


_DEFAULTS = {"role": "", "level": "any", "purpose": "selection"}


def _and(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + f" and {words[-1]}" if len(words) > 1 else "".join(words)


class Talk:
    """One conversation with the target, as it grows."""

    def __init__(self, adapter: Adapter, said: Sequence[ChatMessage] = ()) -> None:
        self._adapter = adapter
        self.messages = list(said)
        self.payload: Payload | None = None

    def say(self, text: str) -> Payload:
        """The answer to `text`.

        Raises:
            TargetLostError: the target could not be asked.
        """
        self.messages.append(ChatMessage("user", text))
        self.payload = self._adapter.ask(self.messages)
        if not self.payload.answered:
            raise TargetLostError(self.payload.error or self.payload.status)
        self.messages.append(ChatMessage("assistant", self.payload.ai_response or NO_REPLY))
        return self.payload

    def fork(self) -> Talk:
        """The same conversation so far, to go on in another way."""
        return Talk(self._adapter, self.messages)

    @property
    def said(self) -> tuple[str, ...]:
        """What the user said."""
        return tuple(m.content for m in self.messages if m.role == "user")


class TargetLostError(Exception):
    """The target could not be asked, so no law can be judged."""


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a law held; None when it does not apply."""

    held: bool | None
    detail: str = ""
    said: tuple[str, ...] = ()


Law = Callable[[Seed, Adapter, Catalog, random.Random], Check]
NO_LIST = "no list to start from"


def _same(before: Payload, after: Payload, said: tuple[str, ...]) -> Check:
    if not before.ids:
        return Check(None, NO_LIST)
    gone, new = sorted(set(before.ids) - set(after.ids)), sorted(set(after.ids) - set(before.ids))
    detail = f"gone: {', '.join(gone) or '-'}; new: {', '.join(new) or '-'}"
    return Check(not gone and not new, detail, said)


def more_information(seed: Seed, adapter: Adapter, catalog: Catalog, rng: random.Random) -> Check:
    """A further fact never turns a list back into a question."""
    talk = Talk(adapter)
    if not talk.say(seed.text()).ids:
        return Check(None, NO_LIST)
    after = talk.say(rng.choice(_MORE))
    return Check(not after.asks and bool(after.ids), after.ai_response[:160], talk.said)


def longer_opening(seed: Seed, adapter: Adapter, catalog: Catalog, rng: random.Random) -> Check:
    """An opening that says more never gets a question where the shorter one got a list."""
    short, long = Talk(adapter), Talk(adapter)
    if not short.say(seed.text(seed.skills[:1])).ids:
        return Check(None, NO_LIST)
    after = long.say(f"{seed.text()} {rng.choice(_MORE)}")
    return Check(not after.asks and bool(after.ids), after.ai_response[:160], long.said)


def irrelevant_sentence(seed: Seed, adapter: Adapter, catalog: Catalog, rng: random.Random) -> Check:
    """A sentence that has nothing to do with the need does not change the list."""
    plain, changed = Talk(adapter), Talk(adapter)
    noise = rng.choice(_IRRELEVANT)
    text = f"{seed.text()} {noise}" if rng.random() < 0.5 else f"{noise} {seed.text()}"
    return _same(plain.say(seed.text()), changed.say(text), changed.said)


def skill_order(seed: Seed, adapter: Adapter, catalog: Catalog, rng: random.Random) -> Check:
    """The order in which skills are named does not change what is in the list."""
    if len(seed.skills) < 2:
        return Check(None, "fewer than two skills")
    plain, changed = Talk(adapter), Talk(adapter)
    return _same(plain.say(seed.text()), changed.say(seed.text(tuple(reversed(seed.skills)))), changed.said)


def company_name(seed: Seed, adapter: Adapter, catalog: Catalog, rng: random.Random) -> Check:
    """Who asks does not change the list."""
    plain, changed = Talk(adapter), Talk(adapter)
    return _same(plain.say(seed.text()), changed.say(seed.text(company=rng.choice(_COMPANIES))), changed.said)


def drop_then_add(seed: Seed, adapter: Adapter, catalog: Catalog, rng: random.Random) -> Check:
    """What is dropped is gone and nothing comes in its place; adding it back restores the list.

    Reports that are drawn from what is dropped may go with it, and have to come back with it.
    """
    talk = Talk(adapter)
    before = talk.say(seed.text())
    if len(before.ids) < 2:
        return Check(None, NO_LIST)
    key = rng.choice(before.ids)
    name = catalog[key].name if key in catalog else key
    without = talk.say(f"Please drop {name}.")
    if key in without.ids or not set(without.ids) <= set(before.ids):
        return Check(False, f"after the drop: {', '.join(without.ids) or 'no list'}", talk.said)
    return _same(before, talk.say(f"Please add {name} again."), talk.said)


def sparse_confirmation(seed: Seed, adapter: Adapter, catalog: Catalog, rng: random.Random) -> Check:
    """A confirming message with no content of its own never shrinks the list: the whole history counts."""
    talk = Talk(adapter)
    before = talk.say(seed.text())
    if not before.ids:
        return Check(None, NO_LIST)
    return _same(before, talk.say(rng.choice(_CONFIRMATIONS)), talk.said)


def same_again(seed: Seed, adapter: Adapter, catalog: Catalog, rng: random.Random) -> Check:
    """The same conversation gets the same answer, word for word."""
    one, other = Talk(adapter).say(seed.text()), Talk(adapter).say(seed.text())
    same = (one.ai_response, one.ids, one.ends) == (other.ai_response, other.ids, other.ends)
    return Check(same, "the two answers differ", (seed.text(),))


LAWS: Mapping[str, Law] = {
    law.__name__: law
    for law in (
        more_information, longer_opening, irrelevant_sentence, skill_order, company_name, drop_then_add,
        sparse_confirmation, same_again,
    )
}  # fmt: skip
PARAPHRASE = "paraphrase"


def run_law(
    name: str, seed: Seed, adapter: Adapter, catalog: Catalog, channel: str, run_seed: int
) -> LawResult:
    """One law on one need. The draws depend on seed, law and need only, not on what ran before."""
    rng = random.Random(f"{run_seed}:{name}:{seed.id}")  # noqa: S311
    try:
        check = LAWS[name](seed, adapter, catalog, rng)
    except TargetLostError as exc:
        return LawResult(name, seed.id, channel, Status.ERROR, detail=str(exc))
    return _result(name, seed.id, channel, check)


def load_paraphrases(path: Path = PARAPHRASES) -> Mapping[str, tuple[str, str]]:
    """Pairs that say the same thing, by id."""
    rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {row["id"]: (row["one"], row["other"]) for row in rows}


def run_paraphrase(pair_id: str, pair: tuple[str, str], adapter: Adapter, channel: str) -> LawResult:
    """The same need in other words keeps at least 80 % of the list, both ways round."""
    one, other = Talk(adapter), Talk(adapter)
    try:
        first, second = one.say(pair[0]), other.say(pair[1])
    except TargetLostError as exc:
        return LawResult(PARAPHRASE, pair_id, channel, Status.ERROR, detail=str(exc))
    if not first.ids and not second.ids:
        return _result(PARAPHRASE, pair_id, channel, Check(None, "no list for either"))
    kept = min(kept_share(first.ids, second.ids), kept_share(second.ids, first.ids) if first.ids else 0.0)
    kept = kept if second.ids else 0.0
    differing = ", ".join(sorted(set(first.ids) ^ set(second.ids)))
    check = Check(
        kept >= KEPT_AT_LEAST, f"{kept:.0%} kept; differing: {differing or '-'}", (*one.said, *other.said)
    )
    return _result(PARAPHRASE, pair_id, channel, check)


def _result(law: str, case: str, channel: str, check: Check) -> LawResult:
    if check.held is None:
        return LawResult(law, case, channel, Status.UNSCORED, detail=check.detail)
    broken = not check.held
    return LawResult(
        law,
        case,
        channel,
        Status.SCORED,
        held=check.held,
        detail=check.detail if broken else "",
        messages=check.said if broken else (),
    )
