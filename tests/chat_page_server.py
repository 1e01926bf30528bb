"""A page with the recruiter's hooks that draws as the question says: rightly, late, wrongly, or never."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response

ITEMS = [
    {
        "name": "SQL (New)",
        "url": "https://www.shl.com/products/product-catalog/view/sql-new/",
        "test_type": "K",
    },
    {"name": "OPQ32r", "url": "https://www.shl.com/products/product-catalog/view/opq32r/", "test_type": "P"},
]
REPLY = "Total 25.\n1. SQL (New)"

PAGE = """<!doctype html><html><body data-page="recommender">
<div data-log aria-busy="false"></div>
<section data-shortlist data-turn="" aria-busy="false"></section>
<form><label for="m">Your message</label><textarea id="m"></textarea><button type="submit">Send</button></form>
<script>
const find = (name) => document.querySelector(`[data-${name}]`), box = document.getElementById("m");
const send = document.querySelector("button");
const history = JSON.parse(sessionStorage.getItem("recommender.turns") ?? "[]");
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const offer = () => box.value.trim() ? send.removeAttribute("aria-disabled") : send.setAttribute("aria-disabled", "true");
box.addEventListener("input", offer); offer();
box.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); ask(); } });
const busy = (part, state) => find(part).setAttribute("aria-busy", String(state));
async function ask() {
  const text = box.value;
  box.value = "";
  busy("log", true);
  const turn = document.createElement("div");
  turn.dataset.turn = find("log").children.length + 1;
  turn.dataset.status = "waiting";
  turn.innerHTML = '<article data-message="assistant"><div data-reply></div></article><div data-notice hidden><p></p></div>';
  find("log").append(turn);
  const reply = turn.querySelector("[data-reply]");
  const said = history.flatMap(({ text, reply }) => [{ role: "user", content: text }, { role: "assistant", content: reply }]);
  if (text.includes("forgets")) said.length = 0;
  try {
    const response = await fetch("/chat", { method: "POST", body: JSON.stringify({ messages: [...said, { role: "user", content: text }] }) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const answer = await response.json();
    if (text.includes("never")) return;
    if (text.includes("slowly")) {
      for (let end = 1; end < answer.reply.length; end += 4) { reply.textContent = answer.reply.slice(0, end); await later(25); }
    }
    reply.textContent = text.includes("wrong text") ? answer.reply.replace("25", "52") : answer.reply;
    if (text.includes("hidden")) reply.style.display = "none";
    turn.querySelector("article").dataset.ends = String(text.includes("wrong end") ? !answer.end_of_conversation : answer.end_of_conversation);
    busy("shortlist", true);
    const cards = text.includes("fewer") ? answer.recommendations.slice(1) : answer.recommendations;
    find("shortlist").innerHTML = cards.map((item) => `<li data-card data-url="${item.url}"><h3><span>${item.name}</span></h3><i data-kind="${item.test_type}">k</i></li>`).join("");
    find("shortlist").dataset.turn = text.includes("older list") ? "0" : turn.dataset.turn;
    history.push({ text, reply: answer.reply });
  } catch (error) {
    turn.querySelector("[data-notice]").hidden = false;
    turn.querySelector("p").textContent = error.message;
  }
  busy("log", false);
  await later(30);
  busy("shortlist", false);
}
document.body.dataset.ready = "true";
</script></body></html>"""


def app_of(seen: list[Any]) -> FastAPI:
    """The page and its `/chat`; what the page sends is kept in `seen`."""
    app = FastAPI()

    @app.get("/")
    async def page() -> HTMLResponse:
        return HTMLResponse(PAGE)

    @app.get("/other")
    async def other() -> HTMLResponse:
        return HTMLResponse('<body data-page="elsewhere"></body>')

    @app.post("/chat")
    async def chat(request: Request) -> Response:
        body = await request.json()
        seen.append(body)
        asked = body["messages"][-1]["content"]
        if "fails" in asked:
            return Response("oops", 500)
        if "garbled" in asked:
            return Response("<html>", 200)
        answer = {"reply": REPLY, "recommendations": ITEMS, "end_of_conversation": False}
        return Response(json.dumps(answer), media_type="application/json")

    return app
