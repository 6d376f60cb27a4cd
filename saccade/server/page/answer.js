// One answer of one model: its sentences, words that light up, warnings, alternatives, views.

import { all, ask, draw, find, make, tabs } from "/static/dom.js";
import { Player } from "/static/player.js";
import { cell, copy, download } from "/static/saving.js";
import { fillHeads, fillWords, isHeaded, isWorded, lightThreads } from "/static/maps.js";
import { SeenInk } from "/static/ink.js";
import { play } from "/static/moving.js";
import { Seen, bitmap } from "/static/seen.js";

const VIEWS = { writing: "Writing", output: "Output", gaze: "Gaze", canvas: "Canvas", lines: "Lines", attention: "Matrix", heads: "All heads", spikes: "Spikes", beam: "Beam", distribution: "Next symbols", addresses: "Addresses", trellis: "Trellis", band: "Band", phrases: "Phrases", steps: "Steps", gates: "Gates" };
const SHRINK = 1.8;  // a picture so many times wider than its place is made smaller; a wider one is moved
const STEPPED = ["beam", "gaze", "canvas"], BEAT = 350;  // views that can be walked through; milliseconds of a step
const SURE = 0.6, DOUBTFUL = 0.25;  // probability of a whole word

export class Answer {
  constructor(name, model, about = "") {
    this.node = find("#answer").content.firstElementChild.cloneNode(true);
    this.name = name;
    this.model = model;
    this.about = about;  // what the input is called, if it is not text
    this.title = find("h2", this.node);
    this.title.append(about ? `${about} · ${name}` : name);
    this.output = find(".output", this.node);
    this.drawn = new Map();
    if (model?.views[0] === "gaze") find(".words", this.node).before(find(".views", this.node));  // watched first
    for (const part of [".views", ".words", ".alternatives", ".sentences", ".saving"]) find(part, this.node).hidden = true;
    this.offerSaving();
  }

  // The output, with the white space of the source between its sentences.
  get text() { return this.parts.map(({ before, text }) => before + text).join("") + this.after; }

  get part() { return this.parts[this.chosen]; }

  begin(body, signal) {
    this.body = body;
    this.signal = signal;
    this.output.classList.add("partial");
    this.output.textContent = "…";
    find(".flags", this.node).replaceChildren();
  }

  partial(text) { this.output.textContent = text || "…"; }

  fail(message) {
    this.output.textContent = "";
    this.output.classList.remove("partial");
    find(".flags", this.node).replaceChildren(make("li", { class: "warning" }, message));
  }

  async show({ results: [result], seconds }) {
    this.seconds = seconds;
    this.parts = result.sentences ?? [{ before: "", source: this.body.text, ...result }];
    this.after = result.after ?? "";
    this.showText();
    await this.choose(0);
    find(".saving", this.node).hidden = false;
    this.output.classList.remove("partial");
  }

  showText() {
    const score = this.parts.every((part) => part.score !== null) ? this.parts.reduce((sum, part) => sum + part.score, 0) : null;
    find("small", this.title)?.remove();
    this.title.append(make("small", {}, `  ${(this.seconds * 1000).toFixed(0)} ms, score ${short(score)}`));
    const several = this.parts.length > 1;
    const spans = this.parts.map(({ text }, n) => {
      const span = this.model.views.includes("canvas") ? bitmap(text) : written(text);
      if (several) span.onclick = () => this.choose(n);
      return span;
    });
    this.output.replaceChildren(...this.parts.flatMap(({ before }, n) => [before, spans[n]]), this.after);
    find(".sentences", this.node).hidden = !several;
    find(".sentences ol", this.node).replaceChildren(...(several ? this.parts.map((part, n) => this.row(part, n)) : []));
    find(".flags", this.node).replaceChildren(...(several ? [] : warnings(this.parts[0])));
  }

  // One line of the list of sentences: what was read and written, its score, its warnings.
  row(part, n) {
    const button = make("button", { type: "button", "aria-pressed": "false" },
      make("span", { dir: "auto", class: "hint" }, part.source), make("span", { dir: "auto" }, part.text || "(nothing)"));
    button.onclick = () => this.choose(n);
    const found = warnings(part);
    return make("li", {}, button, make("small", {}, `score ${short(part.score)}`),
      ...(found.length ? [make("ul", { class: "flags", "aria-label": "Warnings" }, ...found)] : []));
  }

