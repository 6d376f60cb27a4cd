// Small helpers: find, make, ask. Text goes in as text, never as markup; only our own SVG is parsed.

import { session } from "/static/storage.js";

export const find = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in node && typeof value !== "string") node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

export function options(select, pairs, chosen) {
  select.replaceChildren(...pairs.map(([value, text]) => make("option", { value }, text)));
  if (chosen !== undefined) select.value = chosen;
}

// Put a drawing of the server's into a node. It is parsed as XML, so that it is a picture or nothing.
export function draw(node, text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const svg = parsed.documentElement;
  if (svg.nodeName !== "svg") throw new Error("The server sent no picture.");
  node.replaceChildren(document.importNode(svg, true));
}

export async function ask(path, body, signal) {
  return (await send(path, body, signal)).json();
}

// Ask, and hear partial results while they come; resolves to the last one.
export async function listen(path, body, heard, signal) {
  const answer = await send(path, body, signal);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error("The server stopped in the middle of its answer.");
    rest += value.replaceAll("\r\n", "\n");
    const events = rest.split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const fields = Object.fromEntries(event.split("\n").filter((line) => line.includes(": "))
        .map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]));
      if (!fields.data) continue;
      const told = JSON.parse(fields.data);
      if (fields.event === "error") throw new Error(told.error);
      if (fields.event === "result") return told;
      heard(told);
    }
  }
}

// Send a request; what goes wrong becomes an Error that can be shown.
async function send(path, body, signal) {
  const headers = { "X-API-Key": session.get("key") ?? "" };
  const request = body === undefined ? { signal, headers } : {
    signal, method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, request);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server cannot be reached. Is `saccade serve` still running?");
  }
  if (answer.ok) return answer;
  if (answer.status === 401) askForKey();
  const told = await answer.json().catch(() => ({}));
  const error = new Error(told.error || `The server answered ${answer.status}.`);
  throw Object.assign(error, { status: answer.status, retry: Number(answer.headers.get("Retry-After")) });
}

// The server wants a key: it is kept for this browser tab alone.
function askForKey() {
  const form = find("#key");
  form.hidden = false;
  form.onsubmit = (event) => {
    event.preventDefault();
    session.set("key", find("input", form).value);
    location.reload();
  };
}

// A row of tabs: arrow keys move, one is chosen.
export function tabs(list, chosen) {
  const buttons = all("[role=tab]", list);
  const choose = (button) => {
    for (const one of buttons) {
      one.setAttribute("aria-selected", String(one === button));
      one.tabIndex = one === button ? 0 : -1;
    }
    chosen(button);
  };
  for (const [i, button] of buttons.entries()) {
    button.onclick = () => choose(button);
    button.onkeydown = (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = buttons[(i + by + buttons.length) % buttons.length];
      next.focus();
      choose(next);
    };
  }
  return choose;
}
