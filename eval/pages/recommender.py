"""The recruiter's page: conversation beside shortlist, answers over POST /chat."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from eval.adapters.wire import read_body
from eval.pages.base import ChatPage, Exchange, PageSpec, Received, Shown
from eval.records import ChatMessage, Recommendation

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request

NAME = "recommender"
_OK = 200
_TURNS = "recommender.turns"
"""Where the page keeps its conversation in the tab's storage."""

_WATCH = """timeout => {
  const parts = ["[data-log]", "[data-shortlist]"].map((one) => document.querySelector(one));
  const busy = () => parts.some((part) => part.getAttribute("aria-busy") === "true");
  let pressed = performance.now();
  document.addEventListener("keydown", (event) => { pressed = event.timeStamp; }, { capture: true, once: true });
  window.answerDrawn = new Promise((resolve) => {
    let began = false;
    const look = () => {
      began ||= busy();
      if (!began || busy()) return;
      requestAnimationFrame(() => setTimeout(() => {
        if (busy()) return;
        watcher.disconnect();
        resolve(performance.now() - pressed);
      }));
    };
    const watcher = new MutationObserver(look);
    for (const part of parts) watcher.observe(part, { attributes: true, attributeFilter: ["aria-busy"] });
    setTimeout(() => resolve(null), timeout);
  });
}"""
"""Sets up the wait before the key is pressed, so that no state is missed and no clock of ours is in the figure."""

_DRAWN = """() => {
  const turn = [...document.querySelectorAll("[data-turn][data-status]")].at(-1);
  const pane = document.querySelector("[data-shortlist]");
  const text = (part) => (part?.checkVisibility() ? part.textContent : "");
  const card = (one) => {
    const link = one.querySelector("h3").firstElementChild;
    return {
      name: one.checkVisibility() ? link.firstChild.textContent : "",
      url: link.getAttribute("href") ?? one.dataset.url,
      test_type: [...one.querySelectorAll("[data-kind]")].map((kind) => kind.dataset.kind).join(","),
    };
  };
  return {
    reply: text(turn.querySelector("[data-reply]")),
    ends: turn.querySelector("[data-ends]")?.dataset.ends ?? null,
    notice: text(turn.querySelector("[data-notice] p")),
    cards: pane.dataset.turn === turn.dataset.turn ? [...pane.querySelectorAll("[data-card]")].map(card) : [],
  };
}"""


class RecommenderPage:
    """The page with a conversation that may have gone on elsewhere before."""

    def __init__(self, page: Page, heard: Sequence[ChatMessage]) -> None:
        self._page = page
        if heard:
            page.evaluate(
                "([key, turns]) => sessionStorage.setItem(key, turns)", [_TURNS, json.dumps(_turns(heard))]
            )
            page.reload()
        page.locator("body[data-ready]").wait_for()
        self._box = page.get_by_label("Your message")
        self._send = page.get_by_role("button", name="Send", exact=True)

    def say(self, text: str, timeout_s: float) -> Exchange:
        """As the protocol says. A message that the page's button refuses is not sent."""
        self._box.fill(text)
        if self._send.get_attribute("aria-disabled") == "true":
            return Exchange(notice="the page does not take this message")
        self._page.evaluate(_WATCH, timeout_s * 1000)
        with self._page.expect_request(_is_chat, timeout=timeout_s * 1000) as asked:
            self._box.press("Enter")
        took_ms = self._page.evaluate("window.answerDrawn")
        if took_ms is None:
            return Exchange(notice=f"still busy after {timeout_s:g} s", timed_out=True)
        drawn = self._page.evaluate(_DRAWN)
        return Exchange(
            _shown(drawn), _received(asked.value), drawn["notice"], ui_latency_ms=round(took_ms, 3)
        )


def _turns(heard: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """`heard` as the page keeps it: each message of the user with the answer to it."""
    pairs = [
        (one.content, two.content)
        for one, two in pairwise(heard)
        if (one.role, two.role) == ("user", "assistant")
    ]
    return [
        {"id": number, "text": said, "status": "done", "reply": reply, "items": [], "ends": False}
        for number, (said, reply) in enumerate(pairs, 1)
    ]


def _is_chat(request: Request) -> bool:
    return request.method == "POST" and urlsplit(request.url).path == "/chat"


def _shown(drawn: dict[str, Any]) -> Shown:
    cards = tuple(Recommendation(card["name"], card["url"], card["test_type"]) for card in drawn["cards"])
    return Shown(drawn["reply"], cards, None if drawn["ends"] is None else drawn["ends"] == "true")


def _received(request: Request) -> Received:
    said = json.loads(request.post_data or "{}")["messages"]
    sent = tuple(ChatMessage(each["role"], each["content"]) for each in said)
    response = request.response()
    if response is None:
        return Received("unreachable", error=request.failure or "no response", sent=sent)
    response.finished()
    latency_ms = round(request.timing["responseEnd"] - max(0.0, request.timing["requestStart"]), 3)
    if response.status != _OK:
        fault = f"status {response.status}"
        error = f"{fault}: {response.text()[:300]}"
        return Received("failed", faults=(fault,), error=error, latency_ms=latency_ms, sent=sent)
    try:
        fields = read_body(json.loads(response.body()))
    except ValueError as exc:
        fault = "the body is not JSON"
        return Received("malformed", faults=(fault,), error=str(exc), latency_ms=latency_ms, sent=sent)
    answer = Shown(fields.get("ai_response", ""), fields.get("recommendations", ()), fields.get("ends"))
    return Received(fields.get("status", "ok"), answer, fields["faults"], "", latency_ms, sent)


def _open(page: Page, heard: Sequence[ChatMessage]) -> ChatPage:
    return RecommenderPage(page, heard)


PAGE = PageSpec(NAME, _open)
