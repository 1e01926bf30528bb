// Search over the catalogue; a choice becomes the sentence that a user would type.

import * as catalogue from "./catalogue.js";
import { button, catalogueLink, el, find } from "./dom.js";
import { LIST } from "./limits.js";
import { kindWords, plural, time } from "./words.js";

const PAUSE_MS = 150;

const FULL =
  `The list holds ${LIST}, the most there can be. If you add one, the entry that matters least is left out, ` +
  "what was added by default first; the reply names it. To choose yourself, remove one before.";

export class AddDialog {
  #controller = null;
  #timer = 0;

  constructor(add) {
    this.add = add;
    this.dialog = find("[data-dialog=add]");
    this.input = find("[data-search]");
    this.found = find("[data-found]");
    this.results = find("[data-results]");
    this.full = find("[data-full]");
    this.input.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#search(), PAUSE_MS);
    });
    this.dialog.addEventListener("close", () => this.#controller?.abort());
  }

  open(namesOnList) {
    this.onList = namesOnList;
    this.full.hidden = namesOnList.size < LIST;
    this.full.textContent = this.full.hidden ? "" : FULL; // a description is read out even where it is hidden
    this.input.value = "";
    this.#show([], "Type a name, a skill or a purpose.");
    this.dialog.showModal();
  }

  async #search() {
    this.#controller?.abort();
    const words = this.input.value.trim();
    if (!words) return this.#show([], "Type a name, a skill or a purpose.");
    const controller = (this.#controller = new AbortController());
    try {
      const { items, total } = await catalogue.search(words, controller.signal);
      const more = total > items.length ? `, the best ${items.length} shown` : "";
      this.#show(items, total ? `${plural(total, "assessment")} found${more}.` : "Nothing found. Try another word.");
    } catch (error) {
      if (!controller.signal.aborted) this.#show([], error.message);
    }
  }

  #show(records, words) {
    this.found.textContent = words;
    this.results.replaceChildren(...records.map((record) => this.#row(record)));
  }

  #row(record) {
    const present = this.onList.has(record.name);
    const choose = () => {
      this.dialog.close();
      this.add(record.name);
    };
    return el(
      "li",
      { "data-result": record.id },
      el(
        "div",
        {},
        el("h3", {}, catalogueLink(record.name, record.url)),
        el("p", { class: "note" }, `${kindWords(record).join(", ")}; ${time(record).toLowerCase()}`),
        el("p", { class: "purpose" }, record.summary),
      ),
      present
        ? el("span", { class: "change kept" }, "On the list")
        : button("Add", { class: "secondary", "data-action": "choose", "aria-label": `Add ${record.name}`, "aria-describedby": "full", onclick: choose }),
    );
  }
}
