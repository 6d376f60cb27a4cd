// A small black canvas to draw on with a white pen, as large as what a model reads.

import { make } from "/static/dom.js";

export const LARGEST = 256;  // pixels each way of a canvas, at most
const THICK = 2.4, THIN = 1 / 24;  // pixels of a line; its share of a large canvas
const PAUSE = 400;  // milliseconds after a stroke before the drawing is handed over

export class Slate {
  // `size` is in pixels each way; `drawn` takes the picture as a data URI, "" once it is wiped.
  constructor(size, drawn) {
    Object.assign(this, { size, drawn });
    this.canvas = make("canvas", { class: "slate", role: "img", "aria-label": "Draw here with the mouse or a finger" });
    this.canvas.width = this.canvas.height = size;
    this.ink = this.canvas.getContext("2d");
    const wipe = make("button", { type: "button" }, "Wipe");
    wipe.onclick = () => { this.wipe(); this.drawn(""); };
    this.node = make("div", { class: "slate-box" }, this.canvas, make("div", { class: "actions" }, wipe,
      make("span", { class: "hint" }, `${size} × ${size} pixels`)));
    this.canvas.onpointerdown = (event) => { event.preventDefault(); this.begin(event); };
    this.canvas.onpointermove = (event) => { if (this.last) this.line(event); };
    this.canvas.onpointerup = this.canvas.onpointercancel = () => this.end();
    this.wipe();
  }

  wipe() {
    clearTimeout(this.timer);
    this.last = undefined;
    this.ink.fillStyle = "#000";
    this.ink.fillRect(0, 0, this.size, this.size);
    Object.assign(this.ink, { strokeStyle: "#fff", lineCap: "round", lineJoin: "round", lineWidth: Math.max(THICK, this.size * THIN) });
  }

  place({ clientX, clientY }) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    return [(clientX - left) / width * this.size, (clientY - top) / height * this.size];
  }

  begin(event) {
    clearTimeout(this.timer);
    this.canvas.setPointerCapture(event.pointerId);
    this.last = this.place(event);
    this.line(event);
  }

  line(event) {
    const next = this.place(event);
    this.ink.beginPath();
    this.ink.moveTo(...this.last);
    this.ink.lineTo(...next);
    this.ink.stroke();
    this.last = next;
  }

  end() {
    if (!this.last) return;
    this.last = undefined;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.drawn(this.canvas.toDataURL("image/png")), PAUSE);
  }
}
