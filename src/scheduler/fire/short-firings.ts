import { LRUCache } from 'lru-cache';
import type { RunKey } from '../run/run.ts';
import type { FiringResult } from './fire-trigger.ts';

/** Runs of a unit go one after the other, so that the last waits for all others: no longer than this. */
const UNIT_MS = 100;
const MOST_KNOWN = 100_000;
/** How far what is known gives way to a run that took longer: on a busy machine all do at times. */
const WEIGHT = 0.25;

/**
 * Which schedules have short runs that need no transaction of their own, so that they may go together. What is not known
 * goes alone.
 */
export class ShortFirings {
  // Not `max`, for which room is made at once.
  readonly #ms = new LRUCache<number, number>({ maxSize: MOST_KNOWN, sizeCalculation: () => 1 });

  note(run: RunKey, { scriptMs }: FiringResult): void {
    const known = this.#ms.get(run.triggerId);
    if (scriptMs === undefined) {
      if (known !== undefined) this.#ms.delete(run.triggerId);
      return;
    }
    const isSlower = known !== undefined && scriptMs > known && scriptMs < UNIT_MS * 10;
    this.#ms.set(run.triggerId, isSlower ? known + (scriptMs - known) * WEIGHT : scriptMs);
  }

  /** How much of a unit it takes; 1 for what goes alone. */
  weightOf(run: RunKey): number {
    return Math.min(1, (this.#ms.get(run.triggerId) ?? UNIT_MS) / UNIT_MS);
  }
}
