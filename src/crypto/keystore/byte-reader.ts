import { KeystoreError } from './keystore-key.ts';

/** Reads bytes one after the other. @throws KeystoreError behind the end */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw new KeystoreError('The keystore ends too early');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  number(bytes: 1 | 2 | 4): number {
    return this.take(bytes).readUIntBE(0, bytes);
  }

  /** Java writes texts with their length in two bytes. */
  text(): string {
    return this.take(this.number(2)).toString('utf8');
  }

  rest(): Buffer {
    return this.take(this.#bytes.length - this.#at);
  }
}
