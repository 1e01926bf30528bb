// Up to four entries side by side, and their differences in words.

import { catalogueLink, el, find } from "./dom.js";
import { form, join, kindWords, levels, orNotStated, time, yesNo } from "./words.js";

const ROWS = [
  ["Kind of test", ({ record }) => kindWords(record).join(", ")],
  ["Time", ({ record, isReport }) => time(record, isReport)],
  ["Form", ({ isReport }) => form(isReport)],
  ["Job levels", ({ record }) => orNotStated(levels(record))],
  ["Languages", ({ record }) => orNotStated(record.languages)],
  ["Adaptive", ({ record }) => yesNo(record.adaptive)],
  ["Remote", ({ record }) => yesNo(record.remote)],
  ["What it is for", ({ record }) => record.summary || "not stated"],
];

const isSame = (values) => values.every((value) => value === values[0]);

// Sentences a reader could say aloud: who is shortest, what only one of them has.
export function differences(entries) {
  const all = entries.map(({ record }) => record.name);
  const sentences = [timeSentence(entries)];
  sentences.push(...only(entries, "kind of test", ({ record }) => kindWords(record)));
  sentences.push(...only(entries, "level", ({ record }) => levels(record)));
  sentences.push(...only(entries, "language", ({ record }) => record.languages));
  const adaptive = entries.filter(({ record }) => record.adaptive).map(({ record }) => record.name);
  if (adaptive.length && adaptive.length < all.length) sentences.push(`Adaptive: ${join(adaptive)}; the others are not.`);
  const reports = entries.filter(({ isReport }) => isReport).map(({ record }) => record.name);
  if (reports.length && reports.length < all.length) sentences.push(`${join(reports)}: a report drawn from another assessment; the rest are sat.`);
  const same = ROWS.slice(0, -1).filter(([, value]) => isSame(entries.map(value))).map(([term]) => term.toLowerCase());
  if (same.length) sentences.push(`The same for all: ${join(same)}.`);
  return sentences.filter(Boolean);
}

function timeSentence(entries) {
  const timed = entries.filter(({ record }) => record.minutes != null).sort((a, b) => a.record.minutes - b.record.minutes);
  if (timed.length < 2) return "";
  const [short, long] = [timed[0].record, timed.at(-1).record];
  const more = long.minutes - short.minutes;
  return more ? `${long.name} takes ${more} min longer than ${short.name} (${long.minutes} against ${short.minutes}).` : "";
}

const FEW = 4;

function only(entries, noun, valuesOf) {
  const lists = entries.map(valuesOf);
  return entries.flatMap(({ record }, place) => {
    const others = new Set(lists.filter((_, at) => at !== place).flat());
    const own = lists[place].filter((value) => !others.has(value));
    if (!own.length) return [];
    const shown = own.length > FEW ? `${own.slice(0, FEW - 1).join(", ")} and ${own.length - FEW + 1} more` : own.join(", ");
    return [`Only ${record.name} has the ${noun}${own.length > 1 ? "s" : ""} ${shown}.`];
  });
}

export function drawComparison(entries) {
  const head = entries.map(({ record }) => el("th", { scope: "col" }, catalogueLink(record.name, record.url)));
  const rows = ROWS.map(([term, value]) => {
    const values = entries.map(value);
    const same = isSame(values);
    return el(
      "tr",
      { "data-same": String(same) },
      el("th", { scope: "row" }, term, el("span", { class: "verdict" }, same ? "same" : "differs")),
      ...values.map((words) => el("td", { dir: "auto" }, words)),
    );
  });
  find("[data-comparison]").replaceChildren(
    el("ul", { class: "differences", "data-differences": true }, ...differences(entries).map((words) => el("li", {}, words))),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Comparison table" },
      el(
        "table",
        { class: "compare" },
        el("caption", {}, `Comparison of ${join(entries.map(({ record }) => record.name))}`),
        el("thead", {}, el("tr", {}, el("td", {}), ...head)),
        el("tbody", {}, ...rows),
      ),
    ),
  );
  find("[data-dialog=compare]").showModal();
}
