// Speak, and see what the model hears meanwhile. Sound goes to the server in chunks; it keeps nothing.

import { ask, make } from "/static/dom.js";

const CHUNK = 0.2, WAITING = 15;  // seconds that are sent at once; that may wait for a slow server

// A button and what was heard. `recorded` is handed the whole sound as a file, once it is over.
export function microphone({ model, say, recorded }) {
  const button = make("button", { type: "button", "aria-pressed": "false" }, "Speak");
  const final = make("span"), partial = make("span", { class: "hint" });
  const heard = make("p", { class: "heard", dir: "auto", "aria-live": "polite" }, final, partial);
  heard.hidden = true;
  let running;

  button.onclick = async () => {
    if (running) { running.stop(); return; }
    button.disabled = true;
    say("");
    try {
      running = await begin();
      button.setAttribute("aria-pressed", "true");
      button.textContent = "Stop";
      final.textContent = partial.textContent = "";
      heard.hidden = false;
      button.disabled = false;
      await running.over;
    } catch (error) {
      say(told(error), true);
    }
    button.disabled = false;
    button.setAttribute("aria-pressed", "false");
    button.textContent = "Speak";
    partial.textContent = "";
    if (running) await running.close();
    running = undefined;
  };

  async function begin() {
    // As it is recorded: what a browser does for people at a telephone is no speech that models learned from.
    const media = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: false, noiseSuppression: false } });
    const context = new AudioContext(), rate = context.sampleRate, pieces = [];
    const ended = () => {
      media.getTracks().forEach((track) => track.stop());
      return context.close();
    };
    try {
      const { stream, seconds } = await ask("/v1/listen", { model: model(), rate });
      await connect(context, media, (piece) => pieces.push(piece));
      const state = { stopped: false };
      const over = send({ stream, seconds, rate, pieces, state });
      return { over, stop: () => { state.stopped = true; }, close: ended };
    } catch (error) {
      await ended();
      throw error;
    }
  }

  // Send what was heard, one chunk after the other, until somebody stops or the time is over.
  async function send({ stream, seconds, rate, pieces, state }) {
    const all = [];
    let sent = 0, length = 0;
    for (;;) {
      const waiting = pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (waiting > WAITING * rate) throw new Error("The server is too slow to follow. Stop others, or use a smaller model.");
      const last = state.stopped || (length + waiting) / rate > seconds - 2 * CHUNK;
      if (waiting >= CHUNK * rate || last) {
        const chunk = pieces.splice(0).map(sixteen);
        const found = await ask("/v1/listen/chunk", { stream, samples: encoded(chunk), last });
        all.push(...chunk);
        length += waiting;
        for (const { text } of found.final) if (text) final.append(`${sent++ ? "\n" : ""}${text}`);
        partial.textContent = found.partial ? `${sent ? "\n" : ""}${found.partial.text} …` : "";
        if (last) break;
      } else {
        await new Promise((done) => { setTimeout(done, 1000 * CHUNK / 4); });
      }
    }
    if (length) recorded(wave(all, length, rate));
  }

  return [button, heard];
}

// Let every piece of sound come to `take`, by a worklet or, where there is none, by an older way.
async function connect(context, media, take) {
  const source = context.createMediaStreamSource(media);
  if (context.audioWorklet) {
    await context.audioWorklet.addModule("/static/recorder.js");
    const node = new AudioWorkletNode(context, "recorder", { numberOfOutputs: 0 });
    node.port.onmessage = ({ data }) => take(data);
    source.connect(node);
  } else {
    const node = context.createScriptProcessor(2048, 1, 1);
    node.onaudioprocess = ({ inputBuffer }) => take(inputBuffer.getChannelData(0).slice());
    source.connect(node);
    node.connect(context.destination);
  }
  await context.resume();
}

const sixteen = (piece) => Int16Array.from(piece, (sample) => Math.max(-32768, Math.min(32767, Math.round(sample * 32768))));

function joined(pieces) {
  const whole = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let place = 0;
  for (const piece of pieces) {
    whole.set(piece, place);
    place += piece.length;
  }
  return whole;
}

function encoded(pieces) {
  const bytes = new Uint8Array(joined(pieces).buffer);
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}

// A WAVE file of one channel and 16 bits.
function wave(pieces, length, rate) {
  const head = new DataView(new ArrayBuffer(44)), size = 2 * length;
  const word = (place, text) => [...text].forEach((letter, i) => head.setUint8(place + i, letter.charCodeAt(0)));
  word(0, "RIFF");
  head.setUint32(4, 36 + size, true);
  word(8, "WAVEfmt ");
  head.setUint32(16, 16, true);
  [1, 1].forEach((number, i) => head.setUint16(20 + 2 * i, number, true));
  head.setUint32(24, rate, true);
  head.setUint32(28, 2 * rate, true);
  [2, 16].forEach((number, i) => head.setUint16(32 + 2 * i, number, true));
  word(36, "data");
  head.setUint32(40, size, true);
  return new File([head.buffer, joined(pieces)], "recording.wav", { type: "audio/wav" });
}

function told(error) {
  if (error.name === "NotAllowedError") return "The browser was not allowed to use the microphone.";
  if (error.name === "NotFoundError") return "There is no microphone.";
  return error.message;
}
