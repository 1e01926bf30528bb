// The text box: grows with its text, counts, and knows when Enter means "send".

import { find, isComposing, isOff, setOff } from "./dom.js";
import { MESSAGE_CHARS } from "./limits.js";

const COUNT_FROM = Math.min(2_000, MESSAGE_CHARS / 2);

const FULL = "This conversation has all the turns it can have. Start over, or undo the last turn.";

// The service counts characters, a string's length counts halves of some of them.
const count = (text) => (text.length > COUNT_FROM ? [...text].length : text.length);

export class Composer {
  #waiting = false;
  #full = false;

  constructor({ send, changed }) {
    this.box = find("#message");
    this.button = find("[data-action=send]");
    this.counter = find("[data-counter]");
    this.changed = changed;
    find("[data-composer]").addEventListener("submit", (event) => {
      event.preventDefault();
      if (!isOff(this.button)) send(this.box.value);
    });
    this.box.addEventListener("input", () => this.#update());
    this.box.addEventListener("keydown", (event) => this.#onKey(event));
  }

  get text() {
    return this.box.value;
  }

  set text(value) {
    this.box.value = value;
    this.#update();
  }

  set waiting(waiting) {
    this.#waiting = waiting;
    this.#offer();
  }

  // Whether the conversation has as many turns as the service takes.
  set full(full) {
    this.#full = full;
    this.#count();
    this.#offer();
  }

  focus() {
    this.box.focus();
  }

  // Whether the service would take the text at all.
  takes(text) {
    return !this.#full && text.trim() !== "" && count(text) <= MESSAGE_CHARS;
  }

  #onKey(event) {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    if (!event.repeat) this.button.form.requestSubmit();
  }

  #update() {
    this.box.style.height = "auto";
    this.box.style.height = `${this.box.scrollHeight + 2}px`;
    this.#count();
    this.#offer();
    this.changed(this.text);
  }

  #count() {
    const used = count(this.text);
    const over = used - MESSAGE_CHARS;
    const number = (value) => value.toLocaleString("en");
    this.box.setAttribute("aria-invalid", String(over > 0));
    this.counter.classList.toggle("over", over > 0 || this.#full);
    this.counter.textContent = this.#full
      ? FULL
      : over > 0
        ? `${number(used)} of ${number(MESSAGE_CHARS)} characters: shorten it by ${number(over)}`
        : used >= COUNT_FROM
          ? `${number(used)} of ${number(MESSAGE_CHARS)} characters`
          : "";
  }

  #offer() {
    setOff(this.button, this.#waiting || !this.takes(this.text));
  }
}
