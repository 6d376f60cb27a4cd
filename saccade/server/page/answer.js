// One answer of one model: words that light up, warnings, alternatives, views.

import { all, ask, draw, find, make, options, tabs } from "/static/dom.js";

const VIEWS = { output: "Output", lines: "Lines", attention: "Matrix", heads: "All heads", beam: "Beam", distribution: "Next symbols" };
const SURE = 0.6, DOUBTFUL = 0.25;  // probability of a whole word

export class Answer {
  // `again(prefix, this)` asks anew with an output that begins with `prefix`.
  constructor(name, model, again) {
    this.node = find("#answer").content.firstElementChild.cloneNode(true);
    this.again = again;
    this.maps = model.attention;
    this.offered = model.views;
    this.title = find("h2", this.node);
    this.title.append(name);
    this.output = find(".output", this.node);
    this.drawn = new Map();
    find(".views", this.node).hidden = true;
    find(".words", this.node).hidden = true;
    find(".alternatives", this.node).hidden = true;
  }

  begin(prefix) {
    this.output.classList.add("partial");
    this.output.textContent = prefix || "…";
    find(".flags", this.node).replaceChildren();
  }

  partial(text) { this.output.textContent = text || "…"; }

  fail(message) {
    this.output.textContent = "";
    find(".flags", this.node).replaceChildren(make("li", { class: "warning" }, message));
  }

  show(result, body, seconds) {
    this.result = result;
    this.body = body;
    this.drawn.clear();
    this.output.classList.remove("partial");
    this.output.textContent = result.text;
    find("small", this.title)?.remove();
    this.title.append(make("small", {}, `  ${(seconds * 1000).toFixed(0)} ms, score ${short(result.score)}`));
    this.showWords();
    this.showFlags();
    this.showAlternatives();
    this.showViews();
  }

  showFlags() {
    const flags = this.result.flags ?? [];
    find(".flags", this.node).replaceChildren(
      ...flags.map(({ severity, message }) => make("li", { class: severity }, message)));
  }

  showAlternatives() {
    const others = this.result.nbest;
    find(".alternatives", this.node).hidden = others.length < 2;
    find(".alternatives ol", this.node).replaceChildren(...others.map(({ text, score }) =>
      make("li", { dir: "auto" }, text || "(nothing)", make("small", {}, short(score)))));
  }

  // The two sentences word by word. `weights[t][s]` is the mean of all maps.
  showWords() {
    const { source_words: source = [], target_words: target = [], attention } = this.result;
    find(".words", this.node).hidden = !source.length;
    const weights = mean(attention?.maps ?? []);
    const probabilities = this.wordProbabilities();
    const left = source.map((word, s) => make("span", { tabIndex: 0, "data-s": String(s) }, word));
    const right = target.map((word, t) => make("button", {
      type: "button", class: sureness(probabilities[t]), "data-t": String(t),
      title: probabilities[t] === undefined ? "" : `probability ${probabilities[t].toFixed(2)}`,
    }, word));
    find(".source", this.node).replaceChildren(...left);
    find(".target", this.node).replaceChildren(...right);
    const light = (here, others, shares) => {
      const most = Math.max(...shares, 1e-9);
      here.classList.add("here");
      others.forEach((node, i) => {
        node.classList.add("lit");
        node.style.setProperty("--weight", ((shares[i] ?? 0) / most * 0.65).toFixed(3));
      });
    };
    const dark = () => [...left, ...right].forEach((node) => node.classList.remove("lit", "here"));
    const react = (node, others, shares) => {
      node.onpointerenter = node.onfocus = () => { dark(); light(node, others, shares); };
      node.onpointerleave = node.onblur = dark;
    };
    left.forEach((node, s) => react(node, right, weights.map((row) => row[s])));
    right.forEach((node, t) => {
      react(node, left, (weights[t] ?? []).slice(0, left.length));
      node.onclick = () => this.edit(node, t);
    });
  }

  // Probability of every word: that of its pieces, multiplied.
  wordProbabilities() {
    const found = [];
    for (const { log_prob: logProb, word } of this.result.tokens ?? []) {
      if (word !== undefined) found[word] = (found[word] ?? 1) * Math.exp(logProb ?? 0);
    }
    return found;
  }