  // Look at one sentence: what is shown below the text is told of it alone.
  async choose(n) {
    this.chosen = n;
    this.drawn.clear();
    const several = this.parts.length > 1;
    all(".sentences button", this.node).forEach((button, i) => button.setAttribute("aria-pressed", String(i === n)));
    all(".output .part", this.node).forEach((span, i) => span.classList.toggle("chosen", several && i === n));
    try {
      this.part.told ??= await this.askFor(this.part, this.part.prefix ?? "");
    } catch (error) {
      if (error.name === "AbortError") throw error;
      this.part.told = { nbest: [], text: this.part.text };
      find(".flags", this.node).append(make("li", { class: "note" }, error.message));
    }
    if (this.chosen !== n) return;
    this.result = this.part.told;
    this.showWords();
    this.showAlternatives();
    this.showViews();
  }

  async askFor(part, prefix, more = {}) {
    const { model, beam, bias, seed } = this.body, looks = this.model.attention.length ? ["attention", "alignment"] : this.model.self_attention.length ? ["alignment"] : [];
    if (looks.length && this.model.inputs[0]?.kind === "sound") looks.push("times");
    const body = {
      model, beam, bias, seed, prefix, text: part.source, split: "none", words: true, nbest: beam ? Math.min(beam, 5) : 1, want: ["tokens", ...looks, "flags"], ...more,
    };
    return (await ask("/v1/predict", body, this.signal)).results[0];
  }

  showAlternatives() {
    const others = this.result.nbest;
    find(".alternatives", this.node).hidden = others.length < 2;
    find(".alternatives ol", this.node).replaceChildren(...others.map(({ text, score }) =>
      make("li", { dir: "auto" }, text || "(nothing)", make("small", {}, short(score)))));
  }

  // The two sentences word by word. `weights[t][s]` is the mean of all maps.
  showWords() {
    const { source_words: words = [], target_words: target = [], attention, layout = [] } = this.result;
    const pictured = layout.filter(({ picture, strokes }) => picture || strokes), weights = mean(attention?.maps ?? []);
    const inPicture = (s) => pictured.some(({ start, end }) => s >= start && s < end);
    const texts = this.model.inputs.filter(({ kind }) => kind === "text").map(({ name }) => name);
    const isEnd = (s) => layout.length > 1 && layout.some((one) => texts.includes(one.source) && s === one.end - 1);
    const source = words.map((word, s) => ({ word, s })).filter(({ s }) => !inPicture(s) && !isEnd(s));
    this.seen = pictured.map((part) => Object.assign(part.strokes ? new SeenInk(part) : new Seen(part), part));
    const { times = [] } = this.result;
    this.player?.stop();
    this.player = times.length ? new Player(this.part.source) : undefined;
    find(".words", this.node).hidden = this.model.draws || (!source.length && !((pictured.length || times.length) && target.length));  // points of a pen are no words
    find(".pictures", this.node).replaceChildren(...this.seen.map(({ node }) => node));
    this.setSmooth();
    const probabilities = this.wordProbabilities();
    const left = source.map(({ word, s }) => make("span", { tabIndex: 0, "data-s": String(s) }, visible(word)));
    const right = target.map((word, t) => make("button", {
      type: "button", class: sureness(probabilities[t]), "data-t": String(t),
      title: [...(probabilities[t] === undefined ? [] : [`probability ${probabilities[t].toFixed(2)}`]), ...(times[t] ? [spoken(times[t])] : [])].join(", "),
    }, visible(word)));
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
    const dark = () => {
      [...left, ...right].forEach((node) => node.classList.remove("lit", "here"));
      this.seen.forEach((one) => one.clear());
    };
    const react = (node, others, shares, t) => {
      node.onpointerenter = node.onfocus = () => {
        dark();
        light(node, others, shares);
        if (t === undefined) return;
        this.seen.forEach((one) => one.show((weights[t] ?? []).slice(one.start, one.end), target[t]));
        this.say(t);
      };
      node.onpointerleave = node.onblur = dark;
    };
    left.forEach((node, n) => react(node, right, weights.map((row) => row[source[n].s])));
    right.forEach((node, t) => {
      react(node, left, source.map(({ s }) => weights[t]?.[s] ?? 0), t);
      // A finger cannot point: its first touch looks, its second changes the word.
      node.onpointerdown = ({ pointerType }) => { this.touching = pointerType === "touch"; };
      node.onclick = () => {
        if (!this.touching || this.touched === node) { this.edit(node, t); return; }
        this.touched = node;
        node.focus();
      };
    });
    dark();
  }

