// What the service takes and gives at most, as it wrote into the head of the page.

import { find } from "./dom.js";

const limit = (name) => Number(find(`meta[name=max-${name}]`).content);

export const MESSAGE_CHARS = limit("message-chars");
export const TURNS = Math.ceil(limit("messages") / 2); // a message and its reply; the last one has no reply yet
export const LIST = limit("recommendations");
