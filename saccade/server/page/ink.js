// A pen on the page: paper to write on, and what a model read of it. Nothing is stored.

import { make } from "/static/dom.js";

const WIDE = 900, HIGH = 240;  // of the paper, in its own units
const LINES = [[0, .35], [.3, .7], [.7, 1], [1, .35]];  // of the writing, from its top to its foot, and how dark
const TOP = 50, TALL = 140;  // where the lines of writing are on the paper
const NEAR = 1.5;  // units that the pen moves before a point is kept
const SHOWN = 0.25;  // of the largest weight of a word, that lights a point
const NS = "http://www.w3.org/2000/svg";

const shape = (tag, attributes) => {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
};
const path = (points) => `M${points.map(([x, y]) => `${+x.toFixed(1)} ${+y.toFixed(1)}`).join("L")}`;

// The strokes of an SVG document or of the data of a path, as this program writes them: M and L alone.
export function strokesOf(text) {
  const data = /<path\b[^>]*?\sd="([^"]*)"/.exec(text)?.[1] ?? (/^M[-\d\s.eML]*$/.test(text) ? text : "");
  return data.split("M").slice(1).map((stroke) => {
    const numbers = (stroke.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
    return Array.from({ length: numbers.length >> 1 }, (_, i) => [numbers[2 * i], numbers[2 * i + 1]]);
  }).filter((stroke) => stroke.length && stroke.flat().every(Number.isFinite));
}

// Paper with lines to write between, by mouse, finger or pen.
export class InkBox {
  sort = { noun: "writing", verb: ["Read", "Reading …"] };

  constructor(node, { limit, most, say }) {
    Object.assign(this, { unit: (limit || TALL) / TALL, most, say, strokes: [], given: "" });
    this.paper = shape("svg", { class: "paper-ink", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", tabindex: 0 });
    this.paper.append(...LINES.map(([at, dark]) => shape("line", { x1: 0, x2: WIDE, y1: TOP + at * TALL, y2: TOP + at * TALL, "stroke-opacity": dark })));
    this.ink = this.paper.appendChild(shape("path", { class: "ink" }));
    const undo = make("button", { type: "button" }, "Undo"), clear = make("button", { type: "button" }, "Clear");
    undo.onclick = () => { this.given = ""; this.strokes.pop(); this.show(); };
    clear.onclick = () => this.set("");
    node.replaceChildren(this.paper, make("div", { class: "actions" }, undo, clear,
      make("span", { class: "hint" }, "Write between the lines with the mouse, a finger or a pen: small letters between the two dark ones")));
    this.listen();
    this.show();
  }

  get points() { return this.strokes.reduce((n, stroke) => n + stroke.length, 0); }

  // As the server reads it: a list of strokes in the units of the model's own data.
  get value() {
    if (this.given) return this.given;
    const scaled = this.strokes.map((stroke) => stroke.map(([x, y]) => [x, y].map((n) => +(n * this.unit).toFixed(1))));
    return scaled.length ? JSON.stringify(scaled) : "";
  }

  listen() {
    let stroke;
    const at = ({ clientX, clientY }) => {
      const { left, top, width, height } = this.paper.getBoundingClientRect();
      return [(clientX - left) / width * WIDE, (clientY - top) / height * HIGH];
    };
    const keep = (event) => {
      if (this.points >= this.most) { this.say(`At most ${this.most.toLocaleString("en")} points; write less.`, true); return; }
      const point = at(event), last = stroke.at(-1);
      if (!last || Math.hypot(point[0] - last[0], point[1] - last[1]) >= NEAR) stroke.push(point);
    };
    this.paper.onpointerdown = (event) => {
      if (event.button) return;
      event.preventDefault();
      this.paper.setPointerCapture(event.pointerId);
      if (this.given) this.set("");
      stroke = [];
      this.strokes.push(stroke);
      keep(event);
      this.show();
    };
    this.paper.onpointermove = (event) => {
      if (!stroke) return;
      for (const one of event.getCoalescedEvents?.() ?? [event]) keep(one);
      this.show();
    };
    this.paper.onpointerup = this.paper.onpointercancel = () => {
      stroke = undefined;
      this.strokes = this.strokes.filter(({ length }) => length);
    };
  }

  // Show strokes that somebody else wrote; they are sent as they came.
  set(text) {
    const strokes = strokesOf(text);
    this.given = strokes.length ? text : "";
    const flat = strokes.flat(), across = flat.map(([x]) => x), down = flat.map(([, y]) => y);
    const [left, right, top, foot] = [Math.min(...across), Math.max(...across), Math.min(...down), Math.max(...down)];
    const scale = Math.min(1 / this.unit, (WIDE - 40) / Math.max(right - left, 1e-9), (HIGH - 20) / Math.max(foot - top, 1e-9));
    this.strokes = strokes.map((stroke) => stroke.map(([x, y]) => [20 + (x - left) * scale, (HIGH - (foot - top) * scale) / 2 + (y - top) * scale]));
    this.show();
  }

  show() {
    const n = this.strokes.length;
    this.ink.setAttribute("d", this.strokes.filter(({ length }) => length).map((stroke) => path(stroke.length > 1 ? stroke : [stroke[0], stroke[0]])).join(""));
    this.paper.setAttribute("aria-label", n ? `Paper with ${n} stroke${n > 1 ? "s" : ""}` : "Empty paper to write on");
  }
}

// What a model saw of a pen, with ink where it looked; a place is a move to a point.
export class SeenInk {
  constructor({ strokes }) {
    const rows = strokesOf(strokes), flat = rows.flat();
    const low = [0, 1].map((i) => Math.min(...flat.map((one) => one[i]))), high = [0, 1].map((i) => Math.max(...flat.map((one) => one[i])));
    const [wide, tall] = [0, 1].map((i) => Math.max(high[i] - low[i], 1));
    const pad = tall / 12;
    this.picture = shape("svg", { class: "seen-ink", viewBox: `${low[0] - pad} ${low[1] - pad} ${wide + 2 * pad} ${tall + 2 * pad}`, role: "img", "aria-label": "The points that the model read", "stroke-width": tall / 40 });
    this.moves = [];
    let last;
    for (const stroke of rows) {
      for (const [i, point] of stroke.entries()) {
        if (last) this.moves.push(i ? shape("path", { d: path([last, point]) }) : shape("path", {}));  // above the paper: no ink
        last = point;
      }
    }
    this.picture.append(...this.moves);
    this.node = make("div", { class: "seen" }, this.picture);
  }

  show(weights) {
    const most = Math.max(...weights, 1e-9);
    this.picture.classList.add("looking");
    this.moves.forEach((move, i) => move.classList.toggle("lit", (weights[i] ?? 0) / most >= SHOWN));
  }

  clear() {
    this.picture.classList.remove("looking");
    for (const move of this.moves) move.classList.remove("lit");
  }
}
