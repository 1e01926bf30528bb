//# allFunctionsCalledOnLoad
// The line above, here and in the modules that draw, has Chromium compile them whole while they load, off the main
// thread: else the first list waits for it.
// Wiring: the history, its views, and what a user can do.

import { AddDialog } from "./add.js";
import * as api from "./api.js";
import * as catalogue from "./catalogue.js";
import { drawComparison } from "./compare.js";
import { Composer } from "./composer.js";
import { ConversationView, NEAR } from "./conversation.js";
import { announce, find, isOff, toast } from "./dom.js";
import { drawExplanation } from "./explain.js";
import { asCsv, asJson, asMarkdown, download } from "./export.js";
import { History } from "./history.js";
import { bindKeys } from "./keys.js";
import { TURNS } from "./limits.js";
import { ShortlistView, changeWords, changesOf, entriesOf } from "./shortlist.js";
import { plural } from "./words.js";

const RETRY_MS = 5_000;

const history = new History(sessionStorage);
const composer = new Composer({ send: sendDraft, changed: (text) => history.setDraft(text) });
const conversation = new ConversationView({ send, cancel, retry, restore, why });
const shortlist = new ShortlistView({
  add: () => addDialog.open(new Set(history.lists().now?.items.map(({ name }) => name))),
  addByName,
  compare,
  export: exportList,
  redraw: drawShortlist,
  undo,
  remove: (name) => send(`Please remove "${name}".`),
  copyLink,
  why,
});
const addDialog = new AddDialog(addByName);

let current = null; // { turn, controller } while a reply is awaited
let described = null; // the turn whose list is shown
let describing = 0; // how many turns wait for their details

// --- drawing ---------------------------------------------------------------------------------------------

function draw() {
  document.body.dataset.state = history.waiting ? "waiting" : (history.turns.at(-1)?.status ?? "idle");
  composer.waiting = history.waiting;
  composer.full = isFull();
  find("[data-action=undo]").hidden = !history.turns.length;
  find("[data-action=restart]").hidden = !history.turns.length;
  const { now } = history.lists();
  if (now && now !== described) describe(now);
  described = now;
  conversation.draw(history);
  drawShortlist();
  conversation.follow();
}

function drawShortlist() {
  shortlist.draw(history, { off: history.waiting || isFull(), busy: describing > 0 });
}

// Whether the conversation has as many turns as the service takes.
function isFull() {
  return history.done.length >= TURNS;
}

// --- talking ---------------------------------------------------------------------------------------------

function sendDraft(text) {
  if (!send(text)) return;
  composer.text = "";
}

function send(text) {
  if (history.waiting || !composer.takes(text)) return false;
  ask(history.begin(text));
  return true;
}

// Quoted, because names hold words that mean something by themselves.
function addByName(name) {
  send(`Please add "${name}".`);
}

async function ask(turn) {
  const controller = new AbortController();
  current = { turn, controller };
  try {
    const answer = await api.chat(history.messages(turn), controller.signal);
    if (current?.turn !== turn) return;
    current = null;
    setOffline(false);
    history.finish(turn, { ...answer, status: "done" });
    announce(announcement(turn));
  } catch (error) {
    if (current?.turn !== turn || controller.signal.aborted) return;
    current = null;
    if (error.unreachable) setOffline(true);
    history.finish(turn, { status: "failed", error: error.message });
  }
}

const IDLE_MOST_MS = 200;
const whenIdle = (act) => (window.requestIdleCallback ? requestIdleCallback(act, { timeout: IDLE_MOST_MS }) : setTimeout(act));

// Once the frame with the list is out and nothing more urgent waits; a hidden tab has no frames.
const painted = () =>
  document.hidden ? Promise.resolve() : new Promise((resolve) => requestAnimationFrame(() => whenIdle(resolve)));

// Facts of the catalogue and the account of the turn; the list itself is shown before they are asked for.
async function describe(turn) {
  describing += 1;
  await painted();
  const facts = catalogue.loadAll(turn.items.map(({ url }) => catalogue.idOf(url)));
  await Promise.all([facts, account(turn)]);
  describing -= 1;
  drawShortlist();
}

