import { LRUCache } from 'lru-cache';

const QUIET_MS = 30_000;
const MOST_KINDS = 1_000;

interface Told {
  readonly at: number;
  leftOut: number;
}

/**
 * Failures that repeat: during an outage each loop fails several times a second, and each run that waits for the
 * database too. The first is told in full, the same again at most every 30 s, with how often it was left out.
 */
export class Repetition {
  readonly #told = new LRUCache<string, Told>({ max: MOST_KINDS });
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @param key of one that is to be told @returns how many like it were left out since the last one that was told; undefined when this one is left out too */
  admit(key: string): number | undefined {
    const told = this.#told.get(key);
    if (told !== undefined && this.#now() - told.at < QUIET_MS) {
      told.leftOut += 1;
      return undefined;
    }
    this.#told.set(key, { at: this.#now(), leftOut: 0 });
    return told?.leftOut ?? 0;
  }
}