  // Play a word, if it is known when it is said.
  say(t) {
    const time = this.result.times?.[t];
    if (time) this.player.play(time.begins, time.ends).catch(() => {});  // a browser may not be able to
  }

  // Draw pictures smoothly, or the cells of their grid as they are.
  setSmooth() {
    const box = find(".cells input", this.node);
    find(".cells", this.node).hidden = !this.seen.some(({ grid }) => grid);
    box.onchange = () => {
      this.setSmooth();
      this.view(find(".views [aria-selected=true]", this.node).dataset.view);
    };
    for (const one of this.seen) one.smooth = !box.checked;
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
      if (text !== undefined) this.rewrite(before(this.result.text, words, t) + text);
      else node.focus();
    };
    input.onkeydown = (event) => {
      if (event.key === "Enter" && input.value.trim()) { event.preventDefault(); event.stopPropagation(); close(input.value.trim()); }
      if (event.key === "Escape") close();
    };
    input.onblur = () => close();
    node.replaceWith(input);
    input.value = words[t];
    input.select();
  }

  // Let the model go on from a beginning of the chosen sentence.
  async rewrite(prefix) {
    const { part, chosen } = this;
    this.output.classList.add("partial");
    try {
      const told = await this.askFor(part, prefix);
      Object.assign(part, { told, prefix, text: told.text, score: told.score, flags: told.flags });
      this.showText();
      await this.choose(chosen);
    } catch (error) {
      if (error.name !== "AbortError") find(".flags", this.node).append(make("li", { class: "warning" }, error.message));
    }
    this.output.classList.remove("partial");
  }

  showViews() {
    const possible = this.model.views;
    const list = find(".views [role=tablist]", this.node);
    const kept = find("[aria-selected=true]", list)?.dataset.view;
    list.replaceChildren(...possible.map((view) => make("button", {
      role: "tab", type: "button", "data-view": view, "aria-selected": "false",
    }, view === "attention" ? this.attentionTitle : VIEWS[view])));
    const heads = find(".head select", this.node), word = find(".word select", this.node);
    fillHeads(heads, this.model);
    find(".views", this.node).hidden = !this.result.text || !possible.length;
    if (!possible.length) return;
    const choose = tabs(list, (button) => this.view(button.dataset.view));
    heads.onchange = word.onchange = () => this.view(find("[aria-selected=true]", list).dataset.view);
    choose(all("[role=tab]", list).find(({ dataset }) => dataset.view === kept) ?? list.firstElementChild);
  }

  get attentionTitle() {
    if (this.seen.some(({ strokes }) => strokes)) return "Every letter";
    if (this.model.inputs.some(({ kind }) => kind === "story")) return "Hops";
    return this.seen.length ? "Every word" : VIEWS.attention;
  }

  // Views are drawn by the server, when somebody looks at them.
  async view(name) {
    const figure = find("figure", this.node), head = find(".head select", this.node).value || "mean";
    const headed = isHeaded(name, this.model), worded = isWorded(name), words = find(".word select", this.node);
    find(".head", this.node).hidden = !headed;
    find(".word", this.node).hidden = !worded;
    if (worded) fillWords(words, name, headed ? head : "mean", this.model, this.result);
    const word = worded ? words.value : "";
    find(".step", this.node).hidden = find(".again", this.node).hidden = true;
    const smooth = !find(".cells input", this.node).checked;
    const key = `${this.chosen} ${name} ${headed ? head : ""} ${smooth} ${word}`;
    this.wanted = key;
    this.picture = undefined;
    figure.dataset.view = name;
    if (!this.drawn.has(key)) {
      const asked = this.askFor(this.part, this.part.prefix ?? "", { views: [name], head, word, smooth, words: name !== "distribution", want: [], nbest: 1 });
      this.drawn.set(key, asked.then(({ views }) => views[name]));
    }
    try {
      const svg = await this.drawn.get(key);
      if (this.wanted !== key) return;
      if (svg) draw(figure, svg); else figure.replaceChildren("Nothing to draw.");
      if (["attention", "spikes"].includes(name) && this.player) this.voice(figure);
      const wide = find("svg", figure)?.width.baseVal.value ?? 0;
      figure.classList.toggle("shrunk", wide > figure.clientWidth && wide < SHRINK * figure.clientWidth);
      this.picture = svg && { name, svg };
      if (name === "lines") lightThreads(figure);
      if (STEPPED.includes(name)) this.slide(figure);
      if (name === "gaze" || name === "canvas") this.play(figure);
      if (name === "writing" && svg) play(find("svg", figure), this.node);
    } catch (error) {
      this.drawn.delete(key);
      if (this.wanted === key) figure.replaceChildren(error.message);
    }
  }

  // Point at a word or a weight over a sound to hear it.
  voice(figure) {
    let last;
    figure.onpointerover = ({ target }) => {
      const row = target.closest?.("[data-row]")?.dataset.row;
      if (row !== undefined && row !== last) this.say(Number(row));
      last = row;
    };
  }

  // Walk through a search, the way of an eye or a canvas, step by step.
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

  // Show the steps one after the other, once, until somebody takes the slider.
  play(figure) {
    const slider = find(".step input", this.node), last = Number(slider.max), shown = find("svg", figure);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const at = (step) => {
      if (find("svg", figure) !== shown || slider.dataset.held) return;
      slider.value = String(step);
      slider.oninput();
      if (step < last) setTimeout(() => at(step + 1), BEAT);
    };
    delete slider.dataset.held;
    slider.onpointerdown = slider.onkeydown = () => { slider.dataset.held = "yes"; };
    at(1);
  }

  // Copy and download; what was changed by hand is in it.
  offerSaving() {
    const state = find(".saving [role=status]", this.node);
    const said = (text) => { state.textContent = text; };
    const given = (source) => this.about || (typeof source === "string" ? source : JSON.stringify(source));
    const table = () => ["source\toutput\tscore", ...this.parts.map(({ source, text, score }) => [given(source), text, score].map(cell).join("\t"))];
    const plain = () => ({
      model: this.name, beam: this.body.beam, split: this.body.split, source: this.about || this.body.text, text: this.text,
      sentences: this.parts.map(({ before: gap, source, text, score, finished, flags }) => ({ before: gap, source: this.about || source, text, score, finished, flags })),
      after: this.after,
    });
    const acts = {
      copy: async () => { await copy(this.text); said("Copied."); },
      text: () => download("output.txt", "text/plain", `${this.text}\n`),
      tsv: () => download("output.tsv", "text/tab-separated-values", `${table().join("\n")}\n`),
      json: () => download("output.json", "application/json", `${JSON.stringify(plain(), null, 2)}\n`),
      svg: async () => {
        await this.drawn.get(this.wanted)?.catch(() => {});  // the view may still be on its way
        if (this.picture) download(`${this.picture.name}.svg`, "image/svg+xml", this.picture.svg);
        else said("There is no picture to download.");
      },
    };
    for (const button of all("[data-save]", this.node)) {
      button.onclick = async () => {
        said("");
        try {
          await acts[button.dataset.save]();
        } catch (error) {
          said(error.message);
        }
      };
    }
  }
}

const short = (score) => (score === null ? "–" : score.toFixed(3));
const spoken = ({ begins, ends }) => `${begins.toFixed(2)} to ${ends.toFixed(2)} s`;
const visible = (word) => (word.trim() ? word : "␣");  // a space is a character like others
const warnings = ({ flags = [] }) => flags.map(({ severity, message }) => make("li", { class: severity }, message));

function sureness(probability) {
  if (probability === undefined || probability >= SURE) return "sure";
  return probability >= DOUBTFUL ? "unsure" : "doubtful";
}

function mean(maps) {
  if (!maps.length) return [];
  return maps[0].map((row, t) => row.map((_, s) => maps.reduce((sum, map) => sum + map[t][s], 0) / maps.length));
}

// A text as it is, or the strokes of a pen as a picture, in which nothing can run.
function written(text) {
  if (!text.startsWith("<svg ")) return make("span", { class: "part" }, text);
  return make("img", { class: "part", alt: "strokes of a pen", src: `data:image/svg+xml,${encodeURIComponent(text)}`, style: "max-width:100%;background:#fff" });
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
