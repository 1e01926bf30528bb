"""What a page object gives, and how it registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from eval.records import ChatMessage, PayloadStatus, Recommendation

if TYPE_CHECKING:
    from playwright.sync_api import Page


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer, as the page drew it or as the page received it."""

    text: str = ""
    recommendations: tuple[Recommendation, ...] = ()
    ends: bool | None = None


@dataclass(frozen=True, slots=True)
class Received:
    """What came over the network for one message."""

    status: PayloadStatus
    answer: Shown = Shown()
    faults: tuple[str, ...] = ()
    error: str = ""
    latency_ms: float | None = None
    sent: tuple[ChatMessage, ...] | None = None
    """The conversation that the page sent along; None when it sends none."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message said on the page, with both sides of what became of it."""

    drawn: Shown | None = None
    """None when the page never came to rest, or did not take the message."""
    received: Received | None = None
    """None when nothing had come by then."""
    notice: str = ""
    """What the page tells its user instead of an answer."""
    timed_out: bool = False
    """Whether the page never came to rest."""
    ui_latency_ms: float | None = None
    """From the key press to the first frame with the whole answer, by the page's own clock."""


class ChatPage(Protocol):
    """One open tab with a conversation in it."""

    def say(self, text: str, timeout_s: float) -> Exchange:
        """Type `text`, send it, and wait until the page says that it is not busy any more."""
        ...


@dataclass(frozen=True, slots=True)
class PageSpec:
    """A page as the registry knows it."""

    name: str
    """What the page calls itself: `data-page` of its body."""
    open: Callable[[Page, Sequence[ChatMessage]], ChatPage]
    """Take over a loaded page and give it a conversation that went on before."""
