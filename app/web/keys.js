// Keys beyond those that browser and elements have by themselves. None is taken from a text field or from an
// input method, except Page Up and Page Down in an empty text box, where they have nothing to do.

import { find, isComposing } from "./dom.js";

const PAGE = 0.9; // of the height that is seen

const STEPS = {
  ArrowUp: (place) => place - 1,
  ArrowDown: (place) => place + 1,
  Home: () => 0,
  End: (place, last) => last,
};

export function bindKeys(composer) {
  const log = find("[data-log]");
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isComposing(event) || event.ctrlKey || event.altKey || event.metaKey) return;
    if (find("dialog[open]")) return;
    if (event.key === "Escape") composer.focus();
    else if (event.target === composer.box) turnPage(event, composer, log);
    else if (log.contains(event.target)) step(event, log);
  });
}

function turnPage(event, composer, log) {
  const direction = { PageUp: -1, PageDown: 1 }[event.key];
  if (!direction || event.shiftKey || composer.text) return;
  event.preventDefault();
  const scrolled = getComputedStyle(log).overflowY === "auto" ? log : document.scrollingElement;
  scrolled.scrollBy({ top: direction * PAGE * log.clientHeight });
}

// From the log itself the first step leads to either end.
function step(event, log) {
  const messages = [...log.querySelectorAll("[data-message], [data-notice]")];
  if (event.shiftKey || !STEPS[event.key] || !messages.length) return;
  event.preventDefault();
  const last = messages.length - 1;
  const place = messages.findIndex((message) => message.contains(event.target));
  const start = place < 0 && event.key === "ArrowUp" ? messages.length : place;
  const next = Math.min(Math.max(STEPS[event.key](start, last), 0), last);
  messages[next].focus({ preventScroll: true });
  messages[next].scrollIntoView({ block: "nearest" });
}
