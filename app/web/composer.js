// The text box: grows with its text, counts, and knows when Enter means "send".

import { find, isOff, setOff } from "./dom.js";

export const LIMIT = 32_000; // characters the service takes in one message
const COUNT_FROM = 2_000;

// The service counts characters, a string's length counts halves of some of them.
const count = (text) => (text.length > COUNT_FROM ? [...text].length : text.length);

export class Composer {
  #waiting = false;

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

  focus() {
    this.box.focus();
  }

  // Whether the service would take the text at all.
  takes(text) {
    return text.trim() !== "" && count(text) <= LIMIT;
  }

  #onKey(event) {
    const composing = event.isComposing || event.keyCode === 229; // Safari says it with the code alone
    if (event.key !== "Enter" || event.shiftKey || composing) return;
    event.preventDefault();
    if (!event.repeat) this.button.form.requestSubmit();
  }

  #update() {
    const used = count(this.text);
    const over = used - LIMIT;
    const number = (value) => value.toLocaleString("en");
    this.box.style.height = "auto";
    this.box.style.height = `${this.box.scrollHeight + 2}px`;
    this.box.setAttribute("aria-invalid", String(over > 0));
    this.counter.classList.toggle("over", over > 0);
    this.counter.textContent =
      over > 0
        ? `${number(used)} of ${number(LIMIT)} characters: shorten it by ${number(over)}`
        : used >= COUNT_FROM
          ? `${number(used)} of ${number(LIMIT)} characters`
          : "";
    this.#offer();
    this.changed(this.text);
  }

  #offer() {
    setOff(this.button, this.#waiting || !this.takes(this.text));
  }
}
