/**
 * Messages as they come out of packets: each is handed on when it is whole, in time in proportion to what has come, however it was
 * cut.
 */
export class Frames {
  readonly #bytesWanted: (bytes: Buffer) => number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #wanted = 1;

  /** @param bytesWanted how long the first message is; where that cannot be said yet, how much it takes to say it. May throw */
  constructor(bytesWanted: (bytes: Buffer) => number) {
    this.#bytesWanted = bytesWanted;
  }

  /** Whether something has come that is no whole message yet. */
  get isAmid(): boolean {
    return this.#bytes > 0;
  }

  *add(data: Buffer): Generator<Buffer, void, undefined> {
    this.#parts.push(data);
    this.#bytes += data.length;
    if (this.#bytes < this.#wanted) return;
    let rest = this.#parts.length === 1 ? data : Buffer.concat(this.#parts);
    for (;;) {
      this.#wanted = rest.length === 0 ? 1 : this.#bytesWanted(rest);
      this.#parts = rest.length === 0 ? [] : [rest];
      this.#bytes = rest.length;
      if (rest.length < this.#wanted) return;
      const message = rest.subarray(0, this.#wanted);
      rest = rest.subarray(this.#wanted);
      yield message;
    }
  }
}
