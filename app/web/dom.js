//# allFunctionsCalledOnLoad
// Building elements. Text only ever becomes text: there is no way in for markup.

export const find = (selector, root = document) => root.querySelector(selector);

// el("a", { href, class: "name", "data-id": 1, onclick }, "words", child): null and false children are left out.
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

// A button that can be off without losing the focus that may be on it.
export function button(words, attributes = {}) {
  return el("button", { type: "button", ...attributes }, words);
}

export const isOff = (element) => element.getAttribute("aria-disabled") === "true";

export function setOff(element, off) {
  if (off) element.setAttribute("aria-disabled", "true");
  else element.removeAttribute("aria-disabled");
}

// A link for an address that the catalogue itself gave; plain text for everything else.
export function catalogueLink(name, address, attributes = {}) {
  if (!address) return el("span", attributes, name);
  return el(
    "a",
    { ...attributes, href: address, target: "_blank", rel: "noopener noreferrer" },
    name,
    el("span", { class: "unseen" }, " (opens in a new tab)"),
  );
}

// Whether a key belongs to an input method; Safari says it with the code alone.
export const isComposing = (event) => event.isComposing || event.keyCode === 229;

let clearing = 0;

// One polite sentence for screen readers, taken away again so that nobody reads it twice.
export function announce(words) {
  const region = find("[data-announce]");
  region.textContent = words;
  clearTimeout(clearing);
  clearing = setTimeout(() => region.replaceChildren(), 3000);
}

let hiding = 0;

// A short confirmation that can be seen and is read out.
export function toast(words) {
  const region = find("[data-toast]");
  region.textContent = words;
  clearTimeout(hiding);
  hiding = setTimeout(() => region.replaceChildren(), 4000);
}
