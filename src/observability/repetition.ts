import { LRUCache } from 'lru-cache';
import type { Observation } from './observation.ts';

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

  /** @returns how many like it were left out since the last one that was told; undefined when this one is left out too */
  admit(said: Observation): number | undefined {
    const key = keyOf(said);
    if (key === undefined) return 0;
    const told = this.#told.get(key);
    if (told !== undefined && this.#now() - told.at < QUIET_MS) {
      told.leftOut += 1;
      return undefined;
    }
    this.#told.set(key, { at: this.#now(), leftOut: 0 });
    return told?.leftOut ?? 0;
  }
}

/** Two failures are the same when the same part fails with the same words. Undefined for what does not come in floods. */
function keyOf(said: Observation): string | undefined {
  switch (said.kind) {
    case 'loop.failed':
      return `${said.loop}: ${wordsOf(said.error)}`;
    case 'server.failed':
      return `${said.part}: ${wordsOf(said.error)}`;
    case 'database.connectionLost':
    case 'listen.lost':
    case 'issuer.unreachable':
      return `${said.kind}: ${wordsOf(said.error)}`;
    // Whoever tries doors writes no log of any length: of all addresses together, one line for each reason.
    case 'http.refused':
      return `${said.kind}: ${said.why}`;
    default:
      return undefined;
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
