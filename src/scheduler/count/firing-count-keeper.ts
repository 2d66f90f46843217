import type { Database } from '#database/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { pruneCounts, rollFirings } from './firing-count-repository.ts';

const INTERVAL_MS = 10_000;
/** Rounds without anything to do between two looks for what is no longer kept. */
const PRUNED_EVERY = 180;
/** How long the counts of minutes are kept. */
export const MINUTE_DAYS = 7;

export interface FiringCountKeeperOptions {
  readonly database: Database;
  /** How long the counts of hours are kept. */
  readonly keepDays: () => number;
  readonly observe: Observe;
}

/** Counts the firings that ended meanwhile, on one node at a time, and forgets the oldest counts. */
export function firingCountKeeper({ database, keepDays, observe }: FiringCountKeeperOptions): Service {
  let rounds = 0;
  return new Ticker({
    name: 'counts of firings',
    intervalMs: INTERVAL_MS,
    async runOnce() {
      if (await rollFirings(database.db)) return 0;
      if (rounds++ % PRUNED_EVERY === 0)
        await pruneCounts(database.db, { minutes: MINUTE_DAYS, hours: keepDays() });
      return undefined;
    },
    observe,
  });
}
