// How a turn was decided, in plain words.

import * as catalogue from "./catalogue.js";
import { el, find } from "./dom.js";
import { gapRow, totalWords } from "./shortlist.js";
import { join, plain, plural, sentence } from "./words.js";

const ACTS = {
  clarify: "It asked a question before suggesting anything.",
  recommend: "It put a new list together.",
  refine: "It changed the list that stood.",
  compare: "It answered a question about assessments; the list stayed.",
  refuse: "It declined, because the request lies outside its task.",
  confirm: "It took your words as agreement to the list.",
};

const ORIGINS = {
  named: "you named it",
  skill: "it tests a skill you mentioned",
  nearest: "nothing tests the skill exactly; this comes nearest",
  measure: "it measures what you asked to measure",
  playbook: "usual for this kind of job",
  default: "added unless you object",
  retrieved: "its description fits your words",
  standing: "it was on the list already",
};

const named = (id) => catalogue.recordOf(id)?.name ?? plain(id);

function understood(need) {
  const limits = need.limits ?? {};
  const language = limits.languages?.length ? join(limits.languages) : "";
  return [
    ["Job", need.role_text],
    ["Seniority", need.seniority && plain(need.seniority)],
    ["Leads others", need.lead == null ? "" : need.lead ? "yes" : "no"],
    ["Purpose", need.purpose && plain(need.purpose)],
    ["Skills", join((need.skills ?? []).map(({ skill }) => plain(skill)))],
    ["Not wanted", join((need.unwanted_skills ?? []).map(plain))],
    ["Dropped by you", join((need.dropped ?? []).map(named))],
    ["Added by you", join((need.added ?? []).map(named))],
    ["Names not in the catalogue", join(need.unknown_names ?? [])],
    ["Test language", language],
    ["Spoken language", need.spoken_language && plain(need.spoken_language)],
    ["Time for one test", limits.minutes_each && `at most ${limits.minutes_each} min`],
    ["Time in all", limits.minutes_total && `at most ${limits.minutes_total} min`],
    ["Size of the list", limits.list_size && plural(limits.list_size, "assessment")],
    ["Adaptive", limits.adaptive == null ? "" : limits.adaptive ? "wanted" : "not wanted"],
    ["Remote", limits.remote == null ? "" : limits.remote ? "wanted" : "not wanted"],
  ].filter(([, words]) => words);
}

function part(title, hook, ...children) {
  return el("section", { "data-part": hook }, el("h3", {}, title), ...children);
}

const bullets = (rows) => el("ul", {}, ...rows.map((words) => el("li", { dir: "auto" }, words)));

function pickRow(pick) {
  const origin = ORIGINS[pick.source];
  return el("li", { dir: "auto" }, el("strong", {}, pick.name), `: ${sentence(pick.why)}`, origin && el("span", { class: "near" }, ` (${origin})`));
}

export function drawExplanation(explanation, isList) {
  const target = find("[data-account]");
  find("[data-why-title]").textContent = isList ? "Why this list" : "Why this reply";
  if (!explanation) {
    target.replaceChildren(el("p", {}, "The service gave no account of this turn."));
    return;
  }
  const facts = understood(explanation.understood ?? {});
  const searched = explanation.searched ? `Entries of the catalogue it looked at: ${explanation.searched}.` : "";
  target.replaceChildren(
    part(
      "What it did",
      "act",
      el("p", {}, ACTS[explanation.act] ?? sentence(plain(explanation.act)), ` The reason: ${sentence(explanation.reason)} ${searched}`),
    ),
    part(
      "What it understood",
      "understood",
      facts.length
        ? el("dl", { class: "plain" }, ...facts.map(([term, words]) => el("div", {}, el("dt", {}, term), el("dd", { dir: "auto" }, words))))
        : el("p", {}, "No particular requirement."),
    ),
    ...[
      explanation.picks.length && part("Why each assessment", "picks", el("ul", {}, ...explanation.picks.map(pickRow)), el("p", {}, `${totalWords(explanation)}.`)),
      explanation.not_covered.length && part("Not covered", "gaps", el("ul", {}, ...explanation.not_covered.map(gapRow))),
      explanation.assumptions.length && part("Assumed", "assumptions", bullets(explanation.assumptions.map(sentence))),
      explanation.notes.length && part("Worth knowing", "notes", bullets(explanation.notes.map(sentence))),
      explanation.degraded.length && part("Limits of this answer", "degraded", el("p", {}, "Part of the service did not take part: ", join(explanation.degraded.map(plain)), ".")),
    ].filter(Boolean),
  );
}
