"""One-time passwords and tokens, in memory."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

OTP_TTL_S: Final = 300.0
MAX_TRIES: Final = 3
Verdict = Literal["ok", "unknown", "expired", "wrong", "locked"]


@dataclass(slots=True)
class _Request:
    tenant_id: int
    expires_s: float
    tries: int = 0


@dataclass(slots=True)
class Login:
    """Who may ask for which company.

    Args:
        accounts: Company by login name.
        otp: The one-time password; a sandbox has no telephone to send it to.
        token_ttl_s: How long a token is good for.
        now: Monotonic clock in seconds.
    """

    accounts: dict[str, int]
    otp: str
    token_ttl_s: float
    now: Callable[[], float]
    _requests: dict[str, _Request] = field(default_factory=dict)
    _tokens: dict[str, tuple[int, float]] = field(default_factory=dict)

    def request(self, login: str, *, expired: bool = False) -> str | None:
        """The number of a new request; None when nobody has that login."""
        if login not in self.accounts:
            return None
        number = secrets.token_hex(8)
        self._requests[number] = _Request(self.accounts[login], self.now() + (0 if expired else OTP_TTL_S))
        return number

    def verify(self, number: str, otp: str) -> tuple[Verdict, str | None]:
        """What became of the request, and the token when it is good. A password is good for one token."""
        request = self._requests.get(number)
        if request is None:
            return "unknown", None
        if request.tries >= MAX_TRIES:
            return "locked", None
        if self.now() >= request.expires_s:
            return "expired", None
        if not secrets.compare_digest(otp.encode(), self.otp.encode()):
            request.tries += 1
            return "wrong", None
        del self._requests[number]
        token = secrets.token_urlsafe(24)
        self._tokens[token] = (request.tenant_id, self.now() + self.token_ttl_s)
        return "ok", token

    def tenant_of(self, token: str) -> int | None:
        """The company of a token that is still good."""
        known = self._tokens.get(token)
        if known is None:
            return None
        if self.now() >= known[1]:
            del self._tokens[token]
            return None
        return known[0]
