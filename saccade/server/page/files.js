// A file, line by line: TXT gives a line for each line, TSV one more column. It is sent in small requests.

import { ask, find } from "/static/dom.js";
import { cell, download } from "/static/saving.js";

const BYTES = 20_000_000, LINES = 32, TRIES = 30;
const KINDS = [".txt", ".tsv"];

export function files(models, limits, chosen, take) {
  const input = find("#file"), area = find("#ask"), box = find("#file-work"), status = find("#file-status");
  const progress = find("#file-progress"), stop = find("#file-stop"), save = find("#file-save");
  let stopping = new AbortController();

  const say = (text, bad = false) => {
    status.textContent = text;
    status.classList.toggle("bad", bad);
  };

  async function read(file) {
    const kind = KINDS.find((end) => file.name.toLowerCase().endsWith(end));
    if (!kind) throw new Error(`${file.name}: not a file of ${KINDS.join(" or ")}.`);
    if (file.size > BYTES) throw new Error(`${file.name}: more than ${BYTES / 1e6} MB. Cut it into several files.`);
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    } catch {
      throw new Error(`${file.name}: not text in UTF-8. Convert it.`);
    }
    const rows = text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
    const sources = rows.map((row) => (kind === ".tsv" ? row.split("\t")[0] : row));
    const long = sources.findIndex((line) => line.length > limits.characters);
    if (long >= 0) {
      throw new Error(`${file.name}: line ${long + 1} has ${sources[long].length} characters; at most ${limits.characters} can be sent.`);
    }
    return { kind, rows, sources };
  }

  // Numbers of lines that are sent together.
  function* batches(sources) {
    let held = [], size = 0;
    for (const [i, line] of sources.entries()) {
      if (!line.trim()) continue;
      if (held.length && (held.length >= Math.min(LINES, limits.items) || size + line.length > limits.characters)) {
        yield held;
        held = [];
        size = 0;
      }
      held.push(i);
      size += line.length;
    }
    if (held.length) yield held;
  }

  // Ask, and once more if the server is busy.
  async function patiently(body, signal) {
    for (let tried = 0; ; tried += 1) {
      try {
        return await ask("/v1/predict", body, signal);
      } catch (error) {
        if (error.status !== 429 || tried >= TRIES) throw error;
        await new Promise((go) => setTimeout(go, 1000 * Math.min(error.retry || 1, 5)));
        signal.throwIfAborted();
      }
    }
  }

  function finish(file, { kind, rows, sources }, outputs, done) {
    const target = models.find(({ name }) => name === chosen().model)?.target ?? "out";
    const name = `${file.name.slice(0, -kind.length)}_${target}${kind}`;
    const lines = kind === ".tsv" ? rows.map((row, i) => (sources[i].trim() ? `${row}\t${cell(outputs[i])}` : row))
      : rows.map((row, i) => (sources[i].trim() ? outputs[i] ?? "" : row));
    save.hidden = false;
    save.onclick = () => download(name, kind === ".tsv" ? "text/tab-separated-values" : "text/plain",
      `${lines.slice(0, done).join("\n")}\n`);
  }

  async function translate(file) {
    stopping.abort();
    stopping = new AbortController();
    const { signal } = stopping;
    box.hidden = false;
    save.hidden = true;
    stop.hidden = false;
    progress.value = 0;
    say(`${file.name} …`);
    let told, done = 0;
    const outputs = [], { model, beam, split } = chosen();
    try {
      told = await read(file);
      const total = told.rows.length;
      progress.max = total;
      for (const numbers of batches(told.sources)) {
        const { results } = await patiently({ model, beam, split, text: numbers.map((i) => told.sources[i]) }, signal);
        numbers.forEach((i, n) => { outputs[i] = results[n].text; });
        done = numbers.at(-1) + 1;
        progress.value = done;
        say(`${file.name}: ${done.toLocaleString("en")} of ${total.toLocaleString("en")} lines`);
      }
      done = total;
      progress.value = total;
      say(`${file.name}: all ${total.toLocaleString("en")} lines are done.`);
    } catch (error) {
      if (signal !== stopping.signal) return;  // another file has taken over
      const text = error.name === "AbortError" ? `${file.name}: stopped after ${done} lines.` : error.message;
      say(text, error.name !== "AbortError");
    }
    if (signal !== stopping.signal) return;
    stop.hidden = true;
    if (told && done) finish(file, told, outputs, done);
  }

  input.onchange = () => {
    if (input.files.length) translate(input.files[0]);
    input.value = "";
  };
  stop.onclick = () => stopping.abort();
  const holdsFiles = (event) => [...event.dataTransfer.types].includes("Files");
  area.ondragover = (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    area.classList.add("dropping");
  };
  area.ondragleave = () => area.classList.remove("dropping");
  area.ondrop = (event) => {
    area.classList.remove("dropping");
    if (!holdsFiles(event)) return;
    event.preventDefault();
    const dropped = [...event.dataTransfer.files];
    if (dropped.length && !take(dropped)) translate(dropped[0]);
  };
}
