// A picture that a model read, or the frames of a clip in a row, with light where it looked.

import { make } from "/static/dom.js";

const SHADE = 0.65, GLOW = 0.4;  // as views/picture_look.py draws it
const MOST = 5, WIDE = 360;  // cells whose share is told; pixels of a picture that is enlarged
const FRAME = 56, STRIP = 4;  // pixels of a frame in a strip; columns for each row from which a grid is one

// Rows of 0s and 1s, parted by spaces, as a picture: 1 is white.
export function bitmap(text) {
  const rows = text.trim().split(/\s+/), canvas = make("canvas");
  canvas.width = rows[0].length || 1;
  canvas.height = rows.length;
  const ink = canvas.getContext("2d");
  ink.fillRect(0, 0, canvas.width, canvas.height);
  ink.fillStyle = "#fff";
  rows.forEach((row, y) => [...row].forEach((bit, x) => bit === "1" && ink.fillRect(x, y, 1, 1)));
  return make("img", { class: "part bitmap", alt: "the picture that was drawn", src: canvas.toDataURL("image/png") });
}

export class Seen {
  constructor({ picture, grid: [rows, columns] }) {
    Object.assign(this, { rows, columns, smooth: true });
    this.image = make("img", { src: picture, alt: "The picture that the model read" });
    this.veil = make("canvas", { "aria-hidden": "true" });
    this.told = make("p", { class: "hint", "aria-live": "polite" }, "\u00a0");
    this.node = make("div", { class: "seen" }, make("div", { class: "frame" }, this.image, this.veil), this.told);
    this.image.onload = () => {
      const { naturalWidth: width, naturalHeight: height } = this.image, longest = Math.max(width, height);
      this.image.classList.toggle("small", longest < WIDE / 4);
      const wide = columns < STRIP * rows ? WIDE : Math.max(FRAME * columns, WIDE);
      this.image.style.width = `${longest < wide ? wide * width / longest : width}px`;
      if (this.weights) this.show(this.weights, this.word);
    };
  }

  // Light the picture by the weights of a word, a number for each cell.
  show(weights, word) {
    Object.assign(this, { weights, word });
    const { naturalWidth: width, naturalHeight: height } = this.image;
    if (!width) return;
    const { rows, columns } = this, most = Math.max(...weights, 1e-9);
    const cells = make("canvas");
    [cells.width, cells.height] = [columns, rows];
    const small = cells.getContext("2d"), data = small.createImageData(columns, rows);
    weights.forEach((weight, i) => {
      const light = Math.max(weight, 0) / most, opacity = SHADE * (1 - light) + GLOW * light;
      data.data.fill(255 * GLOW * light / opacity, 4 * i, 4 * i + 3);
      data.data[4 * i + 3] = 255 * opacity;
    });
    small.putImageData(data, 0, 0);
    const scale = Math.max(1, Math.min(4, 512 / Math.max(width, height)));
    this.veil.width = Math.round(width * scale);
    this.veil.height = Math.round(height * scale);
    const pen = this.veil.getContext("2d");
    pen.imageSmoothingEnabled = this.smooth;
    pen.imageSmoothingQuality = "high";
    // Cells are of one size from the upper left corner on; the last may reach beyond the picture.
    pen.drawImage(cells, 0, 0, Math.ceil(width / columns) * columns * scale, Math.ceil(height / rows) * rows * scale);
    this.veil.hidden = false;
    this.told.textContent = `${word}: ${spread(weights)}`;
  }

  clear() {
    this.weights = undefined;
    this.veil.hidden = true;
    this.told.textContent = "\u00a0";
  }
}

// How spread weights are: entropy in bits, and the share of the five largest.
export function spread(weights) {
  const total = weights.reduce((sum, one) => sum + Math.max(one, 0), 0);
  if (!total) return "no weight";
  const shares = weights.map((one) => Math.max(one, 0) / total).sort((a, b) => b - a);
  const bits = shares.reduce((sum, share) => sum - (share > 0 ? share * Math.log2(share) : 0), 0);
  const most = shares.slice(0, MOST).reduce((sum, share) => sum + share, 0);
  return `${Math.abs(bits).toFixed(1)} bits, top ${MOST} ${Math.round(100 * most)}%`;
}
