//# allFunctionsCalledOnLoad
// The log: what was said, and what can be done about a turn that was not answered.

import { button, el, find } from "./dom.js";
import { TURNS } from "./limits.js";
import { plural } from "./words.js";

const LONG = 900; // characters of a message beyond which it is folded

export const NEAR = 3; // turns from the last one at which it is time to say so

const OPENERS = [
  ["Warehouse shift lead", "We need a shift lead for a night warehouse team of twelve. Reliability, safety and basic numeracy matter most."],
  ["Data engineer", "Mid-level data engineer who writes Python and SQL all day and explains results to the finance team."],
  ["Phone support", "Hiring twenty people for inbound phone support in English. They type while they talk, and patience counts."],
  ["First-time managers", "We are promoting eight specialists to their first management role and want to know where each needs support."],
];

export class ConversationView {
  #follows = null; // null: nothing is new
  #drawn = new Map(); // turn id → { key, element }

  constructor(actions) {
    this.actions = actions;
    this.log = find("[data-log]");
    this.turns = find("[data-turns]");
    this.newer = find("[data-action=newer]");
    this.composer = find("[data-composer]");
    this.count = find("[data-turn-count]");
    find("[data-openers]").append(...OPENERS.map(([title, text]) => this.#opener(title, text)));
    find("[data-action=restore]").addEventListener("click", actions.restore);
    this.newer.addEventListener("click", () => {
      this.#lastPart()?.scrollIntoView({ block: "nearest" });
      this.newer.hidden = true;
      this.log.focus({ preventScroll: true });
    });
    this.log.addEventListener("scroll", () => this.#hideNewer(), { passive: true });
    document.addEventListener("scroll", () => this.#hideNewer(), { passive: true });
  }

  draw(history) {
    find("[data-welcome]").hidden = history.turns.length > 0;
    find("[data-restore]").hidden = !history.canRestore;
    const followed = this.#endIsInView();
    const parts = history.turns.map((turn) => this.#part(turn, turn === history.turns.at(-1)));
    const shown = [...this.turns.children];
    for (const old of shown) if (!parts.includes(old)) old.remove();
    const fresh = parts.filter((part) => !part.isConnected);
    parts.forEach((part, place) => {
      if (this.turns.children[place] !== part) this.turns.insertBefore(part, this.turns.children[place] ?? null);
    });
    for (const id of this.#drawn.keys()) if (!history.turns.some((turn) => turn.id === id)) this.#drawn.delete(id);
    this.#follows = fresh.length ? followed || history.waiting : null;
    if (!parts.length) this.newer.hidden = true;
    this.log.setAttribute("aria-busy", String(history.waiting));
    this.count.textContent = history.turns.length ? `Turn ${history.place} of ${TURNS}` : "";
    this.count.classList.toggle("near", TURNS - history.place < NEAR);
  }

  // Bring what is new into view, or offer it to who is reading further up. Apart from `draw`, because it has
  // to wait for the layout of everything that was drawn.
  follow() {
    if (this.#follows === false) this.newer.hidden = false;
    else if (this.#follows) this.#lastPart()?.scrollIntoView({ block: "nearest" });
  }

  #lastPart() {
    return this.turns.lastElementChild?.lastElementChild;
  }

  #endIsInView() {
    const last = this.#lastPart();
    return !last || last.getBoundingClientRect().top < this.composer.getBoundingClientRect().top;
  }

  #hideNewer() {
    if (!this.newer.hidden && this.#endIsInView()) this.newer.hidden = true;
  }

  #opener(title, text) {
    const choose = () => this.actions.send(text);
    return el(
      "li",
      {},
      el("button", { type: "button", "data-opener": true, onclick: choose }, el("strong", {}, title), el("span", {}, text)),
    );
  }

  #part(turn, isLast) {
    const key = `${turn.status} ${turn.error ?? ""} ${isLast || turn.status === "done"}`;
    const known = this.#drawn.get(turn.id);
    if (known?.key === key) return known.element;
    const element = el(
      "div",
      { class: "turn", "data-turn": turn.id, "data-status": turn.status },
      this.#said(turn),
      this.#answer(turn, isLast),
    );
    this.#drawn.set(turn.id, { key, element });
    return element;
  }

  #said(turn) {
    const text = el("div", { class: "text", "data-text": true, dir: "auto" }, turn.text);
    const article = el(
      "article",
      { class: "said", "data-message": "user", "aria-label": "You", tabindex: -1 },
      text,
    );
    if (turn.text.length > LONG) {
      text.classList.add("folded");
      const more = button("Show all", {
        class: "link",
        "aria-expanded": "false",
        onclick: () => {
          const folded = text.classList.toggle("folded");
          more.setAttribute("aria-expanded", String(!folded));
          more.textContent = folded ? "Show all" : "Show less";
        },
      });
      article.append(more);
    }
    return article;
  }

  #answer(turn, isLast) {
    if (turn.status === "waiting") {
      return el(
        "div",
        { class: "pending", "data-pending": true },
        el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")),
        el("span", {}, "Working on it"),
        button("Cancel", { class: "quiet", "data-action": "cancel", onclick: this.actions.cancel }),
      );
    }
    if (turn.status !== "done") return this.#notice(turn, isLast);
    return el(
      "article",
      {
        class: "reply",
        "data-message": "assistant",
        "data-count": turn.items.length,
        "data-ends": String(turn.ends),
        "aria-label": "Recommender",
        tabindex: -1,
      },
      el("div", { class: "text", "data-reply": true, dir: "auto" }, ...replyLines(turn.reply)),
      turn.ends && el("p", { class: "ended" }, "The list is settled. You can still change it, export it or start over."),
      el(
        "p",
        { class: "after" },
        turn.items.length > 0 && el("a", { href: "#shortlist" }, `Shortlist: ${plural(turn.items.length, "assessment")}`),
        button("Why this reply", { class: "link", "data-action": "why-reply", onclick: () => this.actions.why(turn) }),
      ),
    );
  }

  #notice(turn, isLast) {
    const failed = turn.status === "failed";
    return el(
      "div",
      { class: failed ? "notice bad" : "notice", role: failed ? "alert" : null, "data-notice": turn.status, tabindex: -1 },
      el("p", { dir: "auto" }, failed ? turn.error : "Cancelled. This message was not answered."),
      isLast && button("Try again", { class: "secondary", "data-action": "retry", onclick: this.actions.retry }),
    );
  }
}

// The reply word for word; the lines of a numbered list get a look of their own.
function replyLines(reply) {
  return reply
    .split("\n")
    .flatMap((line, place) => [
      place ? "\n" : "",
      /^\d+\. /.test(line) ? el("span", { class: "row" }, line) : line,
    ])
    .filter((piece) => piece !== "");
}
