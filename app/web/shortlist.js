//# allFunctionsCalledOnLoad
// The list as it stands: cards, what changed, what it takes, what it lacks.

import * as catalogue from "./catalogue.js";
import { button, catalogueLink, el, find, setOff } from "./dom.js";
import { form, kinds, levels, orNotStated, plural, sentence, time, yesNo } from "./words.js";

export const COMPARE_MOST = 4;
const FEW = 3;

// What is known of each entry of a turn's list, for cards, table and exports alike.
export function entriesOf(turn) {
  const picks = new Map((turn.explanation?.picks ?? []).map((pick) => [pick.id, pick]));
  const timed = new Set(turn.explanation?.minutes_unknown ?? []);
  return turn.items.map((item) => {
    const id = catalogue.idOf(item.url);
    const pick = picks.get(id);
    // Reports have no minutes and are not among those whose minutes are missing.
    const isReport = pick ? pick.minutes == null && !timed.has(id) : undefined;
    return { item, id: id || item.name, record: catalogue.recordFor(item), why: pick?.why ?? "", isReport };
  });
}

export function changesOf({ now, before }) {
  if (!now || !before) return { added: new Set(), kept: new Set(), dropped: [] };
  const names = new Set(before.items.map(({ name }) => name));
  const current = new Set(now.items.map(({ name }) => name));
  return {
    added: new Set([...current].filter((name) => !names.has(name))),
    kept: new Set([...current].filter((name) => names.has(name))),
    dropped: before.items.filter(({ name }) => !current.has(name)),
  };
}

export function changeWords({ added, kept, dropped }) {
  return [
    added.size && `${added.size} added`,
    dropped.length && `${dropped.length} dropped`,
    kept.size && `${kept.size} kept`,
  ]
    .filter(Boolean)
    .join(", ");
}

export function totalWords(explanation) {
  if (!explanation) return "";
  const unknown = explanation.minutes_unknown.length;
  const total = `${explanation.minutes_total} min in total`;
  return unknown ? `${total}, and ${unknown} without a stated time` : total;
}

export class ShortlistView {
  chosen = new Set(); // ids ticked for comparison

  constructor(actions) {
    this.actions = actions;
    this.pane = find("[data-shortlist]");
    this.jump = find("[data-jump]");
  }

  draw(history, { off, busy }) {
    const lists = history.lists();
    const turn = lists.now;
    const focused = document.activeElement?.closest?.("[data-shortlist] [data-key]")?.dataset.key;
    const open = new Set([...this.pane.querySelectorAll("details[open]")].map((one) => one.dataset.key));
    const parts = !turn ? this.#empty() : turn.items.length ? this.#list(history, lists) : this.#emptied(history, lists);
    this.pane.replaceChildren(...parts.filter(Boolean));
    this.pane.setAttribute("aria-busy", String(history.waiting || busy));
    this.pane.dataset.turn = turn?.id ?? "";
    this.pane.dataset.count = turn?.items.length ?? 0;
    this.jump.hidden = !turn;
    this.jump.textContent = turn ? `Shortlist: ${turn.items.length}` : "";
    for (const sender of this.pane.querySelectorAll("[data-sends]")) setOff(sender, off);
    for (const one of this.pane.querySelectorAll("details")) one.open = open.has(one.dataset.key);
    if (focused) this.#focusAgain(focused);
  }

  // The element that had the focus was drawn anew; if it is gone, the pane takes it.
  #focusAgain(key) {
    const again = [...this.pane.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
    (again ?? this.pane).focus({ preventScroll: true });
  }

