// What a model reads, source by source: a text box, a place for pictures, clips or sounds, or paper. Nothing is stored.

import { find, make } from "/static/dom.js";
import { InkBox } from "/static/ink.js";
import { microphone } from "/static/microphone.js";
import { LARGEST as SLATE, Slate } from "/static/slate.js";

export const PICTURE = "data:image/";  // what a picture begins with where others have text
export const SOUND = "data:audio/";  // and a sound
const KINDS = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const SOUNDS = ["audio/wav", "audio/flac", "audio/ogg", "audio/mpeg", ".wav", ".flac", ".ogg", ".mp3"];
const MOVING = ["image/gif", "image/png", "image/apng", "image/webp"];
const LARGEST = 1024;  // pixels each way of a picture that is sent, at most
const FILE = 50_000_000, PNG = 1_000_000;  // bytes of a file that is read; of a PNG that is sent
const MOST = 16;  // pictures at once
const TITLES = { clip: "Clips", sound: "Sounds", strokes: "Paper" };

const said = (bytes) => `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
const isFile = (text) => typeof text === "string" && (text.startsWith(PICTURE) || text.startsWith(SOUND));

// A file of the person's as a data URI, scaled down to `limit` pixels each way if it is larger.
export async function pictureOf(file, limit, bytes) {
  if (file.size > FILE) throw new Error(`${file.name}: ${said(file.size)}; at most ${said(FILE)} can be read. Scale it down.`);
  let bitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    throw new Error(`${file.name}: not a picture that this browser can read. Save it as PNG or JPEG.`);
  }
  const most = Math.min(limit || LARGEST, LARGEST), longest = Math.max(bitmap.width, bitmap.height);
  try {
    if (longest <= most && KINDS.includes(file.type) && file.size <= Math.min(bytes, PNG)) return await asIs(file);
    return scaled(bitmap, Math.min(most / longest, 1), file.name, bytes);
  } finally {
    bitmap.close();
  }
}

// A sound of the person's as a data URI; which kind it is its first bytes tell the server.
export async function soundOf(file, limit, bytes) {
  if (file.size > bytes) throw new Error(`${file.name}: ${said(file.size)}; at most ${said(bytes)} can be sent. Cut it, or save it as FLAC.`);
  return (await asIs(file)).replace(/^data:[^,]*,/, `${SOUND}wav;base64,`);
}

// A file that moves as a data URI, as it is: to scale it down would leave its first frame only.
async function clipOf(file, limit, bytes) {
  if (file.size > bytes) throw new Error(`${file.name}: ${said(file.size)}; at most ${said(bytes)} can be sent. Save fewer or smaller frames.`);
  try {
    (await createImageBitmap(file)).close();
  } catch {
    throw new Error(`${file.name}: not a clip that this browser can read. Save it as GIF.`);
  }
  if (!MOVING.includes(file.type)) throw new Error(`${file.name}: ${file.type || "a file of no known kind"}; a clip is a GIF, or an animated PNG or WebP.`);
  return asIs(file);
}

// What can be chosen, by the kind of a source, and how it is shown.
const SORTS = {
  picture: { noun: "picture", accept: KINDS, hint: "PNG, JPEG, GIF or WebP", read: pictureOf,
    type: "image/", verb: ["Describe", "Looking …"], shown: ({ uri, name }) => make("img", { src: uri, alt: name }) },
  clip: { noun: "clip", accept: MOVING, hint: "GIF, or animated PNG or WebP", read: clipOf,
    type: "image/", verb: ["Describe", "Looking …"], shown: ({ uri, name }) => make("img", { src: uri, alt: name }) },
  sound: { noun: "sound", accept: SOUNDS, hint: "WAVE, FLAC, Ogg or MP3", read: soundOf,
    type: "audio/", verb: ["Transcribe", "Listening …"], shown: ({ uri, name }) => make("audio", { src: uri, controls: true, "aria-label": name }) },
};

function asIs(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => failed(new Error(`${file.name}: cannot be read. Pick it again.`));
    reader.readAsDataURL(file);
  });
}

function scaled(bitmap, scale, name, bytes) {
  const canvas = make("canvas");
  canvas.width = Math.max(Math.round(bitmap.width * scale), 1);
  canvas.height = Math.max(Math.round(bitmap.height * scale), 1);
  const pen = canvas.getContext("2d");
  pen.imageSmoothingQuality = "high";
  pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const png = canvas.toDataURL("image/png");
  const uri = png.length * 0.75 <= Math.min(PNG, bytes) ? png : canvas.toDataURL("image/jpeg", 0.92);
  if (uri.length * 0.75 > bytes) throw new Error(`${name}: ${said(uri.length * 0.75)} when scaled down; at most ${said(bytes)} can be sent.`);
  return uri;
}

// A place where pictures, clips or sounds are picked, dropped or pasted, with what was chosen.
class FileBox {
  constructor(node, title, { sort, limit, bytes, most, say, changed }) {
    Object.assign(this, { node, sort, limit, bytes, most, say, changed, chosen: [] });
    this.input = make("input", { type: "file", accept: sort.accept.join(","), multiple: most > 1 });
    const name = make("span", {}, most > 1 ? `Pick ${sort.noun}s` : `Pick ${title}`);
    this.list = make("ul", { class: "thumbs", "aria-label": `Chosen ${sort.noun}s` });
    this.node.replaceChildren(
      make("div", { class: "actions" }, make("label", { class: "pick" }, name, this.input),
        make("span", { class: "hint" }, `${sort.hint}; or drop or paste ${most > 1 ? "them" : "it"} here`)),
      this.list,
    );
    this.input.onchange = () => {
      this.add([...this.input.files]);
      this.input.value = "";
    };
  }

  async add(files) {
    this.say("");
    if (this.most === 1) this.chosen = [];
    for (const file of files) {
      if (this.chosen.length >= this.most) {
        this.say(`At most ${this.most} ${this.sort.noun}s at once; ${file.name} and what follows is left out.`, true);
        break;
      }
      try {
        this.chosen.push({ name: file.name || this.sort.noun, uri: await this.sort.read(file, this.limit, this.bytes) });
      } catch (error) {
        this.say(error.message, true);
      }
    }
    this.show();
  }

  // Let a person draw a picture; `go` is called with each that is drawn.
  offerSlate(size, open, go) {
    this.slate = new Slate(size, (uri) => {
      this.set(uri ? [{ name: "drawing", uri }] : []);
      if (uri) go();
    });
    this.list.before(make("details", { class: "slates", open }, make("summary", {}, "Draw one"), this.slate.node));
  }

  set(files) {
    this.chosen = files;
    this.show();
  }

  show() {
    this.list.replaceChildren(...this.chosen.map((one) => {
      const remove = make("button", { type: "button", "aria-label": `Remove ${one.name}` }, "×");
      remove.onclick = () => {
        this.chosen = this.chosen.filter((other) => other !== one);
        this.slate?.wipe();
        this.show();
        this.input.focus();
      };
      return make("li", {}, this.sort.shown(one), remove, make("span", { class: "hint" }, one.name));
    }));
    this.changed();
  }
}

// The boxes of the model that is chosen. One text source has the box of the page itself.
export function inputs({ limits, say, go }) {
  const text = find("#text-box"), source = find("#source"), boxes = find("#sources");
  let model, shown = new Map();
  const isText = () => (model?.inputs ?? []).length < 2 && !(model?.inputs?.[0]?.kind in TITLES || model?.inputs?.[0]?.kind in SORTS);
  const isStory = () => (model?.inputs ?? []).some(({ kind }) => kind === "story");
  const alone = () => (model.inputs.length === 1 ? [...shown.values()][0] : undefined);
  const fileBoxes = () => [...shown.values()].filter((box) => box instanceof FileBox);
  const unwritten = () => [...shown.values()].filter((box) => box.sort);  // boxes that hold no text

  function build({ name, kind, limit }) {
    const sort = SORTS[kind], title = model.inputs.length > 1 ? name : TITLES[kind] ?? "Pictures";
    const block = make("div", { class: "source-block", "data-source": name, "data-kind": kind });
    if (sort) {
      const most = model.inputs.length > 1 ? 1 : Math.min(MOST, limits?.items ?? MOST);
      const inner = make("div");
      block.append(make("span", { class: "over" }, title), inner);
      const box = new FileBox(inner, title, { sort, limit, bytes: limits?.picture ?? 8e6, most, say, changed: () => {} });
      shown.set(name, box);
      if (kind === "picture" && limit > 0 && limit <= SLATE) box.offerSlate(limit, model.views.includes("gaze"), () => model.inputs.length > 1 || go());
      if (kind === "sound" && model.inputs.length === 1 && navigator.mediaDevices) {
        const [button, heard] = microphone({ model: () => model.name, say, recorded: (file) => box.add([file]) });
        find(".actions", inner).append(button);
        inner.append(heard);
      }
    } else if (kind === "strokes") {
      const inner = make("div");
      block.append(make("span", { class: "over" }, title), inner);
      shown.set(name, new InkBox(inner, { limit, most: limits?.points ?? 4000, say }));
    } else {
      const box = make("textarea", { rows: kind === "story" ? "6" : "2", dir: "auto", spellcheck: "false" });
      block.append(make("label", { class: "over" }, title, box));
      shown.set(name, box);
    }
    return block;
  }

  return {
    // Show the boxes of another model; a text that was typed stays where it was.
    fill(next) {
      const before = JSON.stringify(model?.inputs ?? []);
      model = next;
      text.hidden = !isText();
      boxes.hidden = isText();
      if (JSON.stringify(model?.inputs ?? []) === before && boxes.children.length) return;
      shown = new Map();
      boxes.replaceChildren(...(isText() ? [] : model.inputs.map(build)));
    },
    isText,
    readsFiles: () => unwritten().length > 0,
    // What is done with them, on a button and while it is done.
    verb: () => unwritten()[0]?.sort.verb ?? (model?.draws ? (model.views.includes("writing") ? ["Write", "Writing …"] : ["Forecast", "Forecasting …"]) : isStory() ? ["Ask", "Reading …"] : ["Translate", "Translating …"]),
    // What is to be asked: each with the text of the request, and what to call it.
    values() {
      if (isText()) return source.value.trim() ? [{ text: source.value, title: "" }] : [];
      if (alone() instanceof FileBox) return alone().chosen.map(({ name, uri }) => ({ text: uri, title: name }));
      if (alone() instanceof InkBox) return alone().value ? [{ text: alone().value, title: "paper" }] : [];
      const row = [...shown].map(([name, box]) => [name, box instanceof FileBox ? box.chosen[0]?.uri : box.value]);
      return row.every(([, value]) => value?.trim()) ? [{ text: Object.fromEntries(row), title: "" }] : [];
    },
    missing() {
      if (isText()) return "Type a sentence first.";
      if (model.inputs.length > 1) return "Fill in every box first.";
      return alone() instanceof InkBox ? "Write on the paper first." : `Choose a ${alone().sort.noun} first.`;
    },
    // What a person calls an example that is no text.
    noun: () => unwritten()[0]?.sort.noun ?? "picture",
    // Put in what an example, a link or the history holds.
    set(given, title = "picture") {
      if (isText()) { source.value = given; return; }
      if (alone() instanceof InkBox) { alone().set(given); return; }
      let named = given;
      if (typeof given === "string" && !isFile(given)) {
        try { named = JSON.parse(given); } catch { named = {}; }
      }
      const values = isFile(named) ? { [model.inputs[0].name]: named } : named ?? {};
      for (const [name, box] of shown) {
        const value = String(values[name] ?? "");
        if (box instanceof InkBox) box.set(value);
        else if (box instanceof FileBox) box.set(isFile(value) ? [{ name: title, uri: value }] : []);
        else box.value = value;
      }
    },
    // Take files that were dropped or pasted; false if there is no place for them.
    take(files) {
      const fits = ({ sort }) => files.filter(({ type }) => type.startsWith(sort.type));
      const able = fileBoxes().filter((box) => fits(box).length), box = able.find(({ chosen }) => !chosen.length) ?? able[0];
      box?.add(fits(box));
      return Boolean(box);
    },
    focus() { (isText() ? source : find("textarea, input", boxes))?.focus({ preventScroll: true }); },
  };
}