async function account(turn) {
  if (!turn.explanation) {
    try {
      const { candidates, understood, ...told } = (await api.explain(history.messages(turn))) ?? {};
      if (told.act) {
        delete understood.search_query; // as long as everything that was said
        history.finish(turn, { explanation: { ...told, understood, searched: candidates.length } });
      }
    } catch {
      return; // the list is complete without it; "Why" asks again
    }
  }
  await catalogue.loadAll((turn.explanation?.not_covered ?? []).flatMap(({ nearest }) => nearest));
}

function announcement(turn) {
  const changed = changeWords(changesOf(history.lists()));
  const list = `Shortlist of ${plural(turn.items.length, "assessment")}${changed ? `: ${changed}` : ""}.`;
  const isNear = TURNS - history.place < NEAR;
  return [
    turn.reply.split("\n")[0].slice(0, 200),
    turn.items.length && list,
    isNear && `Turn ${history.place} of ${TURNS}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

function cancel() {
  if (!current) return;
  const { turn, controller } = current;
  current = null;
  controller.abort();
  if (composer.text.trim()) history.finish(turn, { status: "cancelled" });
  else composer.text = history.undo();
  announce("Cancelled.");
  composer.focus();
}

function retry() {
  if (history.waiting) return;
  composer.focus();
  ask(history.again());
}

function undo() {
  current?.controller.abort();
  current = null;
  const text = history.undo();
  if (!composer.text.trim()) composer.text = text;
  announce("The last turn is undone.");
  composer.focus();
}

function restart() {
  current?.controller.abort();
  current = null;
  shortlist.chosen.clear();
  history.clear();
  announce("A new conversation has begun.");
  composer.focus();
}

function restore() {
  history.restore();
  composer.focus();
}

// --- the list --------------------------------------------------------------------------------------------

function compare() {
  if (shortlist.chosen.size < 2) return toast("Tick two to four entries to compare them.");
  drawComparison(entriesOf(history.lists().now).filter(({ id, record }) => record && shortlist.chosen.has(id)));
}

async function copyLink(name, address) {
  try {
    await navigator.clipboard.writeText(address);
    toast(`Link to ${name} copied.`);
  } catch {
    toast("The clipboard is not open to this page. The name above is the link.");
  }
}

async function why(turn) {
  await account(turn);
  drawExplanation(turn.explanation, turn === history.lists().now);
  find("[data-dialog=why]").showModal();
}

async function exportList(kind, turn) {
  if (kind === "print") return window.print();
  if (kind === "csv") return download("shortlist.csv", "text/csv;charset=utf-8", `\uFEFF${asCsv(turn)}`);
  if (kind === "json") return download("shortlist.json", "application/json", asJson(turn, history.messages()));
  const text = asMarkdown(turn);
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied as Markdown.");
  } catch {
    download("shortlist.md", "text/markdown;charset=utf-8", text);
    toast("The clipboard is not open to this page, so the Markdown was saved as a file.");
  }
}

// --- reachable or not ------------------------------------------------------------------------------------

let asking = 0;

function setOffline(offline) {
  find("[data-offline]").hidden = !offline;
  clearTimeout(asking);
  if (offline) asking = setTimeout(tryAgain, RETRY_MS);
}

async function tryAgain() {
  setOffline(!(await api.isReachable()));
}

window.addEventListener("offline", () => setOffline(true));
window.addEventListener("online", tryAgain);
if (!navigator.onLine) setOffline(true);

// --- start -----------------------------------------------------------------------------------------------

for (const dialog of document.querySelectorAll("dialog")) {
  find("[data-close]", dialog).addEventListener("click", () => dialog.close());
}
const keys = () => find("[data-dialog=keys]").showModal();
for (const [action, act] of Object.entries({ undo, restart, keys })) {
  find(`[data-action=${action}]`).addEventListener("click", act);
}
document.addEventListener("click", (event) => {
  const off = event.target.closest("[data-sends]");
  if (off && isOff(off)) event.stopImmediatePropagation();
}, true);

bindKeys(composer);
composer.text = history.draft;
history.addEventListener("change", draw);
draw();
document.body.dataset.ready = "true";
