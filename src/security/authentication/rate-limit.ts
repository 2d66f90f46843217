import { hash } from 'node:crypto';
import { monotonicMs } from '#time/index.ts';

const MINUTE_MS = 60_000;
/** A client has its place in one of so many rows, which a flood of addresses must not fill the memory with. */
const ROWS = 8_192;
const PLACES = 8;
/** The low bits of a word are the time in 1/256 ms since the words were made, enough for two years; the others tell the clients of a row apart. */
const TIME_BITS = 44n;
const TIME_MASK = (1n << TIME_BITS) - 1n;
const UNIT = 256;

/** What is counted, in memory that the threads of a process share; only pages that are written to take any. */
export interface RateWords {
  readonly words: SharedArrayBuffer;
  /** Nobody else knows in which row a client is. */
  readonly key: string;
  /** By `monotonicMs`. */
  readonly since: number;
}

export function rateWords(now = monotonicMs()): RateWords {
  const words = new SharedArrayBuffer(ROWS * PLACES * BigInt64Array.BYTES_PER_ELEMENT);
  return { words, key: crypto.randomUUID(), since: now };
}

/**
 * Requests a minute for each client of this node: as many as in a minute at once, and then as fast as they come back, so that a short
 * burst is fine. All threads that have the same words count together. Of each client one word is kept: when all of its requests
 * will have come back. It is replaced as a whole, so a thread that dies leaves nothing half done.
 */
export class RateLimit {
  readonly #everyMs: number;
  readonly #words: BigInt64Array;
  readonly #key: string;
  readonly #now: () => number;

  /** @param now milliseconds that never go back, the same in all threads */
  constructor(
    perMinute: number,
    { words, key, since }: RateWords = rateWords(),
    now: () => number = monotonicMs,
  ) {
    this.#everyMs = MINUTE_MS / perMinute;
    this.#words = new BigInt64Array(words);
    this.#key = key;
    this.#now = () => now() - since;
  }

  /** Whether one more would pass; takes nothing. */
  has(client: string): boolean {
    const { tag, row } = this.#placeOf(client);
    const now = this.#now();
    const word = this.#find(row, tag).word;
    return this.#waitMs(word, tag, now) <= 0;
  }

  /** @returns 0 when the request may pass, else the seconds to wait */
  take(client: string): number {
    const { tag, row } = this.#placeOf(client);
    for (;;) {
      const now = this.#now();
      const { at, word } = this.#find(row, tag);
      const waitMs = this.#waitMs(word, tag, now);
      if (waitMs > 0) return Math.ceil(waitMs / 1_000);
      const backAt = Math.max(backOf(word, tag), now) + this.#everyMs;
      const next = (tag << TIME_BITS) | BigInt(Math.round(backAt * UNIT));
      // Another thread may have counted meanwhile.
      if (Atomics.compareExchange(this.#words, at, word, next) === word) return 0;
    }
  }

  #waitMs(word: bigint, tag: bigint, now: number): number {
    // Half of what the clock can tell apart is no reason to wait.
    return Math.max(backOf(word, tag), now) - now + this.#everyMs - MINUTE_MS - 1 / UNIT;
  }

  #placeOf(client: string): { readonly tag: bigint; readonly row: number } {
    const digest = hash('sha256', this.#key + client, 'buffer');
    // Never none: a place without a tag is free.
    return { tag: BigInt(digest.readUInt32BE(4) & 0x7_ffff || 1), row: digest.readUInt32BE(0) % ROWS };
  }

  /** The place of a client, or the one whose client was quiet longest. */
  #find(row: number, tag: bigint): { readonly at: number; readonly word: bigint } {
    let quietest = { at: row * PLACES, word: TIME_MASK };
    for (let at = row * PLACES; at < (row + 1) * PLACES; at += 1) {
      const word = Atomics.load(this.#words, at);
      if (word >> TIME_BITS === tag) return { at, word };
      if ((word & TIME_MASK) < (quietest.word & TIME_MASK)) quietest = { at, word };
    }
    return quietest;
  }
}

/** When all requests of a client will have come back. */
function backOf(word: bigint, tag: bigint): number {
  return word >> TIME_BITS === tag ? Number(word & TIME_MASK) / UNIT : 0;
}
