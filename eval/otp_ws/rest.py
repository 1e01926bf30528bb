"""The REST side: log in, open threads, put messages into them, start answers. A token that expired is renewed once."""

from __future__ import annotations

from typing import Any

import httpx

from eval.otp_ws.lazy import Lazy
from eval.otp_ws.settings import OtpWsSettings
from eval.records import PayloadStatus

_UNAUTHORISED = 401


class ChannelError(Exception):
    """A call that came to nothing: the outcome for the payload, and what happened."""

    def __init__(self, status: PayloadStatus, error: str, fault: str = "") -> None:
        super().__init__(error)
        self.status = status
        self.fault = fault


class ChatRest:
    """One account. Usable by several threads at once."""

    def __init__(self, client: httpx.Client, settings: OtpWsSettings) -> None:
        self._client = client
        self._settings = settings
        self._token: Lazy[str] = Lazy(self._log_in)

    def token(self) -> str:
        """The token of the account; logs in when nobody has.

        Raises:
            ChannelError: no password was sent, or it was refused.
        """
        return self._token.get()

    def renew(self, stale: str) -> str:
        """A token in the place of one that was refused.

        Raises:
            ChannelError: as for `token`.
        """
        return self._token.renew(stale)

    def new_thread(self) -> str:
        """The id of a thread without messages.

        Raises:
            ChannelError: the service gives none.
        """
        return _text(self._authorised("POST", "/threads"), "id", "thread_id")

    def say(self, thread_id: str, content: str) -> None:
        """Put a message of the user into a thread.

        Raises:
            ChannelError: the service does not take it.
        """
        self._authorised("POST", f"/threads/{thread_id}/messages", {"content": content})

    def trigger(self, thread_id: str) -> str | None:
        """Start the answer; gives the id of the message to come, where the service says it.

        Raises:
            ChannelError: the service does not begin.
        """
        answer = self._authorised("POST", f"/threads/{thread_id}/trigger")
        found = answer.get("message_id")
        return found if isinstance(found, str) and found else None

    def delete(self, thread_id: str) -> None:
        """Delete a thread.

        Raises:
            ChannelError: the service does not.
        """
        self._authorised("DELETE", f"/threads/{thread_id}")

    def _log_in(self) -> str:
        settings = self._settings
        asked = self._call("POST", "/auth/request-otp", {"login": settings.login})
        handed = {"request_id": _text(asked, "request_id"), "otp": settings.otp.get_secret_value()}
        return _text(self._call("POST", "/auth/verify-otp", handed), "access_token", "token")

    def _authorised(self, method: str, path: str, body: dict[str, str] | None = None) -> dict[str, Any]:
        token = self._token.get()
        try:
            return self._call(method, path, body, token)
        except ChannelError as exc:
            if exc.fault != f"status {_UNAUTHORISED}":
                raise
        return self._call(method, path, body, self._token.renew(token))

    def _call(
        self, method: str, path: str, body: dict[str, str] | None = None, token: str = ""
    ) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            response = self._client.request(method, path, json=body, headers=headers)
        except httpx.ConnectTimeout as exc:
            raise ChannelError("unreachable", f"{method} {path}: {exc!r}") from exc
        except httpx.TimeoutException as exc:
            raise ChannelError("timeout", f"{method} {path}: {exc!r}") from exc
        except httpx.HTTPError as exc:
            raise ChannelError("unreachable", f"{method} {path}: {exc!r}") from exc
        if not response.is_success:
            what = f"{method} {path}: status {response.status_code}: {response.text[:300]}"
            raise ChannelError("failed", what, f"status {response.status_code}")
        if not response.content:
            return {}
        try:
            answer = response.json()
        except ValueError as exc:
            raise ChannelError("malformed", f"{method} {path}: {exc}", "the body is not JSON") from exc
        if not isinstance(answer, dict):
            raise ChannelError("malformed", f"{method} {path}: no object", "the body is not an object")
        return answer


def _text(answer: dict[str, Any], *names: str) -> str:
    for name in names:
        value = answer.get(name)
        if isinstance(value, (str, int)) and value != "":
            return str(value)
    raise ChannelError("malformed", f"no {names[0]} in the answer", f"{names[0]} is missing")