  #head(count, ...tools) {
    return el(
      "div",
      { class: "pane-head" },
      el("h2", { id: "list-title" }, "Shortlist", count > 0 && el("span", { class: "count" }, ` ${count}`)),
      el("a", { class: "back", href: "#message" }, "Back to the message box"),
      el("div", { class: "tools" }, ...tools),
    );
  }

  #addButton() {
    return button("Add…", { class: "secondary", "data-action": "add", "data-key": "add", "data-sends": true, onclick: this.actions.add });
  }

  #empty() {
    return [
      this.#head(0, this.#addButton()),
      el(
        "div",
        { class: "nothing" },
        el("p", { class: "lead" }, "Your shortlist will stand here."),
        el("p", {}, "One to ten assessments with their times, levels and languages. You can remove and add entries, compare up to four, and hand the list on."),
      ),
    ];
  }

  #emptied(history, lists) {
    const turn = lists.now;
    const last = history.turns.at(-1) === turn; // else the turn to undo is another one
    return [
      this.#head(0, this.#addButton(), this.#whyButton(turn)),
      el(
        "div",
        { class: "nothing", "data-emptied": true },
        el("p", { class: "lead" }, "The list is empty."),
        el("p", {}, "Its last entry was removed. Add another, say what to measure instead, or take the removal back."),
        last && el("p", {}, button("Undo the removal", { class: "secondary", "data-action": "refill", "data-key": "refill", onclick: this.actions.undo })),
      ),
      this.#dropped(changesOf(lists).dropped),
    ];
  }

  #list(history, lists) {
    const turn = lists.now;
    const entries = entriesOf(turn);
    const changes = changesOf(lists);
    const ids = new Set(entries.map(({ id }) => id));
    for (const id of this.chosen) if (!ids.has(id)) this.chosen.delete(id);
    const older = history.done.at(-1) !== turn;
    return [
      this.#head(entries.length, this.#addButton(), this.#compareButton(), this.#whyButton(turn)),
      el("p", { class: "sheet-title" }, "Assessment shortlist"),
      el("p", { class: "sheet-line" }, sheetLine(turn)),
      this.#summary(turn, changes, older),
      el("ol", { class: "cards", "data-cards": true }, ...entries.map((entry, place) => this.#card(entry, place, changes))),
      this.#dropped(changes.dropped),
      this.#gaps(turn),
      this.#exports(turn),
    ];
  }

  #compareButton() {
    const count = this.chosen.size;
    const words = count ? `Compare ${count}` : "Compare";
    const attributes = { class: "secondary", "data-action": "compare", "data-key": "compare", onclick: () => this.actions.compare() };
    return button(words, { ...attributes, "aria-disabled": count < 2 ? "true" : null, title: count < 2 ? "Tick two to four entries" : null });
  }

  #whyButton(turn) {
    return button("Why this list", { class: "secondary", "data-action": "why", "data-key": "why", onclick: () => this.actions.why(turn) });
  }

  #summary(turn, changes, older) {
    const changed = changeWords(changes);
    const total = totalWords(turn.explanation);
    return el(
      "div",
      { class: "summary" },
      el("p", { class: "total", "data-total": turn.explanation?.minutes_total ?? "" }, total || " "),
      changed && el("p", { "data-changes": true }, `Since the list before: ${changed}.`),
      older && el("p", { class: "older", "data-older": true }, "The last reply gave no list; this is the one before it."),
    );
  }

  #card({ item, id, record, why, isReport }, place, { added, kept }) {
    const change = added.has(item.name) ? "added" : kept.has(item.name) ? "kept" : "";
    return el(
      "li",
      {
        class: "card",
        "data-card": id,
        "data-name": item.name,
        "data-url": item.url,
        "data-test-type": item.type,
        "data-change": change,
      },
      el(
        "div",
        { class: "card-head" },
        el("span", { class: "place", "aria-hidden": "true" }, place + 1),
        el("h3", { dir: "auto" }, catalogueLink(item.name, record?.url, { "data-key": `link ${id}` })),
        change && el("span", { class: `change ${change}` }, change === "added" ? "Added" : "Kept"),
      ),
      el("ul", { class: "kinds", "aria-label": "Kinds of test" }, ...kindBadges(item, record)),
      record?.summary && el("p", { class: "purpose", "data-purpose": true, dir: "auto" }, record.summary),
      why && el("p", { class: "why", "data-reason": true }, el("strong", {}, "Why it is here: "), sentence(why)),
      this.#facts(id, record, isReport),
      el("p", { class: "address" }, record?.url),
      el("div", { class: "card-tools" }, this.#tick(item, id, record), record && this.#copy(item, id, record), this.#remove(item, id)),
    );
  }

  #facts(id, record, isReport) {
    if (!record) {
      return el("p", { class: "note", "data-unknown": true }, "The catalogue's details of this entry are not at hand.");
    }
    return el(
      "dl",
      { class: "facts" },
      fact("Time", "time", time(record, isReport)),
      fact("Form", "form", form(isReport)),
      fact("Adaptive", "adaptive", yesNo(record.adaptive)),
      fact("Remote", "remote", yesNo(record.remote)),
      fact("Levels", "levels", few(levels(record), `levels ${id}`), "broad"),
      fact("Languages", "languages", few(record.languages, `languages ${id}`), "broad"),
    );
  }

  #tick(item, id, record) {
    const ticked = this.chosen.has(id);
    const full = !ticked && this.chosen.size >= COMPARE_MOST;
    const box = el("input", {
      type: "checkbox",
      "data-key": `tick ${id}`,
      "data-action": "tick",
      checked: ticked,
      "aria-disabled": full || !record ? "true" : null,
      "aria-label": `Compare ${item.name}`,
      onclick: (event) => {
        if (full || !record) event.preventDefault();
      },
      onchange: () => {
        if (ticked) this.chosen.delete(id);
        else this.chosen.add(id);
        this.actions.redraw();
      },
    });
    return el("label", { class: full || !record ? "tick off" : "tick" }, box, full ? "Compare (four at most)" : "Compare");
  }

  #copy(item, id, record) {
    return button("Copy link", {
      class: "quiet",
      "data-action": "copy-link",
      "data-key": `copy ${id}`,
      "aria-label": `Copy link to ${item.name}`,
      onclick: () => this.actions.copyLink(item.name, record.url),
    });
  }

  #remove(item, id) {
    return button("Remove", {
      class: "quiet",
      "data-action": "remove",
      "data-key": `remove ${id}`,
      "data-sends": true,
      "aria-label": `Remove ${item.name}`,
      onclick: () => this.actions.remove(item.name),
    });
  }

  #dropped(items) {
    if (!items.length) return null;
    const row = (item) =>
      el(
        "li",
        { "data-dropped": item.name },
        el("span", { class: "change dropped" }, "Dropped"),
        el("s", { dir: "auto" }, item.name),
        button("Add back", {
          class: "quiet",
          "data-action": "add-back",
          "data-key": `back ${item.name}`,
          "data-sends": true,
          "aria-label": `Add ${item.name} back`,
          onclick: () => this.actions.addByName(item.name),
        }),
      );
    return el("section", { class: "aside dropped-list", "aria-label": "Dropped from the list" }, el("ul", {}, ...items.map(row)));
  }

  #gaps(turn) {
    const gaps = turn.explanation?.not_covered ?? [];
    if (!gaps.length) return null;
    return el(
      "section",
      { class: "aside", "aria-labelledby": "gaps-title", "data-gaps": true },
      el("h3", { id: "gaps-title" }, "Not covered"),
      el("ul", {}, ...gaps.map(gapRow)),
    );
  }

  #exports(turn) {
    const kinds = [
      ["csv", "CSV"],
      ["json", "JSON"],
      ["markdown", "Copy as Markdown"],
      ["print", "Print"],
    ];
    return el(
      "div",
      { class: "exports", role: "group", "aria-label": "Export the shortlist" },
      el("span", { "aria-hidden": "true" }, "Export"),
      ...kinds.map(([kind, words]) =>
        button(words, { class: "secondary", "data-export": kind, "data-key": `export ${kind}`, onclick: () => this.actions.export(kind, turn) }),
      ),
    );
  }
}

