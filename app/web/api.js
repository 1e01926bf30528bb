// The service, over the public routes and nothing else. Every failure becomes a ServiceError with plain words.

const GIVE_UP_MS = 30_000;

export class ServiceError extends Error {
  constructor(words, { unreachable = false } = {}) {
    super(words);
    this.unreachable = unreachable;
  }
}

const MEANINGS = {
  413: "The conversation has become too large for the service. Start over, or shorten the longest message.",
  422: "The service could not accept this message.",
  429: "The service is getting too many requests. Wait a moment and try again.",
  503: "The service is still starting or is busy. Try again in a moment.",
};

async function problemWords(response) {
  let detail = "";
  try {
    const problem = await response.json();
    detail = typeof problem.detail === "string" ? problem.detail : "";
    if (!detail && typeof problem.title === "string") detail = problem.title;
  } catch {
    // not a problem document: the status alone has to do
  }
  const meaning = MEANINGS[response.status] ?? `The service answered with an error (${response.status}).`;
  return detail ? `${meaning} It says: ${detail}` : meaning;
}

async function request(path, { signal, ...options } = {}) {
  const timeout = AbortSignal.timeout(GIVE_UP_MS);
  try {
    const response = await fetch(path, { ...options, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    if (!response.ok) throw new ServiceError(await problemWords(response));
    return await response.json();
  } catch (error) {
    if (error instanceof ServiceError || signal?.aborted) throw error;
    if (timeout.aborted) throw new ServiceError("The service took too long to answer. Try again in a moment.");
    if (error instanceof SyntaxError) throw new ServiceError("The service gave an answer that cannot be read.");
    throw new ServiceError("The service cannot be reached. Check your connection and try again.", { unreachable: true });
  }
}

const post = (path, messages, signal) =>
  request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages }),
    signal,
  });

const isText = (value) => typeof value === "string";

function readItems(value) {
  if (!Array.isArray(value)) return [];
  return value
    .filter((item) => item && isText(item.name))
    .map(({ name, url, test_type: type }) => ({ name, url: isText(url) ? url : "", type: isText(type) ? type : "" }));
}

export async function chat(messages, signal) {
  const answer = await post("/chat", messages, signal);
  if (!isText(answer?.reply)) throw new ServiceError("The service gave an answer that cannot be read.");
  return { reply: answer.reply, items: readItems(answer.recommendations), ends: answer.end_of_conversation === true };
}

export async function explain(messages, signal) {
  const answer = await post("/chat/explain", messages, signal);
  return answer?.explanation ? { ...answer.explanation, degraded: answer.degraded ?? [] } : null;
}

export const assessment = (id) => request(`/assessments/${encodeURIComponent(id)}`);

export const search = (words, signal) =>
  request(`/assessments?${new URLSearchParams({ q: words, limit: 12 })}`, { signal });

export async function isReachable() {
  try {
    await request("/health");
    return true;
  } catch (error) {
    return !error.unreachable;
  }
}
