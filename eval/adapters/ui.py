"""The page that people use, driven in Chromium. Described in docs/channels.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from eval.adapters.base import AdapterOptions, AdapterSpec
from eval.browser import NoBrowserError, launch
from eval.errors import AdapterError
from eval.pages import known_pages
from eval.pages.base import ChatPage, Exchange, Shown
from eval.records import ChatMessage, Payload, PayloadStatus

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Playwright

NAME = "ui"
OTHER_CONVERSATION = "the page sent another conversation than was asked"
Result = TypeVar("Result")


class Chromium:
    """One tab after the other. All of it lives in one thread, because the driver belongs to the thread that made it."""

    def __init__(self, url: str, timeout_s: float) -> None:
        """Start a browser.

        Raises:
            NoBrowserError: there is none.
        """
        from playwright.sync_api import sync_playwright

        self._url = url
        self._timeout_s = timeout_s
        self._driver: Playwright = sync_playwright().start()
        self._context: BrowserContext | None = None
        self._page: ChatPage | None = None
        self._heard: tuple[ChatMessage, ...] = ()
        try:
            self._browser: Browser = launch(self._driver)
        except BaseException:
            self._driver.stop()
            raise

    def ask(self, messages: Sequence[ChatMessage]) -> Payload:
        """Say the last message in the tab that heard the others, else in a new one that is given them."""
        from playwright.sync_api import Error, TimeoutError  # noqa: A004

        heard, question = tuple(messages[:-1]), messages[-1].content
        try:
            if self._page is None or not heard or heard != self._heard:
                self._page = self._open(heard)
            exchange = self._page.say(question, self._timeout_s)
        except TimeoutError as exc:
            self._forget()
            return Payload(question, status="timeout", source=NAME, error=_first_line(exc))
        except Error as exc:
            self._forget()
            return Payload(question, status="unreachable", source=NAME, error=_first_line(exc))
        payload = read_exchange(question, messages, exchange)
        self._heard = (*messages, ChatMessage("assistant", payload.ai_response))
        if payload.status not in ("ok", "misdrawn"):
            self._forget()
        return payload

    def close(self) -> None:
        """Close the browser and the driver."""
        self._forget()
        self._browser.close()
        self._driver.stop()

    def _open(self, heard: Sequence[ChatMessage]) -> ChatPage:
        self._forget()
        self._context = self._browser.new_context(viewport={"width": 1280, "height": 800})
        self._context.set_default_timeout(self._timeout_s * 1000)
        page = self._context.new_page()
        page.goto(self._url)
        name = page.locator("body").get_attribute("data-page") or ""
        spec = known_pages().get(name)
        if spec is None:
            known = ", ".join(known_pages())
            raise AdapterError(f"{self._url} is the page {name!r}, page objects are there for {known}")
        return spec.open(page, heard)

    def _forget(self) -> None:
        if self._context is not None:
            self._context.close()
        self._context = self._page = None


class UiAdapter:
    """Asks on the page. What was drawn is the answer; if it is not what was received, that is the finding."""

    def __init__(self, url: str, timeout_s: float) -> None:
        """Start a browser.

        Raises:
            NoBrowserError: there is none.
        """
        self._thread = ThreadPoolExecutor(1, "chromium")
        self.target = f"{url} in Chromium"
        self.notes: tuple[str, ...] = ()
        try:
            self._chromium = self._within(lambda: Chromium(url, timeout_s))
        except BaseException:
            self._thread.shutdown()
            raise

    def ask(self, messages: Sequence[ChatMessage]) -> Payload:
        """One message. What page and network do is data, a page that nobody can drive is an AdapterError."""
        if not messages or messages[-1].role != "user":
            error = "there is no message of the user to say"
            question = messages[-1].content if messages else ""
            return Payload(question, status="failed", source=NAME, faults=(error,), error=error)
        return self._within(lambda: self._chromium.ask(messages))

    def close(self) -> None:
        """Close the browser."""
        self._within(self._chromium.close)
        self._thread.shutdown()

    def _within(self, action: Callable[[], Result]) -> Result:
        return self._thread.submit(action).result()


def read_exchange(question: str, asked: Sequence[ChatMessage], exchange: Exchange) -> Payload:
    """The payload of one exchange. Drawn and received have to be the same answer to the same conversation."""
    drawn, received = exchange.drawn, exchange.received
    if drawn is None or received is None:
        lost: PayloadStatus = "timeout" if exchange.timed_out else "failed"
        return Payload(question, status=lost, source=NAME, error=exchange.notice)
    faults = list(received.faults)
    if received.sent is not None and received.sent != tuple(asked):
        faults.append(OTHER_CONVERSATION)
    status: PayloadStatus = received.status
    error = received.error or exchange.notice
    if status == "ok":
        differences = _differences(drawn, received.answer) + ([exchange.notice] if exchange.notice else [])
        if differences or OTHER_CONVERSATION in faults:
            status, error = "misdrawn", "; ".join(differences) or OTHER_CONVERSATION
        faults += differences
    return Payload(
        question,
        drawn.text,
        status=status,
        source=NAME,
        latency_ms=received.latency_ms,
        ui_latency_ms=exchange.ui_latency_ms if status in ("ok", "misdrawn") else None,
        recommendations=drawn.recommendations,
        ends=drawn.ends,
        faults=tuple(faults),
        error=error or None,
    )


def _differences(drawn: Shown, received: Shown) -> list[str]:
    """What the page shows otherwise than it was told, in words."""
    found = []
    if drawn.text != received.text:
        found.append(f"drawn text {drawn.text[:80]!r}, received {received.text[:80]!r}")
    if drawn.recommendations != received.recommendations:
        pairs = zip(drawn.recommendations, received.recommendations, strict=False)
        first = next(((one, two) for one, two in pairs if one != two), None)
        counts = f"{len(drawn.recommendations)} entries drawn, {len(received.recommendations)} received"
        found.append(f"drawn {first[0]}, received {first[1]}" if first else counts)
    if drawn.ends is not bool(received.ends):
        found.append(f"drawn as {'settled' if drawn.ends else 'open'}, received end {received.ends}")
    return found


def _first_line(exc: Exception) -> str:
    return str(exc).splitlines()[0]


def build(options: AdapterOptions) -> UiAdapter:
    """Start a browser for the page at `options.url`.

    Raises:
        AdapterError: there is no address, or no browser.
    """
    if not options.url:
        raise AdapterError("the ui channel needs --url, such as --url http://127.0.0.1:8000")
    try:
        return UiAdapter(options.url, options.timeout_s)
    except NoBrowserError as exc:
        raise AdapterError(str(exc)) from exc
    except ModuleNotFoundError as exc:
        raise AdapterError(f"the ui channel needs {exc.name}, which comes with: make setup") from exc


ADAPTER = AdapterSpec(
    NAME,
    "the page that people use, in Chromium",
    build,
    measures=frozenset({"latency_ms", "ui_latency_ms"}),
)
