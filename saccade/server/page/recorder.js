// Runs beside the page, where sound is made: hands over what the microphone hears, in pieces.

const PIECE = 2048;  // samples

class Recorder extends AudioWorkletProcessor {
  constructor() {
    super();
    this.piece = new Float32Array(PIECE);
    this.filled = 0;
  }

  process([[channel]]) {
    for (const sample of channel ?? []) {
      this.piece[this.filled++] = sample;
      if (this.filled < PIECE) continue;
      this.port.postMessage(this.piece);
      this.piece = new Float32Array(PIECE);
      this.filled = 0;
    }
    return true;
  }
}

registerProcessor("recorder", Recorder);
