// The first tab: type, see the translation appear, and look at how it came about.

import { find, listen, options } from "/static/dom.js";
import { Answer } from "/static/answer.js";
import { files } from "/static/files.js";
import { remembered } from "/static/history.js";
import { linkTo } from "/static/link.js";
import { copy } from "/static/saving.js";

const CUT = 70;  // letters of an example in the list
const PICTURE = "data:image/";  // what a picture begins with where others have text
const READS = { sentences: "by sentences", lines: "by lines", none: "not at all" };

export function translating(models, limits) {
  const form = find("#ask"), source = find("#source"), status = find("#status");
  const picture = find("#picture");
  const model = find("#model"), other = find("#other"), example = find("#example"), beam = find("#beam"), split = find("#split");
  let running = new AbortController(), here = false;

  options(model, models.map(({ name }) => [name, name]));
  options(other, [["", "nothing"], ...models.map(({ name }) => [name, name])]);
  other.closest("label").hidden = models.length < 2;
  if (limits) beam.max = String(limits.beam);

  const told = (name) => models.find((one) => one.name === name);
  const width = () => Math.max(Math.min(Number(beam.value) || 1, Number(beam.max)), 1);
  const settings = () => ({ model: model.value, beam: width(), split: split.value });
  const examples = () => told(model.value)?.examples ?? [];
  const fill = () => {
    const shown = (text, i) => (text.startsWith(PICTURE) ? `picture ${i + 1}` : text.length > CUT ? `${text.slice(0, CUT)}…` : text);
    const texts = examples().map(({ source: text }, i) => [String(i), shown(text, i)]);
    options(example, [["", texts.length ? "choose one" : "none"], ...texts]);
    example.disabled = !texts.length;
    const own = READS[told(model.value)?.splits] ?? "";
    options(split, [["auto", `automatic (${own})`], ...Object.entries(READS)], split.value || "auto");
  };
  fill();

  // A picture is shown as one; its text stays in the box for whoever wants to copy it.
  const preview = () => {
    picture.hidden = !source.value.startsWith(PICTURE);
    picture.src = picture.hidden ? "data:," : source.value;
    source.classList.toggle("code", !picture.hidden);
  };
  source.oninput = preview;

  const say = (text, bad = false) => {
    status.textContent = text;
    status.classList.toggle("bad", bad);
  };

  // Ask one model, in its own card.
  async function run(name, card, signal) {
    const body = { ...settings(), model: name, text: source.value, want: ["flags"] };
    card.begin(body, signal);
    try {
      const answer = await listen("/v1/predict/stream", body, ({ text }) => card.partial(text), signal);
      await card.show(answer);
    } catch (error) {
      if (error.name !== "AbortError") card.fail(error.message);
    }
  }

  async function translate() {
    if (!source.value.trim()) {
      say("Type a sentence first.");
      source.focus();
      return;
    }
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const names = [model.value, ...(other.value ? [other.value] : [])];
    const cards = names.map((name) => new Answer(name, told(name)));
    find("#answers").classList.toggle("two", names.length > 1);
    find("#answers").replaceChildren(...cards.map(({ node }) => node));
    say("Translating …");
    await Promise.all(names.map((name, i) => run(name, cards[i], signal)));
    if (signal.aborted) return;
    say("");
    if (cards[0].parts) past.add({ ...state(), output: cards[0].text });
  }

  const state = () => ({ text: source.value, ...settings(), other: other.value });

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
    source.value = kept.text ?? "";
    preview();
    if (source.value.trim()) translate();
  }

  const past = remembered(restore);
  files(models, limits ?? { characters: 5000, items: 64 }, settings);

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
  example.onchange = () => {
    if (example.value === "") return;
    source.value = examples()[Number(example.value)].source;
    preview();
    translate();
  };
  return {
    enter: () => { here = true; source.focus({ preventScroll: true }); },
    leave: () => { here = false; },
    restore,
  };
}
