// Which maps of attention a view shows, and of which word: pickers, and threads that light up.

import { all, make } from "/static/dom.js";

const MADE = [["", "mean"], [" max", "max"], [" all", "every head"]];
const HEADED = ["lines", "attention", "heads", "steps"], WORDED = ["lines", "steps"];

export const isHeaded = (view, model) => HEADED.includes(view) && model.attention.length + model.self_attention.length > 1;
export const isWorded = (view) => WORDED.includes(view);
const within = (name) => /^(encoder|decoder)( |$)/.test(name);

// Maps by the layer they belong to: over the input, then of every encoder, then of the decoder.
function layers(model) {
  const found = new Map();
  for (const name of [...model.attention, ...model.self_attention]) {
    const [layer] = name.match(/^.*layer \d+/) ?? [within(name) ? name.match(/^(encoder of \S+|encoder|decoder)/)[0] : ""];
    found.set(layer, [...(found.get(layer) ?? []), name]);
  }
  return found;
}

// Fill the picker of layer and head, and keep what was chosen.
export function fillHeads(select, model) {
  const kept = select.value || "mean", { attention, self_attention: inner } = model;
  const option = (value, text) => make("option", { value }, text);
  const sides = [...new Set(inner.map((name) => name.match(/^(encoder of \S+|encoder|decoder)/)[0]))];
  const whole = [...(attention.length ? [["", "over the input"]] : []), ...sides.map((side) => [side, side])];
  const groups = whole.map(([side, label]) => make("optgroup", { label }, ...MADE.map(([how, text]) =>
    option(`${side}${how}`.trim() || "mean", side ? `${side}: ${text}` : text))));
  for (const [layer, names] of layers(model)) {
    const made = layer && names.length > 1 ? MADE.map(([how, text]) => option(`${layer}${how}`, `${layer}: ${text}`)) : [];
    const own = names.filter((name) => name).map((name) => option(name, name));
    if (own.length) groups.push(make("optgroup", { label: layer && !within(layer) ? `${layer} over the input` : layer || "maps" }, ...made, ...own));
  }
  select.replaceChildren(...groups);
  select.value = [...select.options].some(({ value }) => value === kept) ? kept : select.options[0]?.value ?? "";
}

// Fill the picker of words with those that may ask; of equal ones the second is called it:2.
export function fillWords(select, view, head, model, { source_words: source = [], target_words: target = [] }) {
  const kept = select.value, seen = new Map();
  const row = (word) => {
    seen.set(word, (seen.get(word) ?? 0) + 1);
    return [seen.get(word) > 1 ? `${word}:${seen.get(word)}` : word, word];
  };
  const reads = model.self_attention.some((name) => name.startsWith("encoder")), open = view === "steps" && !within(head) && reads && head === "mean";
  const words = open ? [...new Map([...source, ...target].map((word) => [word, word]))] : (head.startsWith("encoder") ? source : target).map(row);
  const pairs = [...(view === "lines" ? [["", "all words"]] : []), ...words];
  select.replaceChildren(...pairs.map(([value, text]) => make("option", { value }, text)));
  select.value = pairs.some(([value]) => value === kept) ? kept : pairs[0]?.[0] ?? "";
}

// Point at a word of two rows of words to see its threads alone; choose a map of the key to hide or show it.
export function lightThreads(figure) {
  const threads = all(".thread", figure);
  for (const side of all("[data-side]", figure)) {
    const key = side.dataset.side === "source" ? "column" : "row";
    [...side.children].forEach((word, place) => {
      word.onpointerenter = () => threads.forEach((one) => one.classList.toggle("later", one.dataset[key] !== String(place)));
      word.onpointerleave = () => threads.forEach((one) => one.classList.remove("later"));
    });
  }
  for (const key of all("[data-key]", figure)) {
    const own = threads.filter(({ dataset }) => dataset.map === key.dataset.key);
    const turn = () => {
      const shown = key.getAttribute("aria-pressed") !== "true";
      key.setAttribute("aria-pressed", shown);
      own.forEach((one) => one.classList.toggle("out", !shown));
    };
    Object.entries({ role: "button", tabindex: "0", "aria-pressed": "true" }).forEach(([name, value]) => key.setAttribute(name, value));
    key.onclick = turn;
    key.onkeydown = (event) => { if (["Enter", " "].includes(event.key)) { event.preventDefault(); turn(); } };
  }
}
