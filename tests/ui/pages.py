"""The page as tests see it: its parts by their stable hooks, and what a user does with them."""

from __future__ import annotations

import json
from typing import Any, Self

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Locator, Page, Request, Route, expect

JAVA = "We are hiring a mid-level Java developer who also writes a lot of SQL."
PREFIX = "https://www.shl.com/products/product-catalog/view"
SQL = {"name": "SQL (New)", "url": f"{PREFIX}/sql-new/", "test_type": "K"}
OPQ = {
    "name": "Occupational Personality Questionnaire OPQ32r",
    "url": f"{PREFIX}/occupational-personality-questionnaire-opq32r/",
    "test_type": "P",
}
AXE_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def answer(
    reply: str = "Here.", items: list[dict[str, str]] | None = None, ends: bool = False
) -> dict[str, Any]:
    return {"reply": reply, "recommendations": items or [], "end_of_conversation": ends}


class RecommenderPage:
    """One tab with the recruiter's page."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.expected: list[str] = []
        """Pieces of console messages that the test provokes."""
        self.sent: list[dict[str, Any]] = []
        """Bodies of POST /chat, in order."""
        self._origin = origin
        self._foreign: list[str] = []
        self._complaints: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self._complaints.append(str(error)))
        page.on("request", self._on_request)
        self.box = page.get_by_label("Your message")
        self.send = page.get_by_role("button", name="Send")
        self.log = page.get_by_role("log", name="Conversation")
        self.shortlist = page.get_by_role("region", name="Shortlist")
        self.turns = page.locator("[data-turn][data-status]")
        self.replies = page.locator("[data-reply]")
        self.cards = page.locator("[data-card]")
        self.notice = page.locator("[data-notice]")
        self.offline = page.locator("[data-offline]")
        self.turn_count = page.locator("[data-turn-count]")
        self.announcer = page.locator("[data-announce]")

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._complaints.append(message.text)

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((self._origin, "blob:", "data:")):
            self._foreign.append(request.url)
        if request.url == f"{self._origin}/chat":
            self.sent.append(json.loads(request.post_data or "{}"))

    def check_clean(self) -> None:
        assert self._foreign == []
        assert [text for text in self._complaints if not any(part in text for part in self.expected)] == []

    def open(self) -> Self:
        self.page.goto("/")
        self.page.locator("body[data-ready]").wait_for()
        return self

    def reload(self) -> None:
        self.page.reload()
        self.page.locator("body[data-ready]").wait_for()

    def note_announcements(self) -> None:
        """From now on; `announcements` gives them."""
        self.page.evaluate(
            """(() => {
                window.said = [];
                const region = document.querySelector("[data-announce]");
                new MutationObserver(() => region.textContent && window.said.push(region.textContent))
                    .observe(region, { childList: true, characterData: true, subtree: true });
            })()"""
        )

    def announcements(self) -> list[str]:
        return list(self.page.evaluate("window.said"))

    def settle(self) -> None:
        """Until the reply is complete and the facts of the list are there."""
        self.page.locator("[data-log][aria-busy=false]").wait_for()
        self.page.locator("[data-shortlist][aria-busy=false]").wait_for()

    def say(self, text: str) -> None:
        count = self.turns.count()
        self.box.fill(text)
        self.box.press("Enter")
        expect(self.turns).to_have_count(count + 1)
        self.settle()

    def act(self, action: str) -> Locator:
        return self.page.locator(f"[data-action={action}]")

    def dialog(self, name: str) -> Locator:
        return self.page.locator(f"dialog[data-dialog={name}]")

    def names(self) -> list[str]:
        return [card.get_attribute("data-name") or "" for card in self.cards.all()]

    def card(self, name: str) -> Locator:
        return self.page.locator(f'[data-card][data-name="{name}"]')

    def stub_chat(self, *answers: dict[str, Any]) -> None:
        """The next answers of /chat, the last one again and again; /chat/explain gives none of its own."""
        left = list(answers)

        def fulfil(route: Route) -> None:
            route.fulfill(json=left.pop(0) if len(left) > 1 else left[0])

        self.page.route("**/chat", fulfil)
        self.page.route(
            "**/chat/explain", lambda route: route.fulfill(json={**answers[-1], "explanation": None})
        )

    def hold_chat(self) -> list[Route]:
        """Requests to /chat that wait until the test answers them."""
        held: list[Route] = []
        self.page.route("**/chat", lambda route: held.append(route))
        return held

    def wait_until_held(self, held: list[Route], count: int) -> None:
        for _ in range(200):
            if len(held) >= count:
                return
            self.page.wait_for_timeout(10)
        raise AssertionError(f"{len(held)} requests, not {count}")

    def height(self, part: Locator) -> float:
        return float(part.evaluate("element => element.getBoundingClientRect().height"))

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return int(
            self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        )

    def violations(self) -> list[str]:
        found = Axe().run(self.page, options=AXE_RULES).response["violations"]
        return [
            f"{one['id']}: {node['html'][:200]} {node['failureSummary']}"
            for one in found
            for node in one["nodes"]
        ]
