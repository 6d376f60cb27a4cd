// The first tab: type, see the translation appear, and look at how it came about.

import { find, listen, options } from "/static/dom.js";
import { Answer } from "/static/answer.js";
import { files } from "/static/files.js";
import { remembered } from "/static/history.js";
import { PICTURE, SOUND, inputs } from "/static/inputs.js";
import { linkTo } from "/static/link.js";
import { copy } from "/static/saving.js";

const CUT = 70;  // letters of an example in the list
const READS = { sentences: "by sentences", lines: "by lines", none: "not at all" };

export function translating(models, limits) {
  const form = find("#ask"), status = find("#status");
  const model = find("#model"), other = find("#other"), example = find("#example"), beam = find("#beam"), split = find("#split");
  const hand = find("#hand"), neat = find("#neat"), seed = find("#seed");
  let running = new AbortController(), here = false;

  options(model, models.map(({ name }) => [name, name]));
  options(other, [["", "nothing"], ...models.map(({ name }) => [name, name])]);
  other.closest("label").hidden = models.length < 2;
  if (limits) beam.max = String(limits.beam);

  const told = (name) => models.find((one) => one.name === name);
  const width = () => Math.max(Math.min(Number(beam.value) || 1, Number(beam.max)), 1);
  const settings = (name = model.value) => ({ model: name, beam: told(name)?.beams ? width() : undefined, split: split.value });  // others search in a way of their own
  const pens = (name) => Boolean(told(name)?.draws && told(name).views.includes("writing"));
  const drawn = (name) => (!pens(name) || neat.value === neat.max ? {}
    : { bias: Number(neat.value), seed: Math.min(Math.max(Math.trunc(Number(seed.value)) || 0, 0), 2 ** 31 - 1) });
  const examples = () => told(model.value)?.examples ?? [];
  const say = (text, bad = false) => {
    status.textContent = text;
    status.classList.toggle("bad", bad);
  };
  const given = inputs({ limits, say, go: () => translate() });
  const fill = () => {
    const cut = (text) => (text.length > CUT ? `${text.slice(0, CUT)}…` : text);
    given.fill(told(model.value));
    const shown = ({ source: text, sources }, i) => (text.startsWith(PICTURE) || text.startsWith(SOUND) || text.startsWith("<svg ") ? `${given.noun()} ${i + 1}` : cut(sources ? Object.values(sources).join(" · ") : text));
    const texts = examples().map((one, i) => [String(i), shown(one, i)]);
    options(example, [["", texts.length ? "choose one" : "none"], ...texts]);
    example.disabled = !texts.length;
    const own = READS[told(model.value)?.splits] ?? "";
    options(split, [["auto", `automatic (${own})`], ...Object.entries(READS)], split.value || "auto");
    split.closest("label").hidden = find("#file-pick").hidden = !given.isText() || Boolean(told(model.value)?.draws);
    find("#link").hidden = given.readsFiles();
    hand.hidden = !pens(model.value);
    beam.closest("label").hidden = !told(model.value)?.beams;
    find("button.main", form).textContent = given.verb()[0];
  };
  fill();

  // Ask one model, in its own card.
  async function run(name, text, card, signal) {
    const body = { ...settings(name), ...drawn(name), text, want: ["flags"] };
    card.begin(body, signal);
    try {
      const answer = await listen("/v1/predict/stream", body, ({ text }) => card.partial(text), signal);
      await card.show(answer);
    } catch (error) {
      if (error.name !== "AbortError") card.fail(error.message);
    }
  }

  async function translate() {
    const asked = given.values();
    if (!asked.length) {
      say(given.missing());
      given.focus();
      return;
    }
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const names = [model.value, ...(other.value ? [other.value] : [])];
    const rows = asked.flatMap(({ text, title }) => names.map((name) => ({ name, text, card: new Answer(name, told(name), title) })));
    find("#answers").classList.toggle("two", names.length > 1);
    find("#answers").replaceChildren(...rows.map(({ card }) => card.node));
    say(given.verb()[1]);
    await Promise.all(rows.map(({ name, text, card }) => run(name, text, card, signal)));
    if (signal.aborted) return;
    say("");
    const [{ card }] = rows;
    if (card.parts && !given.readsFiles() && !told(model.value)?.draws) past.add({ ...state(), output: card.text });
  }

  const state = () => {
    const text = given.values()[0]?.text ?? "";
    return { text: typeof text === "string" ? text : JSON.stringify(text), ...settings(), other: other.value };
  };

  // Take over text and settings of a link or of the history, and run.
  function restore(kept) {
    if (kept.model && !told(kept.model)) {
      say(`The model ${kept.model} is not served here.`, true);
      return;
    }
    model.value = kept.model || model.value;
    fill();
    other.value = told(kept.other) ? kept.other : "";
    beam.value = String(Math.max(Math.min(Number(kept.beam) || 5, Number(beam.max)), 1));
    split.value = kept.split === "auto" || READS[kept.split] ? kept.split : "auto";
    given.set(kept.text ?? "");
    if (given.values().length) translate();
  }

  const past = remembered(restore);
  files(models, limits ?? { characters: 5000, items: 64 }, settings, given.take);

  form.onsubmit = (event) => { event.preventDefault(); translate(); };
  document.addEventListener("keydown", (event) => {
    if (here && event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); translate(); }
  });
  find("#link").onclick = async () => {
    try {
      const address = linkTo(state());
      history.replaceState(null, "", address);
      await copy(address);
      say("The link is copied. It holds the text; nothing is stored.");
    } catch (error) {
      say(error.message, true);
    }
  };
  model.onchange = fill;
  const tellNeat = () => { find("output", hand).textContent = neat.value === neat.max ? "the likeliest" : `bias ${neat.value}`; };
  neat.oninput = tellNeat;
  tellNeat();
  example.onchange = () => {
    if (example.value === "") return;
    const { source: text, sources } = examples()[Number(example.value)];
    given.set(sources ? JSON.stringify(sources) : text, example.selectedOptions[0].textContent);
    translate();
  };
  document.addEventListener("paste", (event) => {
    if (here && given.take([...event.clipboardData.files])) event.preventDefault();
  });
  return {
    enter: () => { here = true; given.focus(); },
    leave: () => { here = false; },
    restore,
  };
}
