//# allFunctionsCalledOnLoad
// Facts in words: the same on cards, in the table and in every export.

const LEVELS = {
  entry: "Entry level",
  general: "General population",
  graduate: "Graduate",
  professional: "Professional",
  mid: "Mid-professional",
  supervisor: "Supervisor",
  frontline_manager: "Front-line manager",
  manager: "Manager",
  director: "Director",
  executive: "Executive",
};

export const NOT_STATED = "not stated";

export function join(items, last = "and") {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${last} ${items.at(-1)}`;
}

export const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

export const plain = (key) => String(key).replaceAll("_", " ");

export const sentence = (text) => {
  const words = text.trim();
  return words && words[0].toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? "" : ".");
};

export function time(record, isReport) {
  if (isReport) return "No testing time";
  if (record.minutes == null) return record.duration === "untimed" ? "Untimed" : "Time not stated";
  if (record.duration === "ceiling") return `Up to ${record.minutes} min`;
  if (record.duration === "untimed") return `Untimed, about ${record.minutes} min`;
  return `${record.minutes} min`;
}

// undefined: not known yet.
export function form(isReport) {
  if (isReport === undefined) return NOT_STATED;
  return isReport ? "Report" : "Sat by people";
}

export const levels = (record) => record.levels.map((level) => LEVELS[level] ?? plain(level));

export const kinds = (record) =>
  record.test_type.split(",").map((letter, place) => [letter.trim(), record.types[place] ?? ""]);

export const kindWords = (record) => kinds(record).map(([letter, words]) => `${letter} ${words}`.trim());

export const yesNo = (value) => (value ? "yes" : "no");

export const orNotStated = (items) => (items.length ? items.join(", ") : NOT_STATED);
