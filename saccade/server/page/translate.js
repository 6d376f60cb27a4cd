// The first tab: type, see the translation appear, and look at how it came about.

import { find, listen, options } from "/static/dom.js";
import { Answer } from "/static/answer.js";

const CUT = 70;  // letters of an example in the list
const PICTURE = "data:image/";  // what a picture begins with where others have text

export function translating(models) {
  const form = find("#ask"), source = find("#source"), status = find("#status");
  const picture = find("#picture");
  const model = find("#model"), other = find("#other"), example = find("#example"), beam = find("#beam");
  let running = new AbortController();

  options(model, models.map(({ name }) => [name, name]));
  options(other, [["", "nothing"], ...models.map(({ name }) => [name, name])]);
  other.closest("label").hidden = models.length < 2;

  const examples = () => models.find(({ name }) => name === model.value)?.examples ?? [];
  const fill = () => {
    const shown = (text, i) => (text.startsWith(PICTURE) ? `picture ${i + 1}` : text.length > CUT ? `${text.slice(0, CUT)}…` : text);
    const texts = examples().map(({ source: text }, i) => [String(i), shown(text, i)]);
    options(example, [["", texts.length ? "choose one" : "none"], ...texts]);
    example.disabled = !texts.length;
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

  // Ask one model, in its own card; a prefix is what the output must begin with.
  async function run(name, card, prefix, signal) {
    const told = models.find((one) => one.name === name);
    const body = {
      model: name, text: source.value, beam: Number(beam.value) || 1, nbest: Math.min(Number(beam.value) || 1, 5),
      prefix, want: ["tokens", ...(told.attention.length ? ["attention", "alignment"] : []), "flags"], words: true,
    };
    card.begin(prefix);
    try {
      const answer = await listen("/v1/predict/stream", body, ({ text }) => card.partial(text), signal);
      card.show(answer.results[0], body, answer.seconds);
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
    const cards = names.map((name) => new Answer(name, models.find((one) => one.name === name),
      (prefix, card) => run(name, card, prefix, running.signal)));
    find("#answers").classList.toggle("two", names.length > 1);
    find("#answers").replaceChildren(...cards.map(({ node }) => node));
    say("Translating …");
    await Promise.all(names.map((name, i) => run(name, cards[i], "", signal)));
    if (!signal.aborted) say("");
  }

  form.onsubmit = (event) => { event.preventDefault(); translate(); };
  source.onkeydown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); translate(); }
  };
  model.onchange = fill;
  example.onchange = () => {
    if (example.value === "") return;
    source.value = examples()[Number(example.value)].source;
    preview();
    translate();
  };
  return { enter: () => source.focus({ preventScroll: true }) };
}
