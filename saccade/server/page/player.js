// Plays a part of a sound: a word, when somebody points at it.

export class Player {
  // `uri` is the sound as text.
  constructor(uri) { this.uri = uri; }

  // Decode the sound once, when it is first played.
  async decoded() {
    this.context ??= new AudioContext();
    this.buffer ??= this.context.decodeAudioData(Uint8Array.from(atob(this.uri.slice(this.uri.indexOf(",") + 1)), (letter) => letter.charCodeAt(0)).buffer);
    return this.buffer;
  }

  // Play from one time to another, in seconds; what was played before stops.
  async play(begins, ends) {
    this.stop();
    const turn = (this.turn = {});
    const buffer = await this.decoded();
    if (this.turn !== turn) return;
    const source = this.context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.context.destination);
    source.onended = () => { if (this.source === source) this.source = undefined; };
    await this.context.resume();
    source.start(0, begins, ends - begins);
    this.source = source;
    this.played = [begins, ends];
  }

  stop() {
    this.turn = undefined;
    this.source?.stop();
    this.source = undefined;
  }
}
