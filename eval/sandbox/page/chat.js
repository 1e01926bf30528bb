// The chat page: log in with a one-time password, ask, and show the answer as it streams.
const find = (name) => document.querySelector(`[data-${name}]`);
const SILENCE_MS = 30_000;
const state = { token: "", requestId: "", threadId: "", socket: null, silence: 0 };

async function call(method, path, body) {
  const headers = { "Content-Type": "application/json" };
  if (state.token) headers.Authorization = `Bearer ${state.token}`;
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const answer = response.status === 204 ? null : await response.json();
  if (!response.ok) throw new Error(answer?.detail ?? `status ${response.status}`);
  return answer;
}

function setBusy(busy, text = "") {
  find("messages").setAttribute("aria-busy", String(busy));
  find("send").disabled = busy;
  find("status").textContent = text;
  find("status").dataset.state = busy ? "busy" : "idle";
}

function bubble(role, text) {
  const item = document.createElement("li");
  item.dataset.role = role;
  item.dataset.state = role === "user" ? "done" : "streaming";
  item.textContent = text;
  find("messages").append(item);
  return item;
}

function finish(item, outcome, text) {
  clearTimeout(state.silence);
  if (item.dataset.state === "streaming") item.dataset.state = outcome;
  setBusy(false, text);
}

async function connect() {
  if (!state.threadId) state.threadId = (await call("POST", "/threads")).id;
  if (state.socket?.readyState === WebSocket.OPEN) return state.socket;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}/threads/${state.threadId}/stream?shape=message_chunk`);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "auth", token: state.token })));
    socket.addEventListener("message", resolve, { once: true });
    socket.addEventListener("close", () => reject(new Error("the stream was refused")), { once: true });
  });
  state.socket = socket;
  return socket;
}

async function ask(question) {
  setBusy(true, "Answering…");
  bubble("user", question);
  const item = bubble("assistant", "");
  try {
    const socket = await connect();
    const watch = () => {
      clearTimeout(state.silence);
      state.silence = setTimeout(() => finish(item, "failed", "The answer stopped midway."), SILENCE_MS);
    };
    socket.onmessage = (message) => {
      const frame = JSON.parse(message.data);
      if (frame.type === "message_chunk") item.textContent += frame.content;
      if (frame.type === "error") finish(item, "failed", "The answer could not be given.");
      else if (frame.type === "full_response") finish(item, "done", "Answer complete.");
      else if (frame.type !== "heartbeat") watch();
    };
    socket.onclose = () => finish(item, "failed", "The connection was closed.");
    await call("POST", `/threads/${state.threadId}/messages`, { content: question });
    await call("POST", `/threads/${state.threadId}/trigger`);
    watch();
  } catch (error) {
    finish(item, "failed", error.message);
  }
}

find("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  find("login-error").textContent = "";
  try {
    if (!state.requestId) {
      state.requestId = (await call("POST", "/auth/request-otp", { login: find("login-name").value.trim() })).request_id;
      find("otp-part").hidden = false;
      find("request-otp").hidden = true;
      find("otp").focus();
      return;
    }
    const body = { request_id: state.requestId, otp: find("otp").value.trim() };
    state.token = (await call("POST", "/auth/verify-otp", body)).access_token;
    find("company").textContent = (await call("GET", "/me")).company;
    find("login").hidden = true;
    find("chat").hidden = false;
    find("question").focus();
  } catch (error) {
    find("login-error").textContent = error.message;
  }
});

find("compose").addEventListener("submit", (event) => {
  event.preventDefault();
  const question = find("question").value.trim();
  if (!question || find("send").disabled) return;
  find("question").value = "";
  ask(question);
});

find("question").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    find("compose").requestSubmit();
  }
});

find("new").addEventListener("click", () => {
  if (state.socket) state.socket.onclose = null;
  state.socket?.close();
  Object.assign(state, { socket: null, threadId: "" });
  find("messages").replaceChildren();
  setBusy(false);
  find("question").focus();
});