  // Change one word of the output; what stands before it is kept, what follows is written anew.
  edit(node, t) {
    const words = this.result.target_words;
    const input = make("input", { "aria-label": "Write another word", dir: "auto" });
    let open = true;
    const close = (text) => {
      if (!open) return;
      open = false;
      input.replaceWith(node);
      if (text !== undefined) this.again(before(this.result.text, words, t) + text, this);
      else node.focus();
    };
    input.onkeydown = (event) => {
      if (event.key === "Enter" && input.value.trim()) { event.preventDefault(); close(input.value.trim()); }
      if (event.key === "Escape") close();
    };
    input.onblur = () => close();
    node.replaceWith(input);
    input.value = words[t];
    input.select();
  }

  showViews() {
    const possible = this.offered;
    const list = find(".views [role=tablist]", this.node);
    const kept = find("[aria-selected=true]", list)?.dataset.view;
    list.replaceChildren(...possible.map((view) => make("button", {
      role: "tab", type: "button", "data-view": view, "aria-selected": "false",
    }, VIEWS[view])));
    const heads = find(".head select", this.node);
    options(heads, ["mean", "max", ...this.maps].map((name) => [name, name]), heads.value || "mean");
    find(".views", this.node).hidden = !this.result.text;
    const choose = tabs(list, (button) => this.view(button.dataset.view));
    heads.onchange = () => this.view(find("[aria-selected=true]", list).dataset.view);
    choose(all("[role=tab]", list).find(({ dataset }) => dataset.view === kept) ?? list.firstElementChild);
  }

  // Views are drawn by the server, when somebody looks at them.
  async view(name) {
    const figure = find("figure", this.node), head = find(".head select", this.node).value || "mean";
    find(".head", this.node).hidden = !["lines", "attention"].includes(name) || this.maps.length < 2;
    find(".step", this.node).hidden = true;
    const key = `${name} ${["lines", "attention"].includes(name) ? head : ""}`;
    this.wanted = key;
    figure.dataset.view = name;
    if (!this.drawn.has(key)) {
      const { model, text, beam, prefix } = this.body;
      const body = { model, text, beam, prefix, views: [name], head, words: name !== "distribution" };
      this.drawn.set(key, ask("/v1/predict", body).then(({ results }) => results[0].views[name]));
    }
    try {
      const svg = await this.drawn.get(key);
      if (this.wanted !== key) return;
      if (svg) draw(figure, svg); else figure.replaceChildren("Nothing to draw.");
      if (name === "beam") this.slide(figure);
    } catch (error) {
      this.drawn.delete(key);
      figure.replaceChildren(error.message);
    }
  }

  // Walk through the beam search step by step.
  slide(figure) {
    const nodes = all("[data-step]", figure);
    const last = Math.max(...nodes.map(({ dataset }) => Number(dataset.step)), 1);
    const slider = find(".step input", this.node);
    find(".step", this.node).hidden = false;
    slider.max = String(last);
    slider.value = String(last);
    slider.oninput = () => {
      find(".step output", this.node).textContent = `${slider.value} of ${last}`;
      for (const node of nodes) node.classList.toggle("later", Number(node.dataset.step) > Number(slider.value));
    };
    slider.oninput();
  }
}

const short = (score) => (score === null ? "–" : score.toFixed(3));

function sureness(probability) {
  if (probability === undefined || probability >= SURE) return "sure";
  return probability >= DOUBTFUL ? "unsure" : "doubtful";
}

function mean(maps) {
  if (!maps.length) return [];
  return maps[0].map((row, t) => row.map((_, s) => maps.reduce((sum, map) => sum + map[t][s], 0) / maps.length));
}

// The text of the output that stands before word t, spaces included.
function before(text, words, t) {
  let place = 0;
  for (const word of words.slice(0, t)) {
    const found = text.indexOf(word, place);
    if (found < 0) return words.slice(0, t).join(" ") + " ";
    place = found + word.length;
  }
  const next = text.indexOf(words[t], place);
  return text.slice(0, next < 0 ? place : next);
}
