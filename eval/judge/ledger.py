"""What judging costs, by evaluator, and the limit that it may not pass."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from eval.judge.base import JudgeFailure, Judgement, Usage


@dataclass(frozen=True, slots=True)
class Account:
    """Totals of one evaluator, or of all."""

    judgements: int = 0
    scored: int = 0
    cached: int = 0
    calls: int = 0
    """Attempts that reached a provider or tried to."""
    usage: Usage = Usage()
    cost_usd_micro: int = 0
    """Of everything with a known price; with `unpriced` the true sum is at least this."""
    unpriced: int = 0
    """Judgements that were billed at a price nobody knows."""
    avoided_usd_micro: int = 0
    """What the cached judgements would have cost at today's price."""

    def __add__(self, other: Account) -> Account:
        return Account(
            self.judgements + other.judgements,
            self.scored + other.scored,
            self.cached + other.cached,
            self.calls + other.calls,
            self.usage + other.usage,
            self.cost_usd_micro + other.cost_usd_micro,
            self.unpriced + other.unpriced,
            self.avoided_usd_micro + other.avoided_usd_micro,
        )


class Ledger:
    """Counts every judgement once. Safe from several threads."""

    def __init__(self, max_cost_usd_micro: int | None = None) -> None:
        self._limit = max_cost_usd_micro
        self._accounts: dict[str, Account] = {}
        self._held = 0
        self._spent = 0
        self._lock = threading.Lock()

    def hold(self, most_usd_micro: int) -> bool:
        """Keep back what a call may cost at most; False, and nothing held, when that would pass the limit."""
        with self._lock:
            if self._limit is not None and self._spent + self._held + most_usd_micro > self._limit:
                return False
            self._held += most_usd_micro
            return True

    def settle(self, held_usd_micro: int, spent_usd_micro: int) -> None:
        """Replace what was held for a call by what it cost."""
        with self._lock:
            self._held -= held_usd_micro
            self._spent += spent_usd_micro

    def carry_over(self, accounts: dict[str, Account]) -> None:
        """Go on from the totals of a run that was cut off."""
        with self._lock:
            for evaluator, account in accounts.items():
                self._accounts[evaluator] = self._accounts.get(evaluator, Account()) + account
                self._spent += account.cost_usd_micro

    def enter(self, evaluator: str, judgement: Judgement, avoided_usd_micro: int = 0) -> None:
        """Count one judgement."""
        scored = not isinstance(judgement, JudgeFailure)
        entry = Account(
            judgements=1,
            scored=int(scored),
            cached=int(judgement.cached),
            calls=judgement.attempts,
            usage=judgement.usage if not judgement.cached else Usage(),
            cost_usd_micro=judgement.cost_usd_micro or 0,
            unpriced=int(judgement.cost_usd_micro is None),
            avoided_usd_micro=avoided_usd_micro,
        )
        with self._lock:
            self._accounts[evaluator] = self._accounts.get(evaluator, Account()) + entry

    @property
    def accounts(self) -> dict[str, Account]:
        """Totals by evaluator, sorted by name."""
        with self._lock:
            return {name: replace(account) for name, account in sorted(self._accounts.items())}

    @property
    def total(self) -> Account:
        """Totals of everything."""
        return sum(self.accounts.values(), Account())


def dollars(usd_micro: int, *, at_least: bool = False) -> str:
    """For people: four decimals, since a judgement costs a fraction of a cent."""
    return f"{'at least ' if at_least else ''}${usd_micro / 1_000_000:.4f}"
