/** Shorter ones are not counted. */
export const SMALL_ANSWER = 65_536;

export interface UnsentAnswersOptions {
  /** Bytes of all callers together. Default 512 MiB. */
  readonly mostBytes?: number;
  /** Bytes of one caller. Default 128 MiB. */
  readonly ofCaller?: number;
}

/** An answer on its way, as far as is seen of it. */
export interface Leaving {
  once(event: 'finish' | 'close', listener: () => void): unknown;
  destroy(): unknown;
}

interface Unsent {
  readonly caller: string;
  readonly bytes: number;
  readonly cut: () => void;
}

/**
 * Answers on their way. They are kept until their clients have taken them, however long that is. Where they come to too much,
 * the connections of the caller with most of them are cut, the oldest first.
 */
export class UnsentAnswers {
  readonly #mostBytes: number;
  readonly #ofCaller: number;
  /** The oldest first. */
  readonly #unsent = new Set<Unsent>();
  readonly #bytesOf = new Map<string, number>();
  #total = 0;

  /** @param largest bytes that an answer may have: two of them are never too much of a caller */
  constructor(
    largest: number,
    { mostBytes = 536_870_912, ofCaller = 134_217_728 }: UnsentAnswersOptions = {},
  ) {
    this.#ofCaller = Math.max(2 * largest, ofCaller);
    this.#mostBytes = Math.max(this.#ofCaller, mostBytes);
  }

  /** To be called before the body is written. At least `SMALL_ANSWER` bytes: a connection holds as much in any case. */
  add(caller: string, bytes: number, outgoing: Leaving): void {
    const unsent = { caller, bytes, cut: () => outgoing.destroy() };
    this.#unsent.add(unsent);
    this.#count(caller, bytes);
    const forget = () => this.#forget(unsent);
    outgoing.once('finish', forget);
    outgoing.once('close', forget);
    this.#makeRoom();
  }

  #makeRoom(): void {
    for (;;) {
      const [caller = '', bytes = 0] = [...this.#bytesOf].sort(([, one], [, other]) => other - one)[0] ?? [];
      if (bytes <= this.#ofCaller && this.#total <= this.#mostBytes) return;
      const oldest = [...this.#unsent].find((unsent) => unsent.caller === caller);
      if (oldest === undefined) return;
      this.#forget(oldest);
      oldest.cut();
    }
  }

  #forget(unsent: Unsent): void {
    if (this.#unsent.delete(unsent)) this.#count(unsent.caller, -unsent.bytes);
  }

  #count(caller: string, bytes: number): void {
    const now = (this.#bytesOf.get(caller) ?? 0) + bytes;
    if (now > 0) this.#bytesOf.set(caller, now);
    else this.#bytesOf.delete(caller);
    this.#total += bytes;
  }
}
