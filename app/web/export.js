// The list for other programs and for people: CSV, JSON, Markdown.

import { entriesOf, totalWords } from "./shortlist.js";
import { form, kindWords, levels, time, yesNo } from "./words.js";

const COLUMNS = ["Position", "Name", "Test type", "Kinds", "Minutes", "Time", "Form", "Levels", "Languages", "Adaptive", "Remote", "What it is for", "Why", "Address"];

function row({ item, record, isReport, why }, place) {
  if (!record) return [place + 1, item.name, item.type, "", "", "", "", "", "", "", "", "", why, ""];
  return [
    place + 1,
    item.name,
    item.type,
    kindWords(record).join("; "),
    isReport ? "" : (record.minutes ?? ""),
    time(record, isReport),
    form(isReport),
    levels(record).join("; "),
    record.languages.join("; "),
    yesNo(record.adaptive),
    yesNo(record.remote),
    record.summary,
    why,
    record.url,
  ];
}

// RFC 4180; a cell that a spreadsheet would take for a formula begins with an apostrophe.
export function csvCell(value) {
  const text = String(value);
  const harmless = typeof value === "string" && /^[\s]*[=+\-@]|^[\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function asCsv(turn) {
  const rows = [COLUMNS, ...entriesOf(turn).map(row)];
  return rows.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}

export function asJson(turn, messages) {
  const shortlist = entriesOf(turn).map(({ item, record, isReport, why }) => ({
    name: item.name,
    url: record?.url ?? null,
    test_type: item.type,
    kinds: record?.types ?? [],
    minutes: record?.minutes ?? null,
    report: isReport ?? null,
    levels: record?.levels ?? [],
    languages: record?.languages ?? [],
    adaptive: record?.adaptive ?? null,
    remote: record?.remote ?? null,
    summary: record?.summary ?? "",
    why,
  }));
  const { minutes_total: total = null, not_covered: gaps = [] } = turn.explanation ?? {};
  return JSON.stringify({ shortlist, minutes_total: total, not_covered: gaps.map(({ what, note }) => ({ what, note })), messages }, null, 2);
}

const markdownText = (text) => String(text).replace(/[\\`*_{}[\]()<>#|~!]/g, "\\$&").replace(/\s+/g, " ");

export function asMarkdown(turn) {
  const rows = entriesOf(turn).map(({ item, record, isReport, why }, place) => {
    const name = record ? `[${markdownText(item.name)}](${record.url})` : markdownText(item.name);
    const cells = record ? [kindWords(record).join(", "), time(record, isReport)] : [item.type, ""];
    return `| ${[place + 1, name, ...cells.map(markdownText), markdownText(why)].join(" | ")} |`;
  });
  const gaps = (turn.explanation?.not_covered ?? []).map(({ what, note }) => `- Not covered: ${markdownText(what)}${note ? ` (${markdownText(note)})` : ""}`);
  const total = totalWords(turn.explanation);
  return [
    "## Assessment shortlist",
    "",
    "| # | Assessment | Kind | Time | Why |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    ...(total ? ["", `${total}.`] : []),
    ...(gaps.length ? ["", ...gaps] : []),
    "",
  ].join("\n");
}

export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