function kindBadges(item, record) {
  const known = record ? kinds(record) : item.type.split(",").map((letter) => [letter.trim(), ""]);
  return known
    .filter(([letter]) => letter)
    .map(([letter, words]) => el("li", { class: "kind", "data-kind": letter }, el("b", {}, letter), words && ` ${words}`));
}

function fact(term, hook, value, look = "") {
  return el("div", { class: look }, el("dt", {}, term), el("dd", { "data-fact": hook }, value));
}

// A long list folds; its first entries say what it is. Paper cannot be unfolded, so it gets all of them.
function few(items, key) {
  if (items.length <= FEW) return orNotStated(items);
  const rest = items.length - 2;
  const folded = el(
    "details",
    { "data-key": key },
    el("summary", { "data-key": `more ${key}` }, `${items.slice(0, 2).join(", ")} and ${rest} more`),
    el("span", {}, items.slice(2).join(", ")),
  );
  return [folded, el("span", { class: "printed" }, items.join(", "))];
}

export function gapRow(gap) {
  const nearest = gap.nearest.map((id) => catalogue.recordOf(id)).filter(Boolean);
  return el(
    "li",
    { dir: "auto" },
    el("strong", {}, gap.what),
    gap.note ? `: ${gap.note}` : "",
    nearest.length > 0 && el("span", { class: "near" }, " Nearest: ", ...nearest.flatMap(({ name, url }, place) => [place ? ", " : "", catalogueLink(name, url)]), "."),
  );
}

function sheetLine(turn) {
  const role = turn.explanation?.understood?.role_text;
  const now = new Date(); // written by hand: the first date in words costs as much time as the whole list
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
  return role ? `For: ${role}. ${day}.` : `${day}.`;
}
