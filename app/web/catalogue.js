//# allFunctionsCalledOnLoad
// What the catalogue says of an assessment; asked once each.

import * as api from "./api.js";

const known = new Map(); // id → record, or null when the catalogue has no such assessment
const asked = new Map();

// The id is the last part of an address; no address of a page, no id.
export function idOf(address) {
  if (!/^https:\/\//i.test(address)) return "";
  const parts = address.split(/[?#]/)[0].split("/").filter(Boolean);
  return parts.length > 2 ? parts.at(-1) : "";
}

export const recordOf = (id) => known.get(id) ?? null;

// The record that stands behind a recommendation: only if the catalogue gives the very same address.
export function recordFor(item) {
  const record = recordOf(idOf(item.url));
  return record?.url === item.url ? record : null;
}

function keep(record) {
  if (typeof record?.id === "string" && /^https:\/\//i.test(record.url)) known.set(record.id, record);
}

export function load(id) {
  if (!id || known.has(id)) return Promise.resolve();
  if (!asked.has(id)) {
    asked.set(
      id,
      api.assessment(id).then(keep, () => {}).finally(() => asked.delete(id)),
    );
  }
  return asked.get(id);
}

export const loadAll = (ids) => Promise.all([...new Set(ids)].map(load));

export async function search(words, signal) {
  const page = await api.search(words, signal);
  page.items.forEach(keep);
  return page;
}
