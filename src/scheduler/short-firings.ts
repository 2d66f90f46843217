import { LRUCache } from 'lru-cache';
import type { ClaimedFiring } from './claimed-firing.ts';
import type { FiringResult } from './fire-trigger.ts';

/** What takes longer keeps nobody waiting but itself. */
const SHORT_MS = 5;
const MOST_KNOWN = 100_000;
/** How much of what is known the last run changes. */
const WEIGHT = 0.25;

/**
 * Of which schedules the runs are short, and need no transaction of their own: those may go together. What is not known
 * goes alone.
 */
export class ShortFirings {
  readonly #ms = new LRUCache<number, number>({ max: MOST_KNOWN });

  note({ run }: Pick<ClaimedFiring, 'run'>, { scriptMs }: FiringResult): void {
    const known = this.#ms.get(run.triggerId);
    const ms = scriptMs ?? Number.MAX_SAFE_INTEGER;
    const isFar = known === undefined || Math.max(known, ms) > SHORT_MS * 100;
    this.#ms.set(run.triggerId, isFar ? ms : known + (ms - known) * WEIGHT);
  }

  has({ run }: Pick<ClaimedFiring, 'run'>): boolean {
    return (this.#ms.get(run.triggerId) ?? Number.MAX_SAFE_INTEGER) <= SHORT_MS;
  }
}
