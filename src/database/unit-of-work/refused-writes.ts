import { wordsOf } from '#errors/index.ts';
import type { Observe } from '#observability/index.ts';
import { isUnable } from '../pool/sql-state.ts';

/** A loop that still fails tries again sooner. */
const FORGOTTEN_AFTER_MS = 5_000;

/**
 * What Postgres says to background loops whose changes it does not take: a full disk shows in no question that could be
 * asked of it. A loop that goes on clears its word, and so does silence.
 */
export class RefusedWrites {
  readonly #said = new Map<string, { readonly words: string; readonly at: number }>();

  /** A sink of observations. */
  readonly observe: Observe = (said) => {
    if (said.kind === 'loop.recovered') this.#said.delete(said.loop);
    if (said.kind !== 'loop.failed' || !isUnable(said.error)) return;
    this.#said.set(said.loop, { words: wordsOf(said.error), at: performance.now() });
  };

  /** Its words, and to whom; undefined when it takes changes as far as is known. */
  get reason(): string | undefined {
    const since = performance.now() - FORGOTTEN_AFTER_MS;
    const [last] = [...this.#said].filter(([, { at }]) => at > since).sort(([, a], [, b]) => b.at - a.at);
    return last === undefined ? undefined : `${last[1].words} (${last[0]})`;
  }
}
