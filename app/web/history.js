// The conversation as this tab has it. The service keeps nothing: the turns here are all there is.
//
// A turn is { id, text, status, reply, items, ends, explanation, error }; status is "waiting", "done", "failed"
// or "cancelled". Only the last turn may be anything but done, and only done turns are sent as history.

const TURNS = "recommender.turns";
const DRAFT = "recommender.draft";

// How a reply says that the last entry went: the service reads its own words back by the same phrase.
const EMPTIED = "Shortlist (0 assessments)";

const givesList = (turn) => turn.items.length > 0 || turn.reply.includes(EMPTIED);

export class History extends EventTarget {
  turns = [];
  draft = "";
  #previous = null;
  #lastId = 0;

  constructor(storage) {
    super();
    this.storage = storage;
    this.#restore();
  }

  get done() {
    return this.turns.filter((turn) => turn.status === "done");
  }

  get waiting() {
    return this.turns.at(-1)?.status === "waiting";
  }

  // The number of the current turn, as the service counts: what it never answered does not count.
  get place() {
    return this.done.length + (this.turns.at(-1)?.status === "done" ? 0 : 1);
  }

  get canRestore() {
    return this.#previous !== null;
  }

  // What is sent to the service: everything answered, up to `turn` and with it.
  messages(turn) {
    const until = turn ? this.turns.indexOf(turn) : this.turns.length;
    const before = this.turns.slice(0, until).filter((one) => one.status === "done");
    const said = before.flatMap(({ text, reply }) => [
      { role: "user", content: text },
      { role: "assistant", content: reply },
    ]);
    return turn ? [...said, { role: "user", content: turn.text }] : said;
  }

  // The last turn that gave a list, be it an emptied one, and the one before it.
  lists() {
    const listing = this.done.filter(givesList);
    return { now: listing.at(-1) ?? null, before: listing.at(-2) ?? null };
  }

  // A turn that was never answered makes room: the service has not heard of it.
  begin(text) {
    if (this.turns.length && this.turns.at(-1).status !== "done") this.turns.pop();
    const turn = { id: ++this.#lastId, text, status: "waiting", reply: "", items: [], ends: false };
    this.turns.push(turn);
    this.#previous = null;
    this.#changed();
    return turn;
  }

  again() {
    const turn = this.turns.at(-1);
    turn.status = "waiting";
    delete turn.error;
    this.#changed();
    return turn;
  }

  finish(turn, changes) {
    if (!this.turns.includes(turn)) return;
    Object.assign(turn, changes);
    this.#changed();
  }

  undo() {
    const turn = this.turns.pop();
    this.#changed();
    return turn?.text ?? "";
  }

  clear() {
    this.#previous = this.turns.filter((turn) => turn.status !== "waiting");
    this.turns = [];
    this.#changed();
  }

  restore() {
    this.turns = this.#previous ?? [];
    this.#previous = null;
    this.#changed();
  }

  setDraft(text) {
    this.draft = text;
    this.#keep(DRAFT, text);
  }

  #changed() {
    this.#keep(TURNS, JSON.stringify(this.turns));
    this.dispatchEvent(new Event("change"));
  }

  #keep(key, text) {
    try {
      this.storage.setItem(key, text);
    } catch {
      // storage is full or forbidden: the tab goes on without it
    }
  }

  #restore() {
    let kept = [];
    try {
      this.draft = this.storage.getItem(DRAFT) ?? "";
      kept = JSON.parse(this.storage.getItem(TURNS));
    } catch {
      // nothing usable was kept
    }
    if (!Array.isArray(kept)) return;
    this.turns = kept.filter((turn) => typeof turn?.text === "string" && typeof turn.reply === "string" && Array.isArray(turn.items));
    this.#lastId = Math.max(0, ...this.turns.map((turn) => Number(turn.id) || 0));
    for (const turn of this.turns.filter(({ status }) => status === "waiting")) {
      turn.status = "failed";
      turn.error = "The page was reloaded before the reply came.";
    }
  }
}
